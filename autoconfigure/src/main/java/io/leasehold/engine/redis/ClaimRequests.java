package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import io.leasehold.engine.redis.connection.Line;
import io.leasehold.engine.redis.connection.RedisFailure;

/**
 * Requests that begin and end claims.
 */
final class ClaimRequests {

	private final RedisSettings settings;

	private final String inboxPrefix;

	private final String retention;

	private final String queueLifetime;

	ClaimRequests(RedisSettings settings, String inboxPrefix) {
		this.settings = settings;
		this.inboxPrefix = inboxPrefix;
		this.retention = millis(settings.fencingRetention());
		this.queueLifetime = millis(settings.queueLifetime());
	}

	/** Return how long the store remembers the last grant number, in milliseconds. */
	String retention() {
		return this.retention;
	}

	/**
	 * Acquire the lock.
	 * @param lease the lease of an immediate grant
	 * @param form queue form of the claim, see {@link Scripts#ACQUIRE}
	 */
	List<Object> acquire(LiveClaim live, Line line, Duration lease, String form, long deadline) {
		try {
			return line.run(Scripts.ACQUIRE, live.keys().of(live.name()),
					arguments(live, millis(lease.plus(live.lockDelay())), form, this.queueLifetime), deadline);
		}
		catch (RedisFailure ex) {
			if (ex.hasNotRun()) {
				live.requestHasNotRun();
			}
			throw ex;
		}
	}

	/**
	 * End a claim.
	 * @param mark whether requests of a broken line may still run after this one
	 * @param sentBefore whether a request to end the claim was sent before
	 * @return whether the claim held the lock
	 */
	boolean close(LiveClaim live, Line line, boolean mark, boolean sentBefore, long deadline) {
		try {
			return line.run(Scripts.CLOSE, live.keys().of(live.name()),
					arguments(live, mark ? millis(this.settings.markerLifetime()) : "0"), deadline) == 1;
		}
		catch (RedisFailure ex) {
			if (ex.hasNotRun()) {
				live.endHasNotRun(sentBefore);
			}
			throw ex;
		}
	}

	/** End a claim that is no longer known here, without waiting for the response. */
	void returnGrant(Line line, Grant.Message message) {
		String claim = message.grant().claim();
		line.sendText(Scripts.CLOSE, message.keys().of(claim),
				new String[] { claim, this.retention, this.inboxPrefix, millis(this.settings.grantLease()), "0" });
	}

	private String[] arguments(LiveClaim live, String... more) {
		String[] first = { live.name(), this.retention, this.inboxPrefix,
				millis(live.grantLease().plus(live.lockDelay())) };
		String[] all = Arrays.copyOf(first, first.length + more.length);
		System.arraycopy(more, 0, all, first.length, more.length);
		return all;
	}

	private static String millis(Duration duration) {
		return Long.toString(duration.toMillis());
	}

}
