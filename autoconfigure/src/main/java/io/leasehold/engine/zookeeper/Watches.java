package io.leasehold.engine.zookeeper;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Signal;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/**
 * Watches of waiting claims. No watch remains on a missing node.
 */
record Watches(Store store) {

	void busy(LiveClaim live, AwaitedChange by) {
		watch(live, live.turn().busy(by));
	}

	void listen(LiveClaim live, Consumer<Signal> listener, Supplier<AcquisitionOutcome.@Nullable Granted> grantNow) {
		watch(live, live.turn().listen(listener, grantNow));
	}

	void unsubscribe(LiveClaim live) {
		Turn.Watch watch = live.turn().unsubscribe();
		if (watch != null) {
			this.store.unwatch(watch.awaited().path(), watch);
		}
	}

	private void watch(LiveClaim live, Turn.@Nullable Watch watch) {
		if (watch != null) {
			isOver(live, watch).whenComplete((over, failure) -> {
				if (failure != null && failure.getCause() instanceof KeeperException.NoNodeException) {
					watch.end();
				}
				else if (failure != null || over) {
					watch.fail();
				}
			});
		}
	}

	/** Set a watch, and return whether the change came before it. */
	private CompletableFuture<Boolean> isOver(LiveClaim live, Turn.Watch watch) {
		String path = watch.awaited().path();
		return switch (watch.awaited().kind()) {
			case REMOVAL -> this.store.watchChildren(path, watch).thenApply((none) -> false);
			case CHILDREN ->
				this.store.watchChildren(path, watch).thenApply((nodes) -> isOver(live, watch, nodes.getChildren()));
			case GRANT -> this.store.watchData(path, watch)
				.thenCompose((node) -> isGranted(live, watch, node.getStat().getVersion() > 0));
		};
	}

	/** Check a written node by a list, because an operator may have written it. */
	private CompletableFuture<Boolean> isGranted(LiveClaim live, Turn.Watch watch, boolean written) {
		return written ? this.store.children(live.container()).thenApply((names) -> isOver(live, watch, names))
				: CompletableFuture.completedFuture(false);
	}

	private static boolean isOver(LiveClaim live, Turn.Watch watch, List<String> names) {
		LockNode node = live.node();
		return node == null || !names.contains(node.name())
				|| !watch.awaited().equals(new NodeOrder(live.container(), names).awaited(node.name()));
	}

}
