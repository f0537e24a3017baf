package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.RenewalRule;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.redis.connection.Connector;
import io.leasehold.engine.redis.connection.Login;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.support.Deadlines;
import io.leasehold.engine.support.OpenState;
import io.leasehold.engine.support.StartedThreads;

/**
 * Lock engine on several independent Redis masters (Redlock): a lock is held by the claim
 * that a majority of them has granted it to. The loss of a minority loses no lock.
 * <p>
 * Exclusion requires that the clocks of the masters do not jump, and that no master loses
 * data except by a restart. Use it for efficiency, or with fencing tokens. Thread-safe;
 * connects with the first lock.
 */
public final class RedlockLockEngine implements LockEngine, AutoCloseable {

	/** Name of this engine. */
	public static final String NAME = "redlock";

	private final Connector connector;

	private final RedlockSettings settings;

	private final Duration minLease;

	private final Masters masters;

	private final LiveClaims claims;

	private final WakeUps wakeUps;

	private final Acquisition acquisition;

	private final Ending ending;

	private final Renewer renewer;

	private final Operator operator;

	private final ScheduledExecutorService executor;

	private final OpenState state = new OpenState(NAME);

	/**
	 * Create an engine.
	 * @param connector opens connections, and is closed with the engine
	 * @param addresses different addresses of the masters: three, five or another odd
	 * number
	 * @param login called for each new connection; may block briefly
	 * @param clock the clock that the service uses
	 * @throws IllegalArgumentException if the number of masters is even or too small, or
	 * an address occurs twice
	 */
	public RedlockLockEngine(Connector connector, List<Node> addresses, Supplier<Login> login, RedlockSettings settings,
			MonotonicClock clock) {
		checkAddresses(addresses);
		this.connector = connector;
		this.settings = settings;
		this.minLease = RenewalRule.minLease(settings.commandTimeout());
		// Both connections of a master, for requests and for messages, may block
		this.executor = StartedThreads.of("leasehold-redlock-connect-", 2 * addresses.size());
		Map<String, Master> servers = new ConcurrentHashMap<>();
		this.masters = new Masters(addresses.stream()
			.map((address) -> new Master(address, connector, login, settings, this.executor, servers))
			.toList());
		this.claims = new LiveClaims(settings);
		this.wakeUps = new WakeUps(this.masters, settings, this.executor);
		this.ending = new Ending(this.masters, settings);
		this.acquisition = new Acquisition(this.masters, settings, this.ending, clock);
		this.renewer = new Renewer(this.masters, settings, this.claims, new MissingGrants(this.claims, settings),
				clock);
		this.operator = new Operator(this.masters, settings);
	}

	/**
	 * Check the addresses of masters.
	 * @param addresses the addresses
	 * @throws IllegalArgumentException if their number is even or too small, or an
	 * address occurs twice
	 */
	public static void checkAddresses(List<Node> addresses) {
		if (addresses.size() < 3 || addresses.size() % 2 == 0) {
			throw new IllegalArgumentException(
					"leasehold.redlock.nodes must name 3, 5 or another odd number of masters, but names %s: %s"
						.formatted(addresses.size(), addresses));
		}
		if (new LinkedHashSet<>(addresses).size() < addresses.size()) {
			throw new IllegalArgumentException(
					"leasehold.redlock.nodes must name different masters, but is %s".formatted(addresses));
		}
	}

	/**
	 * Connect to all masters, and check that they are independent. A master that is not
	 * available is not checked. Blocks for a few command timeouts at most.
	 * @throws IllegalStateException if a server is not an independent master, or two
	 * addresses lead to the same server
	 */
	public void checkMasters() {
		this.masters.check(Deadlines.after(this.settings.commandTimeout().multipliedBy(3)));
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public String location() {
		return this.masters.toString();
	}

	@Override
	public Set<Capability> capabilities() {
		return EnumSet.of(Capability.SHARED, Capability.MIN_HOLD, Capability.LOCK_DELAY);
	}

	@Override
	public Duration minLease() {
		return this.minLease;
	}

	@Override
	public AcquisitionOutcome tryAcquire(Claim claim) {
		return call("acquire", claim.key(), (deadline) -> {
			this.settings.checkKept(claim);
			LiveClaim live = this.claims.requesting(claim);
			if (claim.waits()) {
				this.wakeUps.requesting(live);
			}
			AcquisitionOutcome outcome = this.acquisition.acquire(live, deadline);
			if (outcome instanceof AcquisitionOutcome.Granted) {
				this.wakeUps.remove(live);
			}
			else if (!claim.waits()) {
				this.claims.remove(live); // votes that remain expire
			}
			return outcome;
		});
	}

	@Override
	public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
		this.state.check(claim.key());
		LiveClaim live = this.claims.find(claim);
		return (live != null) ? this.wakeUps.listen(live, listener) : Subscription.POLLING;
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		if (this.state.isClosed()) {
			return this.state.unknown(renewals);
		}
		return this.renewer.renew(renewals, Deadlines.ofRenewals(renewals, this.settings.commandTimeout()));
	}

	@Override
	public ReleaseOutcome release(Claim claim) {
		return call("release", claim.key(), (deadline) -> {
			LiveClaim live = this.claims.ending(claim);
			this.wakeUps.remove(live);
			ReleaseOutcome outcome = this.ending.release(live, deadline);
			this.claims.remove(live);
			return outcome;
		});
	}

	@Override
	public List<Holder> inspect(LockKey key) {
		return call("inspect", key, (deadline) -> this.operator.inspect(key, deadline));
	}

	@Override
	public List<Holder> forceRelease(LockKey key) {
		return call("force the release of", key, (deadline) -> this.operator.forceRelease(key, deadline));
	}

	/** Return the number of claims that have not ended. */
	int liveClaims() {
		return this.claims.size();
	}

	private <T> T call(String action, LockKey key, LongFunction<T> request) {
		this.state.check(key);
		try {
			return request.apply(Deadlines.after(this.settings.commandTimeout()));
		}
		catch (RedisFailure ex) {
			throw this.state.reason(key, ex.toEngineException("Redlock", action, key));
		}
	}

	@Override
	public void close() {
		this.state.close();
		this.executor.shutdownNow();
		this.connector.close();
	}

}
