package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.support.Jitter;
import io.leasehold.engine.support.SessionClaim;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/**
 * Queue of claims at their keys. A claim enters by creating a node, advances when nodes
 * before it are removed, and leaves by removing all of its nodes.
 */
final class NodeQueue {

	private final Store store;

	private final NodeCreator nodes;

	private final Watches watches;

	private final Recalls recalls;

	private final TurnGrants grants;

	private final Duration pollInterval;

	private final MonotonicClock clock;

	/** Claims with a node that was created late and could not be removed. */
	private final Set<LiveClaim> late = ConcurrentHashMap.newKeySet();

	/** When the removal of their nodes was repeated. */
	private long lateRemoval;

	NodeQueue(Store store, NodeCreator nodes, Watches watches, Recalls recalls, Duration pollInterval,
			MonotonicClock clock) {
		this.store = store;
		this.nodes = nodes;
		this.watches = watches;
		this.recalls = recalls;
		this.grants = new TurnGrants(store, clock);
		this.pollInterval = pollInterval;
		this.clock = clock;
		this.lateRemoval = clock.nanoTime();
	}

	AcquisitionOutcome request(LiveClaim live, long deadline) throws KeeperException, TimeoutException {
		AcquisitionOutcome outcome = null;
		while (outcome == null) {
			this.store.awaitConnection(deadline);
			outcome = request(live, this.store.connection(), deadline);
		}
		return outcome;
	}

	/**
	 * Create the claim's node, or write it in its turn, and list the nodes. The server
	 * runs these requests in order. A list alone proves nothing without a recent write:
	 * it may be outdated, from a partitioned server, and the session may have ended.
	 * @return {@code null} if the responses prove nothing
	 */
	private @Nullable AcquisitionOutcome request(LiveClaim live, Connection connection, long deadline)
			throws KeeperException, TimeoutException {
		live.discardUnless(connection.session());
		long sent = this.clock.nanoTime();
		CompletableFuture<LockNode> known = live.creation();
		CompletableFuture<LockNode> creation = (known != null) ? known
				: live.create(this.store.sessionNumber(), () -> create(live, connection));
		Long proven = (known != null) ? this.grants.provenSince(live, connection) : null;
		CompletableFuture<?> write = (known == null) ? creation : (proven == null) ? writeInTurn(live) : null;
		LockNode node = awaitNode(live, creation, deadline);
		if (!node.hasTokens()) {
			throw Failures.withoutTokens(live.claim().key(), node);
		}
		Recalls.Recall recall = (write == creation && live.claim().lingers()) ? this.recalls.watch(live, node) : null;
		List<String> names = (write == creation && node.alone() && recall == null) ? List.of(node.name())
				: Store.await((recall != null) ? recall.names() : this.store.children(live.container()), deadline);
		if (!names.contains(node.name())) {
			live.discard();
			return null;
		}
		if (node.session() != connection.session() || !connection.equals(this.store.connection())) {
			return null;
		}
		List<String> strays = strays(live, names);
		if (!strays.isEmpty()) {
			remove(live, strays);
			return null;
		}
		NodeOrder order = new NodeOrder(live.container(), names);
		AcquisitionOutcome refused = refused(live, order, node, deadline);
		if (refused != null) {
			return refused;
		}
		live.turn().expect();
		if (proven == null) {
			if (write == null || (write == creation && order.isAwaited(node.name()))
					|| (recall != null && !recall.begin())) {
				return null; // not proven, or others do not know of the grant
			}
			Store.await(write, deadline);
			proven = sent;
		}
		AcquisitionOutcome.Granted granted = this.grants.grant(live, node, connection, proven, recall != null);
		if (granted == null) {
			throw Failures.ended();
		}
		return granted;
	}

	private LockNode awaitNode(LiveClaim live, CompletableFuture<LockNode> creation, long deadline)
			throws KeeperException, TimeoutException {
		try {
			return Store.await(creation, deadline);
		}
		catch (TimeoutException ex) {
			discardWithoutResponse(live);
			throw ex;
		}
	}

	private void discardWithoutResponse(LiveClaim live) {
		CompletableFuture<LockNode> creation = live.discardWithoutResponse(this.store.sessionNumber());
		if (creation != null) {
			creation.whenComplete((node, failure) -> removeLate(live));
		}
	}

	/** Remove a node that was created late, in addition to the known one or alone. */
	private void removeLate(LiveClaim live) {
		live.expectStrays();
		CompletableFuture<LockNode> creation = live.creation();
		CompletableFuture<?> known = (creation != null) ? creation.handle((node, failure) -> node)
				: CompletableFuture.completedFuture(null);
		known.thenCompose((node) -> removeStrays(live)).whenComplete((done, failure) -> {
			if (failure != null) {
				this.late.add(live);
			}
		});
	}

	/**
	 * Repeat the failed removals of nodes that were created late, after a pause. Called
	 * periodically; never blocks.
	 */
	void removeLate(long now) {
		if (now - this.lateRemoval >= SessionClaim.REMOVAL_PAUSE.toNanos()) {
			this.lateRemoval = now;
			List.copyOf(this.late).stream().filter(this.late::remove).forEach(this::removeLate);
		}
	}

	/** Create a node; a creation that failed or was repeated may leave another one. */
	private CompletableFuture<LockNode> create(LiveClaim live, Connection connection) {
		TurnGrants.Write write = this.grants.write(connection);
		String name = NodeName.begin(live.id(), live.claim());
		byte[] data = LockNode.data(live.claim(), live.recordShown(write.sent()));
		return this.nodes.create(new NodeCreator.NewNode(live.container(), name, data, connection.session()))
			.whenComplete((node, failure) -> {
				if (failure != null || connection.number() != this.store.connectionNumber()) {
					live.expectStrays();
				}
				else {
					this.grants.written(write);
				}
			});
	}

	/** Write the claim's node, which notifies a successor of its grant. */
	private @Nullable CompletableFuture<?> writeInTurn(LiveClaim live) {
		LockNode node = live.turn().isExpected() ? live.node() : null;
		return (node != null) ? this.grants.writeGrantTime(live, node) : null;
	}

	private @Nullable AcquisitionOutcome refused(LiveClaim live, NodeOrder order, LockNode node, long deadline)
			throws KeeperException, TimeoutException {
		if (live.claim().access().contradicts(order.held())) {
			return new AcquisitionOutcome.Contradicted(order.held());
		}
		AwaitedChange awaited = order.awaited(node.name());
		if (awaited == null) {
			return null;
		}
		this.watches.busy(live, awaited);
		String lingering = live.claim().waits() ? null : order.lingering();
		boolean recalled = lingering != null && Store.await(this.recalls.isExpected(lingering), deadline);
		return new AcquisitionOutcome.Busy(Jitter.shorten(this.pollInterval, Jitter.OF_POLLS), recalled);
	}

	void listen(LiveClaim live, Consumer<Signal> listener) {
		this.watches.listen(live, listener, () -> this.grants.grantNow(live));
	}

	void end(LiveClaim live) {
		live.end(this.clock.nanoTime());
		this.watches.unsubscribe(live);
	}

	/** Leave the queue, with one removal at a time. Never blocks. */
	CompletableFuture<ReleaseOutcome> leave(LiveClaim live) {
		end(live);
		return live.removal(this.store.sessionNumber(), () -> remove(live));
	}

	private CompletableFuture<ReleaseOutcome> remove(LiveClaim live) {
		discardWithoutResponse(live);
		int connection = this.store.connectionNumber();
		long sent = this.clock.nanoTime();
		return removeNode(live).thenCompose((removed) -> removeStrays(live).thenApply((nothing) -> outcome(live,
				removed, connection != this.store.connectionNumber() && !wasOver(live, sent))));
	}

	/** Remove the claim's node; a failed creation leaves only strays. */
	private CompletableFuture<Boolean> removeNode(LiveClaim live) {
		CompletableFuture<LockNode> creation = live.creation();
		if (creation == null) {
			return CompletableFuture.completedFuture(false);
		}
		return creation.<@Nullable LockNode>handle((node, failure) -> node)
			.thenCompose((node) -> (node != null) ? this.store.remove(node.path())
					: CompletableFuture.completedFuture(false));
	}

	/**
	 * Return whether the session of the claim's node had ended before a request was sent
	 * in it: it has ended now, but a request that ran would have kept it alive until now.
	 */
	private boolean wasOver(LiveClaim live, long sent) {
		LockNode node = live.node();
		try {
			Connection present = this.store.connection();
			return node != null && node.session() != present.session()
					&& this.clock.nanoTime() - sent < present.timeout().toNanos();
		}
		catch (KeeperException ex) {
			return false; // unknown
		}
	}

	/** Return the outcome; a lost response may hide whether a node was removed. */
	private static ReleaseOutcome outcome(LiveClaim live, boolean removed, boolean ambiguous) {
		if (!live.wasGranted()) {
			return new ReleaseOutcome.NotOwner();
		}
		return (removed || ambiguous) ? ReleaseOutcome.RELEASED : new ReleaseOutcome.NotOwner();
	}

	/**
	 * Remove strays that are listed after a write: requests of an earlier connection may
	 * still run before the write, and are rejected after it.
	 */
	private CompletableFuture<?> removeStrays(LiveClaim live) {
		if (!live.hasStrays()) {
			return CompletableFuture.completedFuture(null);
		}
		return this.store.write(live.container(), new byte[0])
			.thenCompose((existed) -> this.store.children(live.container()))
			.thenCompose((names) -> remove(live, strays(live, names)));
	}

	/** Return the claim's nodes whose creation had a late response or none. */
	private static List<String> strays(LiveClaim live, List<String> names) {
		if (!live.hasStrays()) {
			return List.of();
		}
		LockNode node = live.node();
		return names.stream()
			.filter((name) -> name.startsWith(NodeName.mark(live.id())))
			.filter((name) -> node == null || !name.equals(node.name()))
			.toList();
	}

	private CompletableFuture<?> remove(LiveClaim live, List<String> names) {
		return CompletableFuture.allOf(names.stream()
			.map((name) -> this.store.remove(live.container() + "/" + name))
			.toArray(CompletableFuture[]::new));
	}

}
