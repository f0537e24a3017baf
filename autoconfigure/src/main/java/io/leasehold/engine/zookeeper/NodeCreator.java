package io.leasehold.engine.zookeeper;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.curator.framework.api.transaction.TransactionOp;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;

/**
 * Creation of the nodes of claims. Each transaction also writes the container's empty
 * data, so the response contains the current number of the key's nodes. A container that
 * is presumed missing is created by the same transaction. Thread-safe.
 */
final class NodeCreator {

	private final Store store;

	private final String root;

	/** Hash codes of known containers; a newer one replaces an older one. */
	private final int[] seen = new int[1 << 16];

	NodeCreator(Store store, NodePaths paths) {
		this.store = store;
		this.root = paths.root();
	}

	/** Create an ephemeral node; the server completes its name. */
	CompletableFuture<LockNode> create(NewNode node) {
		int hash = node.container.hashCode();
		return (this.seen[place(hash)] == hash) ? addToContainer(node) : addWithContainer(node);
	}

	private CompletableFuture<LockNode> addToContainer(NewNode node) {
		return this.store.transact((of) -> List.of(node.create(of), node.count(of)))
			.thenApply((results) -> created(node, results))
			.exceptionallyCompose((failure) -> switch (Store.code(failure)) {
				case NONODE -> addWithContainer(node);
				default -> CompletableFuture.failedFuture(failure);
			});
	}

	private CompletableFuture<LockNode> addWithContainer(NewNode node) {
		return this.store.transact((of) -> List.of(node.createContainer(of), node.create(of), node.count(of)))
			.thenApply((results) -> created(node, results))
			.exceptionallyCompose((failure) -> switch (Store.code(failure)) {
				case NODEEXISTS -> addToContainer(node);
				case NONODE -> this.store.createContainers(this.root).thenCompose((done) -> addWithContainer(node));
				default -> CompletableFuture.failedFuture(failure);
			});
	}

	private LockNode created(NewNode node, List<CuratorTransactionResult> results) {
		int hash = node.container.hashCode();
		this.seen[place(hash)] = hash;
		// The returned path starts at the root of the server, not of the client
		String path = results.get(results.size() - 2).getResultPath();
		Stat container = results.get(results.size() - 1).getResultStat();
		return new LockNode(node.container + path.substring(path.lastIndexOf('/')), container.getMzxid(), node.session,
				container.getNumChildren() == 1);
	}

	private int place(int hash) {
		return hash & (this.seen.length - 1);
	}

	/**
	 * Node to be created.
	 *
	 * @param container the container of its key
	 * @param name the beginning of its name
	 * @param session the present session, which owns the node
	 */
	record NewNode(String container, String name, byte[] data, long session) {

		private CuratorOp createContainer(TransactionOp of) throws Exception {
			return of.create().withMode(CreateMode.CONTAINER).forPath(this.container, new byte[0]);
		}

		private CuratorOp create(TransactionOp of) throws Exception {
			return of.create()
				.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
				.forPath(this.container + "/" + this.name, this.data);
		}

		/**
		 * Write the container; the response has its number of children and transaction.
		 */
		private CuratorOp count(TransactionOp of) throws Exception {
			return of.setData().forPath(this.container, new byte[0]);
		}

	}

}
