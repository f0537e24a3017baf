package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.redis.connection.Line;
import io.leasehold.engine.redis.connection.RedisFailure;
import org.jspecify.annotations.Nullable;

/**
 * Requests that begin and end claims.
 */
final class ClaimRequests {

	/** First element of the response to a granted request. */
	private static final String GRANTED = "granted";

	/** Third element of the response to a request whose grant lingers. */
	private static final String LINGERS = "lingers";

	private static final String RESERVED = Integer.toString(AcquisitionOutcome.Granted.RESERVED);

	private final RedisSettings settings;

	private final Notifications notifications;

	private final LiveClaims claims;

	private final MonotonicClock clock;

	private final String retention;

	private final String queueLifetime;

	private final ContendedKeys contended = new ContendedKeys();

	ClaimRequests(RedisSettings settings, Notifications notifications, LiveClaims claims, MonotonicClock clock) {
		this.settings = settings;
		this.notifications = notifications;
		this.claims = claims;
		this.clock = clock;
		this.retention = millis(settings.fencingRetention());
		this.queueLifetime = millis(settings.queueLifetime());
	}

	/** Return how long the store remembers the last grant number, in milliseconds. */
	String retention() {
		return this.retention;
	}

	/**
	 * Request a lock. The lease counts from before the request.
	 * @param form queue form of the claim, see {@link Scripts#ACQUIRE}
	 */
	AcquisitionOutcome acquire(LiveClaim live, Line line, String form, long deadline) {
		long sent = this.clock.nanoTime();
		Duration lease = live.request(line, sent);
		String kept = millis(lease.plus(live.lockDelay()));
		List<Object> response;
		try {
			response = acquireFree(live, line, kept, deadline);
			if (response == null) {
				response = acquireOrQueue(live, line, kept, form, deadline);
			}
		}
		catch (RedisFailure ex) {
			if (ex.hasNotRun()) {
				live.requestHasNotRun();
			}
			throw ex;
		}
		return outcome(live, line, response, lease, sent, deadline);
	}

	private AcquisitionOutcome outcome(LiveClaim live, Line line, List<Object> response, Duration lease, long sent,
			long deadline) {
		return switch ((String) response.get(0)) {
			case GRANTED -> {
				awaitReplicas(line, deadline);
				boolean lingers = response.contains(LINGERS);
				if (lingers) {
					live.responded();
				}
				else if (live.requestedOnce()) {
					this.claims.removeCompleted(live, line);
				}
				yield live.granted(number(response), sent, lease, lingers ? AcquisitionOutcome.Granted.RESERVED : 0);
			}
			case "busy" -> {
				live.busy(number(response), sent);
				if (!live.claim().waits()) {
					this.claims.removeCompleted(live, line);
				}
				yield new AcquisitionOutcome.Busy(this.settings.retryIn(live.grantLease(), (Long) response.get(2)),
						recall(line, response));
			}
			case "differs" -> {
				this.claims.removeCompleted(live, line);
				yield new AcquisitionOutcome.Contradicted(Access.parse((String) response.get(1)));
			}
			default -> throw new IllegalStateException(
					"The claim on lock '%s' has already ended".formatted(live.claim().key()));
		};
	}

	/**
	 * Acquire a lock that is probably free, by the first request of a claim. Repeated
	 * requests need the whole script, which finds the claim's own grant.
	 * @return response as of {@link Scripts#ACQUIRE}, followed by {@link #LINGERS} if the
	 * grant lingers; {@code null} if the whole script has to follow
	 */
	private @Nullable List<Object> acquireFree(LiveClaim live, Line line, String kept, long deadline) {
		if (!live.isPlain() || !live.requestedOnce() || this.contended.contains(live.keys())) {
			return null;
		}
		String[] arguments = live.lingers() ? new String[] { live.name(), kept, this.retention, RESERVED }
				: new String[] { live.name(), kept, this.retention };
		if (!(line.run(Scripts.ACQUIRE_FREE, live.keys().ofFree(), arguments, deadline) instanceof String number)) {
			return null;
		}
		return live.lingers() ? List.of(GRANTED, number, LINGERS) : List.of(GRANTED, number);
	}

	private List<Object> acquireOrQueue(LiveClaim live, Line line, String kept, String form, long deadline) {
		this.claims.add(live); // a message may arrive before the response
		List<Object> response = this.notifications.run(Scripts.ACQUIRE, line, live.keys(),
				arguments(live, kept, form, this.queueLifetime), deadline);
		if (!GRANTED.equals(response.get(0))) {
			this.contended.add(live.keys());
		}
		else if (live.requestedOnce()) {
			this.contended.remove(live.keys());
		}
		return response;
	}

	/** Wait until as many replicas as configured have received what a line wrote. */
	void awaitReplicas(Line line, long deadline) {
		if (this.settings.replicasToWait() > 0) {
			line.awaitReplicas(this.settings.replicasToWait(), this.settings.commandTimeout().dividedBy(2), deadline);
		}
	}

	/**
	 * Notify the owner of a lock whose grant lingers that this claim is busy with it.
	 * @return whether the grant lingers
	 */
	private boolean recall(Line line, List<Object> busy) {
		Grant lingering = (busy.size() > 3) ? Grant.parse((String) busy.get(3)) : null;
		if (lingering != null) {
			line.publish(this.notifications.inboxOf(lingering), lingering.recall());
		}
		return lingering != null;
	}

	/**
	 * End a claim.
	 * @param mark whether requests of a broken line may still run after this one
	 * @return whether the claim held the lock
	 */
	boolean close(LiveClaim live, Line line, boolean mark, long deadline) {
		if (!mark && releaseSole(live, line, deadline)) {
			return true;
		}
		return this.notifications.run(Scripts.CLOSE, line, live.keys(),
				arguments(live, mark ? millis(this.settings.markerLifetime()) : "0"), deadline) == 1;
	}

	/**
	 * Release a lock that probably no other claim waits for.
	 * @return {@code false} if the whole script has to follow
	 */
	private boolean releaseSole(LiveClaim live, Line line, long deadline) {
		if (!live.isPlain() || this.contended.contains(live.keys())) {
			return false;
		}
		if (line.run(Scripts.RELEASE_SOLE, live.keys().ofExclusive(), new String[] { live.name() }, deadline) == 1) {
			return true;
		}
		this.contended.add(live.keys());
		return false;
	}

	/** End a claim that is no longer known here, without waiting for the response. */
	void returnGrant(Line line, Grant.Message message) {
		String claim = message.grant().claim();
		this.notifications.send(Scripts.CLOSE, line, message.keys(), new String[] { claim, this.retention,
				this.notifications.inboxPrefix(), millis(this.settings.grantLease()), "0" });
	}

	private String[] arguments(LiveClaim live, String... more) {
		String[] first = { live.name(), this.retention, this.notifications.inboxPrefix(),
				millis(live.grantLease().plus(live.lockDelay())) };
		String[] all = Arrays.copyOf(first, first.length + more.length);
		System.arraycopy(more, 0, all, first.length, more.length);
		return all;
	}

	/** Return the number in a response of {@link Scripts#ACQUIRE}. */
	private static long number(List<Object> response) {
		return Long.parseLong((String) response.get(1));
	}

	private static String millis(Duration duration) {
		return Long.toString(duration.toMillis());
	}

}
