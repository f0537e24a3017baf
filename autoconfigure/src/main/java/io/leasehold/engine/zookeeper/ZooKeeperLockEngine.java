package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.HeldKeys;
import io.leasehold.engine.Holder;
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
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;

/**
 * Lock engine on a ZooKeeper ensemble, which grants locks in the order of requests. A
 * lock is an ephemeral node. It outlives a dead or disconnected process by the session
 * timeout, and a live process that does not renew it by the lease.
 * <p>
 * Thread-safe. Connects when its client does.
 */
public final class ZooKeeperLockEngine implements LockEngine, AutoCloseable {

	/** Name of this engine. */
	public static final String NAME = "zookeeper";

	private static final Log logger = LogFactory.getLog(ZooKeeperLockEngine.class);

	private final CuratorFramework client;

	private final ZooKeeperSettings settings;

	private final LiveClaims claims;

	private final Store store;

	private final Duration sessionTimeout;

	private final Watches watches;

	private final Recalls recalls;

	private final NodeQueue queue;

	private final Renewer renewer;

	private final Operator operator;

	private final HeldKeys held;

	private final Sweeper sweeper;

	private final OpenState state = new OpenState(NAME);

	private final StoreCalls calls;

	private ZooKeeperLockEngine(CuratorFramework client, Duration sessionTimeout, ZooKeeperSettings settings,
			MonotonicClock clock, Runnable whenLeft) {
		NodePaths paths = new NodePaths(settings);
		this.client = client;
		this.sessionTimeout = sessionTimeout;
		this.settings = settings;
		this.calls = new StoreCalls(this.state, settings.callTimeout(), Failures::of);
		this.claims = new LiveClaims(paths);
		this.store = new Store(client, this::connected);
		this.watches = new Watches(this.store);
		this.recalls = new Recalls(this.store);
		this.queue = new NodeQueue(this.store, new NodeCreator(this.store, paths), this.watches, this.recalls,
				settings.pollInterval(), clock);
		this.renewer = new Renewer(this.store, this.claims, paths, clock);
		this.operator = new Operator(this.store, paths);
		this.held = new HeldNodes(this.store, paths, this.operator, this.calls);
		this.sweeper = new Sweeper(this.store, this.claims, this.queue, paths, new MissedConnection(client), clock,
				() -> {
					this.store.close();
					whenLeft.run();
				});
		this.store.start();
		this.sweeper.start();
	}

	/**
	 * Create an engine that uses the application's client.
	 * @param client the client, which the engine neither starts nor closes. When it is
	 * closed, its session and all locks end at once
	 * @param clock the clock that the service uses
	 */
	public static ZooKeeperLockEngine using(CuratorFramework client, ZooKeeperSettings settings, MonotonicClock clock) {
		return new ZooKeeperLockEngine(client, Duration.ZERO, settings, clock, () -> {
		});
	}

	/**
	 * Create an engine with a private client.
	 * @param client the client, which the engine starts now. After the engine is closed,
	 * it closes the client when the remaining leases have ended
	 * @param sessionTimeout that of the client
	 * @param clock the clock that the service uses
	 */
	public static ZooKeeperLockEngine owning(CuratorFramework client, Duration sessionTimeout,
			ZooKeeperSettings settings, MonotonicClock clock) {
		ZooKeeperLockEngine engine = new ZooKeeperLockEngine(client, sessionTimeout, settings, clock, client::close);
		client.start();
		return engine;
	}

	private void connected() {
		this.claims.all().forEach((live) -> live.turn().retry());
		try {
			this.renewer.recheck();
		}
		catch (KeeperException ex) {
			logger.debug("Could not check held locks; their state is unknown until they are renewed", ex);
		}
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public String location() {
		return this.client.getZookeeperClient().getCurrentConnectionString();
	}

	@Override
	public Set<Capability> capabilities() {
		return Set.of(Capability.FIFO, Capability.SHARED, Capability.PERMITS, Capability.LINGER);
	}

	@Override
	public Duration minLease() {
		return RenewalRule.minLease(this.settings.callTimeout());
	}

	/** That of a client of the application is not known. */
	@Override
	public Duration sessionTimeout() {
		return this.sessionTimeout;
	}

	@Override
	public AcquisitionOutcome tryAcquire(Claim claim) {
		return this.calls.run("acquire", claim.key(), (deadline) -> acquire(claim, deadline));
	}

	private AcquisitionOutcome acquire(Claim claim, long deadline) throws KeeperException, TimeoutException {
		LiveClaim live = this.claims.begin(claim);
		AcquisitionOutcome outcome = live.contradiction();
		if (outcome == null) {
			outcome = this.queue.request(live, deadline);
		}
		if (outcome instanceof AcquisitionOutcome.Contradicted contradicted) {
			live.contradict(contradicted);
			leave(live, deadline);
		}
		else if (outcome instanceof AcquisitionOutcome.Busy && !claim.waits()) {
			leave(live, deadline);
		}
		return outcome;
	}

	@Override
	public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
		this.state.check(claim.key());
		LiveClaim live = this.claims.find(claim);
		if (live == null) {
			return Subscription.POLLING;
		}
		this.queue.listen(live, listener);
		return () -> this.watches.unsubscribe(live);
	}

	@Override
	public void reportRevocations(RevocationListener listener) {
		this.recalls.reportTo(listener);
	}

	/** A claim whose connection broke is also {@linkplain #inDoubt in doubt}. */
	@Override
	public boolean receivesRecalls() {
		return this.store.isConnected();
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		return this.state.isClosed() ? this.state.unknown(renewals)
				: this.renewer.renew(renewals, this.calls.deadline());
	}

	@Override
	public boolean inDoubt(Claim claim) {
		LiveClaim live = this.claims.find(claim);
		return live == null || !live.wasSeenThrough(this.store.connectionNumber());
	}

	@Override
	public ReleaseOutcome release(Claim claim) {
		return this.calls.run("release", claim.key(), (deadline) -> {
			LiveClaim live = this.claims.find(claim);
			if (live == null) {
				return new ReleaseOutcome.NotOwner(); // nothing of it is in the store
			}
			this.queue.end(live);
			if (live.mayHaveNodes()) {
				this.store.awaitConnection(deadline);
			}
			ReleaseOutcome removed = leave(live, deadline);
			return live.hasExpired() ? new ReleaseOutcome.NotOwner() : removed;
		});
	}

	/** Leave the queue. The claim is kept until the response, for a repeated release. */
	private ReleaseOutcome leave(LiveClaim live, long deadline) throws KeeperException, TimeoutException {
		ReleaseOutcome outcome = Store.await(this.queue.leave(live), deadline);
		this.claims.forget(live);
		return outcome;
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
	 * leases, and a private client runs until these have ended.
	 */
	@Override
	public void close() {
		this.state.close();
		this.claims.all().stream().filter((live) -> !live.isHeld()).forEach(this.queue::leave);
		this.sweeper.closeWhenNothingIsHeld();
	}

}
