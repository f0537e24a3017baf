package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.leasehold.engine.Attempt;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Signal;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/**
 * A claim's way through the nodes of its key: in by a node of its own, forward as those
 * before it go, and out by the removal of what it left.
 */
final class NodeQueue {

	private final Store store;

	private final LiveClaims claims;

	private final NodePaths paths;

	private final Duration pollInterval;

	private final MonotonicClock clock;

	NodeQueue(Store store, LiveClaims claims, NodePaths paths, Duration pollInterval, MonotonicClock clock) {
		this.store = store;
		this.claims = claims;
		this.paths = paths;
		this.pollInterval = pollInterval;
		this.clock = clock;
	}

	Attempt ask(LiveClaim live, long deadline) throws KeeperException, TimeoutException {
		Attempt attempt = null;
		while (attempt == null) {
			this.store.awaitConnection(deadline);
			attempt = ask(live, this.store.connection(), deadline);
		}
		return attempt;
	}

	/**
	 * Send a write and a list back to back: they are carried out in this order. The list
	 * alone may be an old one, of a server that is cut off, and the session over.
	 * @return {@code null} if the answers prove nothing
	 */
	private @Nullable Attempt ask(LiveClaim live, Store.Connection connection, long deadline)
			throws KeeperException, TimeoutException {
		live.discardUnless(connection.session());
		CompletableFuture<LockNode> creation = live.creation();
		long sent = this.clock.nanoTime();
		CompletableFuture<?> write = null;
		if (creation == null) {
			creation = live.create(() -> create(live));
			write = creation;
		}
		else if (live.isItsTurn()) {
			write = this.store.touch(this.paths.root());
		}
		CompletableFuture<List<String>> listing = this.store.children(live.container());
		LockNode node = Store.await(creation, deadline);
		List<String> names = Store.await(listing, deadline);
		if (names.isEmpty()) { // the container was made by this very request
			names = Store.await(this.store.children(live.container()), deadline);
		}
		if (!names.contains(node.name())) {
			live.discard();
			return null;
		}
		if (node.session() != connection.session() || !connection.equals(this.store.connection())) {
			return null;
		}
		removeStrays(live, names);
		String before = node.predecessor(names);
		if (before != null) {
			return busy(live, before);
		}
		live.takeTurn();
		if (write == null) {
			return null;
		}
		Store.await(write, deadline);
		live.seenThrough(connection.number());
		long validUntil = live.grant(sent, live.claim().lease());
		return new Attempt.Granted(node.number(), connection.earlier(validUntil, sent));
	}

	private CompletableFuture<LockNode> create(LiveClaim live) {
		return this.store.create(live.container() + "/" + LockNode.prefix(live.id()), Keys.data(live.claim()));
	}

	private Attempt busy(LiveClaim live, String before) {
		watch(live, live.busy(live.container() + "/" + before));
		long nanos = this.pollInterval.toNanos();
		return new Attempt.Busy(Duration.ofNanos(nanos - ThreadLocalRandom.current().nextLong(nanos / 10 + 1)));
	}

	void listen(LiveClaim live, Consumer<Signal> listener) {
		watch(live, live.listen(listener));
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

	void deafen(LiveClaim live) {
		LiveClaim.Watch watch = live.deafen();
		if (watch != null) {
			this.store.unwatch(watch.path(), watch.watcher());
		}
	}

	/** Neither believe in the claim nor ask for it any more. */
	void end(LiveClaim live) {
		live.end(this.clock.nanoTime());
		deafen(live);
	}

	/**
	 * Leave the queue, by one removal at a time, and then forget the claim. Waits for
	 * nothing.
	 */
	CompletableFuture<ReleaseOutcome> leave(LiveClaim live) {
		end(live);
		return live.removal((repeated) -> remove(live, repeated));
	}

	private CompletableFuture<ReleaseOutcome> remove(LiveClaim live, boolean repeated) {
		int connection = this.store.connectionNumber();
		return removeNode(live)
			.thenCompose((removed) -> removeStrays(live).thenApply(
					(nothing) -> outcome(live, removed, repeated || connection != this.store.connectionNumber())))
			.whenComplete((outcome, failure) -> {
				if (failure == null) {
					this.claims.forget(live);
				}
			});
	}

	/** A creation that failed leaves strays at most. */
	private CompletableFuture<Boolean> removeNode(LiveClaim live) {
		CompletableFuture<LockNode> creation = live.creation();
		if (creation == null) {
			return CompletableFuture.completedFuture(false);
		}
		return creation.<@Nullable LockNode>handle((node, failure) -> node)
			.thenCompose((node) -> (node != null) ? this.store.remove(node.path())
					: CompletableFuture.completedFuture(false));
	}

	/** Whether its removal found a node may be hidden by an answer that was lost. */
	private static ReleaseOutcome outcome(LiveClaim live, boolean removed, boolean ambiguous) {
		if (!live.wasGranted()) {
			return new ReleaseOutcome.NotOwner();
		}
		if (removed) {
			return ReleaseOutcome.RELEASED;
		}
		return ambiguous ? new ReleaseOutcome.Unknown() : new ReleaseOutcome.NotOwner();
	}

	private CompletableFuture<?> removeStrays(LiveClaim live) {
		if (!live.hasStrays()) {
			return CompletableFuture.completedFuture(null);
		}
		return this.store.children(live.container()).thenCompose((names) -> removeStrays(live, names));
	}

	/** Remove nodes whose creation was answered too late or not at all. */
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

}
