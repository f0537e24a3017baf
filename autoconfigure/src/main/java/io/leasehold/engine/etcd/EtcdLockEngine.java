package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.HeldKeys;
import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.RenewalRule;
import io.leasehold.engine.RevocationListener;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.support.OpenState;
import io.leasehold.engine.support.StoreCalls;

/**
 * Lock engine on an etcd cluster, which grants locks in the order of requests. A lock is
 * a key on a lease of this process, its session. It outlives a dead or disconnected
 * process by the session's timeout, and a live process that does not renew it by the
 * lock's lease.
 * <p>
 * Thread-safe. Connects when it is first used.
 */
public final class EtcdLockEngine implements LockEngine, AutoCloseable {

	/** Name of this engine. */
	public static final String NAME = "etcd";

	private final EtcdSettings settings;

	private final String location;

	private final LiveClaims claims;

	private final ClaimQueue queue;

	private final Renewer renewer;

	private final Operator operator;

	private final HeldKeys held;

	private final KeptClaims kept;

	private final Sweeper sweeper;

	private final OpenState state = new OpenState(NAME);

	private final StoreCalls calls;

	/**
	 * Create an engine.
	 * @param connection the cluster's members, and how to reach them
	 * @param settings the settings
	 * @param clock the clock that the service uses
	 */
	public EtcdLockEngine(EtcdConnection connection, EtcdSettings settings, MonotonicClock clock) {
		this(connection.connect(settings.callTimeout()), settings, clock);
	}

	EtcdLockEngine(Store store, EtcdSettings settings, MonotonicClock clock) {
		EtcdKeys keys = new EtcdKeys(settings.namespace());
		Watches watches = new Watches(store);
		KeepAlive keepAlive = new KeepAlive(store, clock);
		OwnLeases ownLeases = new OwnLeases(store, clock);
		this.settings = settings;
		this.location = store.members().toString();
		this.calls = new StoreCalls(this.state, settings.callTimeout(), Failures::of);
		this.claims = new LiveClaims(keys, watches);
		Sessions sessions = new Sessions(store, keys, keepAlive, settings, this.claims::lost, clock);
		this.queue = new ClaimQueue(store, this.claims, sessions, ownLeases, settings.pollInterval(), clock);
		this.renewer = new Renewer(keepAlive, ownLeases, this.claims);
		this.operator = new Operator(store, keys, ownLeases, clock);
		this.held = new HeldClaims(store, keys, this.operator, this.calls);
		this.kept = new KeptClaims(store, keys, this.operator, ownLeases, this.calls);
		this.sweeper = new Sweeper(store, this.claims, sessions, watches, keepAlive, this.queue, ownLeases,
				settings.callTimeout(), clock);
		this.sweeper.start();
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public String location() {
		return this.location;
	}

	@Override
	public Set<Capability> capabilities() {
		return EnumSet.complementOf(EnumSet.of(Capability.LINGER));
	}

	@Override
	public Duration minLease() {
		return RenewalRule.minLease(this.settings.callTimeout());
	}

	@Override
	public KeptKeys keptKeys() {
		return this.kept;
	}

	@Override
	public AcquisitionOutcome tryAcquire(Claim claim) {
		return this.calls.run("acquire", claim.key(), (deadline) -> acquire(claim, deadline));
	}

	private AcquisitionOutcome acquire(Claim claim, long deadline) throws EtcdException {
		LiveClaim live = this.claims.begin(claim);
		AcquisitionOutcome outcome = live.contradiction();
		if (outcome == null) {
			outcome = this.queue.request(live, claim.waits(), deadline);
		}
		if (outcome instanceof AcquisitionOutcome.Contradicted contradicted) {
			live.contradict(contradicted);
			this.queue.leave(live, deadline);
		}
		else if (outcome instanceof AcquisitionOutcome.Busy && !claim.waits()) {
			this.queue.leave(live, deadline);
		}
		return outcome;
	}

	@Override
	public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
		this.state.check(claim.key());
		return this.claims.subscribe(claim, listener);
	}

	@Override
	public void reportRevocations(RevocationListener listener) {
		this.claims.reportRevocations(listener);
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> due) {
		return this.state.isClosed() ? this.state.unknown(due) : this.renewer.renew(due, this.calls.deadline());
	}

	@Override
	public boolean inDoubt(Claim claim) {
		LiveClaim live = this.claims.find(claim);
		Session session = (live != null) ? live.session() : null;
		return session == null || session.isLost();
	}

	@Override
	public ReleaseOutcome release(Claim claim) {
		return this.calls.run("release", claim.key(), (deadline) -> {
			LiveClaim live = this.claims.find(claim);
			if (live == null) {
				return new ReleaseOutcome.NotOwner(); // nothing of it is in the store
			}
			return this.queue.leave(live, deadline);
		});
	}

	@Override
	public List<Holder> inspect(LockKey key) {
		return this.calls.run("inspect", key, (deadline) -> this.operator.inspect(key, deadline));
	}

	@Override
	public HeldKeys heldKeys() {
		return this.held;
	}

	@Override
	public List<Holder> forceRelease(LockKey key) {
		return this.calls.run("force the release of", key, (deadline) -> this.operator.forceRelease(key, deadline));
	}

	int liveClaims() {
		return this.claims.all().size();
	}

	/**
	 * Leave the queues, and reject requests from now on. Held locks are left to their
	 * leases. Waits for the store for one call at most.
	 */
	@Override
	public void close() {
		this.state.close();
		this.sweeper.closeWhenNothingIsHeld();
	}

}
