package io.leasehold.engine.zookeeper;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Attempt;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Waiting;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/**
 * Locks in a ZooKeeper ensemble, granted in the order of their requests. A lock is an
 * ephemeral node: it outlives a process that died or was cut off by the session timeout,
 * and a process that is alive but does not renew it by its lease.
 * <p>
 * Thread-safe. Connects when its client does.
 */
public final class ZooKeeperLockEngine implements LockEngine, AutoCloseable {

	/** Name of this engine. */
	public static final String NAME = "zookeeper";

	private final Store store;

	private final ZooKeeperSettings settings;

	private final MonotonicClock clock;

	private final NodePaths paths;

	private final Map<String, LiveClaim> claims = new ConcurrentHashMap<>();

	private final Keys keys;

	private final Sweeper sweeper;

	private final String idPrefix = HexFormat.of().toHexDigits(new SecureRandom().nextLong()) + "-";

	private final AtomicLong nextId = new AtomicLong();

	private volatile boolean closed;

	/**
	 * Create an engine.
	 * @param client the client, started and closed by others
	 * @param settings how the engine works
	 * @param clock the clock that the service believes in
	 */
	public ZooKeeperLockEngine(CuratorFramework client, ZooKeeperSettings settings, MonotonicClock clock) {
		this.settings = settings;
		this.clock = clock;
		this.paths = new NodePaths(settings);
		this.store = new Store(client, () -> this.claims.values().forEach(LiveClaim::askAgain));
		this.keys = new Keys(this.store, this.paths);
		this.sweeper = new Sweeper(this.store, this.claims, clock, this.paths.root());
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Set<Capability> capabilities() {
		return Set.of(Capability.FIFO);
	}

	@Override
	public Duration minLease() {
		return this.settings.callTimeout().multipliedBy(2);
	}

	@Override
	public Attempt tryAcquire(Claim claim) {
		LiveClaim live = this.claims.computeIfAbsent(claim.owner().token(), (owner) -> new LiveClaim(claim,
				this.idPrefix + Long.toHexString(this.nextId.incrementAndGet()), this.paths.container(claim.key())));
		long deadline = deadline(claim.key());
		try {
			Attempt attempt = ask(live, deadline);
			if (attempt instanceof Attempt.Busy && !claim.waits()) {
				end(live, deadline);
			}
			return attempt;
		}
		catch (KeeperException | TimeoutException ex) {
			throw Failures.of("acquire", claim.key(), ex);
		}
	}

	private Attempt ask(LiveClaim live, long deadline) throws KeeperException, TimeoutException {
		while (true) {
			this.store.awaitConnection(deadline);
			long sent = this.clock.nanoTime();
			Store.Session session = this.store.session();
			discardNodeOfFormerSession(live, session);
			// Sent back to back: the list holds the node that was asked for before
			CompletableFuture<LockNode> creation = live.creation(() -> create(live));
			CompletableFuture<List<String>> listing = this.store.children(live.container());
			LockNode node = Store.await(creation, deadline);
			List<String> names = Store.await(listing, deadline);
			if (!names.contains(node.name())) {
				sent = this.clock.nanoTime();
				names = Store.await(this.store.children(live.container()), deadline);
			}
			if (!names.contains(node.name())) {
				live.discard(node);
			}
			else if (node.session() == session.id() && this.store.session().equals(session)) {
				return answer(live, node, names, sent, session);
			}
		}
	}

	private CompletableFuture<LockNode> create(LiveClaim live) {
		return this.store.create(live.container() + "/" + LockNode.prefix(live.id()), Keys.data(live.claim()));
	}

	private void discardNodeOfFormerSession(LiveClaim live, Store.Session session) {
		LockNode node = live.node();
		if (node != null && node.session() != session.id()) {
			live.discard(node);
		}
	}

	private Attempt answer(LiveClaim live, LockNode node, List<String> names, long sent, Store.Session session) {
		removeStrays(live, names);
		String before = node.predecessor(names);
		if (before != null) {
			watch(live, live.busy(live.container() + "/" + before));
			long nanos = this.settings.pollInterval().toNanos();
			return new Attempt.Busy(Duration.ofNanos(nanos - ThreadLocalRandom.current().nextLong(nanos / 10 + 1)));
		}
		long validUntil = live.grant(sent, live.claim().lease());
		return new Attempt.Granted(node.number(), session.earlier(validUntil, sent));
	}

	/** Nodes whose creation was answered too late or not at all. */
	private CompletableFuture<?> removeStrays(LiveClaim live, Collection<String> names) {
		if (!live.hasStrays()) {
			return CompletableFuture.completedFuture(null);
		}
		LockNode node = live.node();
		return CompletableFuture.allOf(names.stream()
			.filter((name) -> name.contains(LockNode.prefix(live.id())))
			.filter((name) -> node == null || !name.equals(node.name()))
			.map((name) -> this.store.remove(live.container() + "/" + name))
			.toArray(CompletableFuture[]::new));
	}

	@Override
	public Waiting enqueue(Claim claim, Consumer<Signal> listener) {
		LiveClaim live = this.claims.get(claim.owner().token());
		if (live == null) {
			return Waiting.POLLING;
		}
		watch(live, live.listen(listener));
		return () -> unwatch(live.deafen());
	}

	private void watch(LiveClaim live, LiveClaim.@Nullable Watch watch) {
		if (watch != null) {
			this.store.watch(watch.path(), watch.watcher()).whenComplete((event, failure) -> {
				if (failure != null) {
					live.fired(watch.path());
				}
			});
		}
	}

	private void unwatch(LiveClaim.@Nullable Watch watch) {
		if (watch != null) {
			this.store.unwatch(watch.path(), watch.watcher());
		}
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		return new RenewalBatch(this.store, this.claims, this.clock).renew(renewals,
				System.nanoTime() + this.settings.callTimeout().toNanos());
	}

	@Override
	public ReleaseOutcome release(Claim claim) {
		LiveClaim live = this.claims.get(claim.owner().token());
		if (live == null) {
			return new ReleaseOutcome.NotOwner(); // the store has nothing of it
		}
		live.end(this.clock.nanoTime());
		unwatch(live.deafen());
		try {
			return end(live, deadline(claim.key()));
		}
		catch (KeeperException | TimeoutException ex) {
			throw Failures.of("release", claim.key(), ex);
		}
	}

	private ReleaseOutcome end(LiveClaim live, long deadline) throws KeeperException, TimeoutException {
		CompletableFuture<LockNode> creation = live.creation();
		if (creation == null && !live.hasStrays()) {
			this.claims.remove(live.claim().owner().token());
			return new ReleaseOutcome.NotOwner(); // the store never heard of it
		}
		this.store.awaitConnection(deadline);
		int interruptions = this.store.interruptions();
		boolean told = live.tellEnd();
		boolean removed = creation != null && remove(creation, deadline);
		if (live.hasStrays()) {
			Store.await(removeStrays(live, Store.await(this.store.children(live.container()), deadline)), deadline);
		}
		this.claims.remove(live.claim().owner().token());
		if (!live.wasGranted()) {
			return new ReleaseOutcome.NotOwner();
		}
		if (removed) {
			return ReleaseOutcome.RELEASED;
		}
		boolean repeated = told || interruptions != this.store.interruptions();
		return repeated ? new ReleaseOutcome.Unknown() : new ReleaseOutcome.NotOwner();
	}

	/** Return whether the node existed. A creation that failed leaves strays at most. */
	private boolean remove(CompletableFuture<LockNode> creation, long deadline)
			throws KeeperException, TimeoutException {
		LockNode node;
		try {
			node = Store.await(creation, deadline);
		}
		catch (KeeperException ex) {
			return false;
		}
		return Store.await(this.store.remove(node.path()), deadline);
	}

	@Override
	public Optional<Holder> inspect(LockKey key) {
		long deadline = deadline(key);
		try {
			return this.keys.inspect(key, deadline);
		}
		catch (KeeperException | TimeoutException ex) {
			throw Failures.of("inspect", key, ex);
		}
	}

	@Override
	public Optional<Holder> forceRelease(LockKey key) {
		long deadline = deadline(key);
		try {
			return this.keys.forceRelease(key, deadline);
		}
		catch (KeeperException | TimeoutException ex) {
			throw Failures.of("force the release of", key, ex);
		}
	}

	/** How many claims have begun and not ended yet. */
	int liveClaims() {
		return this.claims.size();
	}

	private long deadline(LockKey key) {
		if (this.closed) {
			throw new LockEngineException(key, "The ZooKeeper lock engine is closed", null);
		}
		return System.nanoTime() + this.settings.callTimeout().toNanos();
	}

	/**
	 * Leave the queues. What is held is left to the client's session.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.sweeper.close();
		this.claims.values().stream().filter((live) -> !live.wasGranted()).map(LiveClaim::node).forEach((node) -> {
			if (node != null) {
				this.store.remove(node.path());
			}
		});
		this.store.close();
	}

}
