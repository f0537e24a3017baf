package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongFunction;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.HeldKeys;
import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.RenewalRule;
import io.leasehold.engine.RevocationListener;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.RedisConnections;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.support.Deadlines;
import io.leasehold.engine.support.OpenState;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Lock engine on Redis. Locks pass from process to process in the order of requests. An
 * uncontended lock takes one command to acquire and one to release.
 * <p>
 * Exclusion requires that the server loses no data and its clock never jumps forward. The
 * fencing token covers other cases. Thread-safe; connects with the first lock.
 */
public final class RedisLockEngine implements LockEngine, AutoCloseable {

	/** Name of this engine. */
	public static final String NAME = "redis";

	private static final Log logger = LogFactory.getLog(RedisLockEngine.class);

	private final RedisConnections connections;

	private final RedisSettings settings;

	private final MonotonicClock clock;

	private final Duration minLease;

	private final Notifications notifications;

	private final ClaimRequests requests;

	private final LiveClaims claims;

	private final EngineLines lines;

	private final Inbox inbox;

	private final Renewer renewer;

	private final Operator operator;

	private final InboxMessages messages;

	private final OpenState state = new OpenState(NAME);

	/**
	 * Create an engine.
	 * @param connections its connections, closed with it
	 * @param clock the clock that the service uses
	 */
	public RedisLockEngine(RedisConnections connections, RedisSettings settings, Member member, MonotonicClock clock) {
		this.connections = connections;
		this.settings = settings;
		this.clock = clock;
		this.lines = new EngineLines(connections, settings, this::keepOnly);
		this.claims = new LiveClaims(settings, clock, this.lines::runLater);
		this.minLease = RenewalRule.minLease(settings.commandTimeout());
		this.notifications = new Notifications(RedisKeys.inboxPrefix(settings.namespace()), settings.wakeUp());
		this.requests = new ClaimRequests(settings, this.notifications, this.claims, clock);
		this.messages = new InboxMessages(this.claims, this.requests, this.lines.ofClaims());
		this.renewer = new Renewer(settings.namespace(), this.lines.topology(), this.lines.ofRenewals(), clock);
		this.operator = new Operator(this.lines.ofClaims(), settings.namespace(), this.requests.retention(),
				this.notifications);
		this.inbox = new Inbox(this.notifications.inboxPrefix(), member::id, settings, this.lines.topology(),
				connections::listen, this.lines.executor(), this.messages::receive, this.claims::mayHaveMissed);
	}

	/**
	 * Connect in the background, because the first connection of a JVM may take longer
	 * than a command. Never blocks or fails: if Redis is unavailable, a warning is
	 * logged, because the server may start later than the application.
	 */
	public void warmUp() {
		this.lines.warmUp((failure) -> {
			if (!this.state.isClosed()) {
				logger.warn("Locks fail until Redis can be reached at %s: %s".formatted(this.connections,
						failure.getMessage()));
			}
		});
	}

	/**
	 * Check the server to which {@link #warmUp()} connects, unless it is unavailable.
	 * Blocks for a few command timeouts at most.
	 * @throws IllegalStateException if locks cannot be kept there: its version is too
	 * old, or another server accepts writes as well
	 */
	public void checkServer() {
		try {
			this.lines.awaitFirst(this.settings.commandTimeout().multipliedBy(3));
		}
		catch (RedisFailure ex) {
			if (ex.isUnsuitable()) {
				throw new IllegalStateException("Redis at %s: %s".formatted(this.connections, ex.getMessage()), ex);
			}
		}
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public String location() {
		return this.connections.toString();
	}

	@Override
	public Set<Capability> capabilities() {
		return this.settings.capabilities();
	}

	@Override
	public Duration minLease() {
		return this.minLease;
	}

	@Override
	public AcquisitionOutcome tryAcquire(Claim claim) {
		long deadline = deadline(claim.key());
		LiveClaim live = this.claims.of(claim);
		if (claim.lingers()) {
			this.claims.add(live); // recalls find it, also before the response
		}
		try {
			return this.lines.ofClaims()
				.request(live.keys().lock(), deadline,
						(line) -> this.requests.acquire(live, line, claim.waits() ? form(deadline) : "", deadline));
		}
		catch (RedisFailure ex) {
			this.claims.add(live);
			throw failure("acquire", claim.key(), ex);
		}
	}

	/** Return the queue form of a waiting claim, see {@link Scripts#ACQUIRE}. */
	private String form(long deadline) {
		if (!this.inbox.isReceiving(deadline)) {
			return "-";
		}
		return (this.lines.topology().isCluster() || this.notifications.areByClient()) ? "*" : "+";
	}

	@Override
	public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
		this.state.check(claim.key());
		return this.claims.subscribe(claim, listener);
	}

	@Override
	public void reportRevocations(RevocationListener listener) {
		this.messages.report(listener);
	}

	@Override
	public void subscribeToRecalls() {
		this.inbox.start();
	}

	@Override
	public boolean receivesRecalls() {
		return this.inbox.isSubscribed();
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		if (this.state.isClosed()) {
			return this.state.unknown(renewals);
		}
		this.inbox.start();
		return this.renewer.renew(renewals, Deadlines.ofRenewals(renewals, this.settings.commandTimeout()));
	}

	@Override
	public ReleaseOutcome release(Claim claim) {
		long deadline = deadline(claim.key());
		LiveClaim live = this.claims.ending(claim);
		if (!live.close()) {
			this.claims.remove(live);
			return new ReleaseOutcome.NotOwner(); // the store never received it
		}
		try {
			return this.lines.ofClaims().request(live.keys().lock(), deadline, (line) -> {
				// Requests of a broken line may still run after this one
				boolean mark = !live.requestedOnlyThrough(line);
				boolean held = this.requests.close(live, line, mark, deadline);
				this.claims.remove(live);
				return held ? ReleaseOutcome.RELEASED : new ReleaseOutcome.NotOwner();
			});
		}
		catch (RedisFailure ex) {
			this.claims.add(live);
			throw failure("release", claim.key(), ex);
		}
	}

	@Override
	public List<Holder> inspect(LockKey key) {
		return request("inspect", key, (deadline) -> this.operator.inspect(key, deadline));
	}

	@Override
	public HeldKeys heldKeys() {
		return new HeldLocks(this.operator, this.state, this.settings.commandTimeout());
	}

	@Override
	public List<Holder> forceRelease(LockKey key) {
		return request("force the release of", key, (deadline) -> this.operator.forceRelease(key, deadline));
	}

	@Override
	public KeptKeys keptKeys() {
		return new RedisKeptKeys((key, action) -> request(action.get(0), key,
				(deadline) -> this.operator.kept(key, action, this.requests, deadline)));
	}

	private <T> T request(String action, LockKey key, LongFunction<T> request) {
		try {
			return request.apply(deadline(key));
		}
		catch (RedisFailure ex) {
			throw failure(action, key, ex);
		}
	}

	/** End the subscription to a former primary. */
	private void keepOnly(Set<Node> primaries) {
		this.inbox.keepOnly(primaries);
	}

	/** Return the number of claims whose state is kept between requests. */
	int liveClaims() {
		return this.claims.size();
	}

	private long deadline(LockKey key) {
		this.state.check(key);
		return Deadlines.after(this.settings.commandTimeout());
	}

	private LockEngineException failure(String action, LockKey key, RedisFailure failure) {
		return this.state.reason(key, failure.toEngineException("Redis", action, key));
	}

	@Override
	public void close() {
		this.state.close();
		this.lines.close();
	}

}
