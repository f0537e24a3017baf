package io.leasehold.engine.zookeeper;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.leasehold.engine.RevocationListener;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;

/**
 * Recalls of lingering grants. The owner watches the nodes of the key, so another process
 * that requests the key recalls the grant by the creation of its node. Thread-safe.
 */
final class Recalls {

	private final Store store;

	private volatile RevocationListener listener = (number, claim) -> {
	};

	Recalls(Store store) {
		this.store = store;
	}

	void reportTo(RevocationListener newListener) {
		this.listener = newListener;
	}

	/** List the nodes of the key of a new node, and watch them. */
	Recall watch(LiveClaim live, LockNode node) {
		Recall recall = new Recall(() -> report(live));
		recall.names = this.store.watchChildren(live.container(), recall)
			.thenApply((listed) -> recall.listed(node, listed));
		return recall;
	}

	/** Report a recall, unless it may be the removal of the claim's own node. */
	private void report(LiveClaim live) {
		if (!live.isOver()) {
			this.listener.recalled(live.claim());
		}
	}

	/**
	 * Return whether a holder may release the key at once, because its grant lingers:
	 * nothing has written its node, or it has just been removed.
	 */
	CompletableFuture<Boolean> isExpected(String holder) {
		return Store.orIfNoNode(this.store.stat(holder).thenApply((stat) -> stat.getVersion() == 0), true);
	}

	/**
	 * Watch on the nodes of a key. Its first event recalls the grant: another node, the
	 * forced release of its own node, or a break of the connection.
	 */
	static final class Recall implements Watcher {

		private final Runnable report;

		private CompletableFuture<List<String>> names = new CompletableFuture<>();

		private boolean reports;

		private boolean over;

		private Recall(Runnable report) {
			this.report = report;
		}

		/** Return the names of the nodes when the watch was set. */
		CompletableFuture<List<String>> names() {
			return this.names;
		}

		/** The watch came too late if the node's creation is not the last change. */
		private List<String> listed(LockNode node, CuratorEvent nodes) {
			if (nodes.getStat().getPzxid() != node.zxid()) {
				end();
			}
			return nodes.getChildren();
		}

		/** Begin to report, and return whether no event has preceded. */
		synchronized boolean begin() {
			this.reports = true;
			return !this.over;
		}

		/** End, and return whether to report this. */
		private synchronized boolean end() {
			boolean ends = !this.over && this.reports;
			this.over = true;
			return ends;
		}

		@Override
		public void process(WatchedEvent event) {
			if (end()) {
				this.report.run();
			}
		}

	}

}
