package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.engine.support.Deadlines;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.BackgroundCallback;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.curator.framework.api.transaction.TransactionOp;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Asynchronous requests of the engine. They are sent in order, in the caller's thread,
 * and never block: their responses complete futures. Therefore Curator's background
 * retries never delay a caller beyond its deadline. Thread-safe.
 */
final class Store {

	private final CuratorFramework client;

	private final CuratorListener listener = (source, event) -> received(event);

	private final AtomicInteger broken = new AtomicInteger();

	private final Runnable whenConnected;

	private volatile CompletableFuture<Void> connected = new CompletableFuture<>();

	Store(CuratorFramework client, Runnable whenConnected) {
		this.client = client;
		this.whenConnected = whenConnected;
	}

	/** Subscribe to connection events, once the whole engine is created. */
	void start() {
		this.client.getCuratorListenable().addListener(this.listener);
		if (this.client.getZookeeperClient().isConnected()) {
			this.connected.complete(null);
		}
	}

	/**
	 * Process an event, in the client's event thread. It precedes the response to any
	 * request that Curator repeats on the next connection.
	 */
	private void received(CuratorEvent event) {
		if (event.getType() != CuratorEventType.WATCHED || event.getWatchedEvent().getPath() != null) {
			return;
		}
		switch (event.getWatchedEvent().getState()) {
			case SyncConnected -> {
				this.connected.complete(null);
				this.whenConnected.run();
			}
			case Disconnected, Expired, Closed -> disconnected();
			default -> {
				// does not concern the connection, such as the end of authentication
			}
		}
	}

	/** Process a break. An expired session's event may follow the next connection. */
	private void disconnected() {
		this.broken.incrementAndGet();
		if (this.connected.isDone() && !this.client.getZookeeperClient().isConnected()) {
			CompletableFuture<Void> next = new CompletableFuture<>();
			this.connected = next;
			if (this.client.getZookeeperClient().isConnected()) {
				next.complete(null); // its event arrived just before
			}
		}
	}

	/**
	 * Return the number of the present connection, or of the next one. It grows as soon
	 * as a connection breaks, before any response on the next one. It also grows when
	 * Curator replaces the session without a break.
	 */
	int connectionNumber() {
		return this.broken.get() + sessionNumber();
	}

	/** Number of the present session. Grows when Curator begins another one. */
	int sessionNumber() {
		return (int) this.client.getZookeeperClient().getInstanceIndex();
	}

	/** Return the present connection, which may be broken already. */
	Connection connection() throws KeeperException {
		int number = connectionNumber();
		try {
			ZooKeeper handle = this.client.getZookeeperClient().getZooKeeper();
			return new Connection(number, handle.getSessionId(), Duration.ofMillis(handle.getSessionTimeout()));
		}
		catch (Exception ex) {
			throw failure(ex);
		}
	}

	boolean isConnected() {
		return this.connected.isDone() && this.client.getZookeeperClient().isConnected();
	}

	void awaitConnection(long deadline) throws KeeperException, TimeoutException {
		try {
			await(this.connected, deadline);
		}
		catch (TimeoutException ex) {
			throw new TimeoutException(whyNotConnected());
		}
	}

	private String whyNotConnected() {
		if (this.client.getState() != CuratorFrameworkState.STARTED) {
			return ("the CuratorFramework client is %s: "
					+ "start it where it is created, and use locks only while it is started")
				.formatted(this.client.getState());
		}
		return ("no connection to '%s' within the call timeout: "
				+ "check the address, and that more than half of the ensemble is up")
			.formatted(this.client.getZookeeperClient().getCurrentConnectionString());
	}

	/** Run all of the operations, or none. */
	CompletableFuture<List<CuratorTransactionResult>> transact(Operations operations) {
		return send((callback) -> this.client.transaction()
			.inBackground(callback)
			.forOperations(operations.make(this.client.transactionOp()))).thenApply(CuratorEvent::getOpResults);
	}

	/**
	 * Create a missing container and its missing parents, except the chroot. The server
	 * may remove an empty parent between two requests.
	 */
	CompletableFuture<Void> createContainers(String path) {
		return send((callback) -> this.client.create()
			.creatingParentContainersIfNeeded()
			.withMode(CreateMode.CONTAINER)
			.inBackground(callback)
			.forPath(path, new byte[0])).thenAccept((created) -> {
			}).exceptionallyCompose((failure) -> switch (code(failure)) {
				case NODEEXISTS -> CompletableFuture.completedFuture(null);
				case NONODE -> requireChroot().thenCompose((root) -> createContainers(path));
				default -> CompletableFuture.failedFuture(failure);
			});
	}

	private CompletableFuture<Stat> requireChroot() {
		return stat("/").exceptionallyCompose((failure) -> CompletableFuture.failedFuture(switch (code(failure)) {
			case NONODE -> KeeperException.create(Code.NONODE, chroot());
			default -> failure;
		}));
	}

	private @Nullable String chroot() {
		String servers = this.client.getZookeeperClient().getCurrentConnectionString();
		return new ConnectStringParser(servers).getChrootPath();
	}

	/** Return the names of a container's children, empty if it does not exist. */
	CompletableFuture<List<String>> children(String path) {
		return orIfNoNode(send((callback) -> this.client.getChildren().inBackground(callback).forPath(path))
			.thenApply(CuratorEvent::getChildren), List.of());
	}

	CompletableFuture<Stat> stat(String path) {
		return send((callback) -> this.client.checkExists().inBackground(callback).forPath(path))
			.thenApply(CuratorEvent::getStat);
	}

	/**
	 * Write a node's data, and return whether the node exists. Only a leader that more
	 * than half of the ensemble follows runs a write, and only in a live session.
	 */
	CompletableFuture<Boolean> write(String path, byte[] data) {
		return existed(overwrite(path, data));
	}

	/** Write the data of a node that must exist. */
	CompletableFuture<CuratorEvent> overwrite(String path, byte[] data) {
		return send((callback) -> this.client.setData().inBackground(callback).forPath(path, data));
	}

	CompletableFuture<CuratorEvent> data(String path) {
		return send((callback) -> this.client.getData().inBackground(callback).forPath(path));
	}

	/**
	 * Watch a node's children, or the removal of a node without children. Unlike a watch
	 * on existence, it sets no watch if the node is missing.
	 */
	CompletableFuture<CuratorEvent> watchChildren(String path, Watcher watcher) {
		return send((callback) -> this.client.getChildren().usingWatcher(watcher).inBackground(callback).forPath(path));
	}

	/** Watch a node's data and removal. Sets no watch if the node is missing. */
	CompletableFuture<CuratorEvent> watchData(String path, Watcher watcher) {
		return send((callback) -> this.client.getData().usingWatcher(watcher).inBackground(callback).forPath(path));
	}

	void unwatch(String path, Watcher watcher) {
		send((callback) -> this.client.watchers()
			.remove(watcher)
			.ofType(Watcher.WatcherType.Any)
			.locally()
			.inBackground(callback)
			.forPath(path));
	}

	/** Remove a node, and return whether it existed. */
	CompletableFuture<Boolean> remove(String path) {
		return existed(send((callback) -> this.client.delete().inBackground(callback).forPath(path)));
	}

	private static CompletableFuture<Boolean> existed(CompletableFuture<CuratorEvent> response) {
		return orIfNoNode(response.thenApply((event) -> true), false);
	}

	static <T> CompletableFuture<T> orIfNoNode(CompletableFuture<T> response, T result) {
		return response.exceptionally((failure) -> {
			if (code(failure) == Code.NONODE) {
				return result;
			}
			throw (CompletionException) failure; // wrapped by a dependent stage
		});
	}

	void close() {
		this.client.getCuratorListenable().removeListener(this.listener);
	}

	private static CompletableFuture<CuratorEvent> send(Request request) {
		CompletableFuture<CuratorEvent> response = new CompletableFuture<>();
		try {
			request.send((client, event) -> {
				if (event.getResultCode() == Code.OK.intValue()) {
					response.complete(event);
				}
				else {
					response
						.completeExceptionally(KeeperException.create(Code.get(event.getResultCode()), path(event)));
				}
			});
		}
		catch (Exception ex) {
			response.completeExceptionally(ex);
		}
		return response;
	}

	/** Return the path of a failed request or of a transaction's failed operation. */
	private static @Nullable String path(CuratorEvent event) {
		List<CuratorTransactionResult> results = event.getOpResults();
		return (results == null) ? event.getPath()
				: results.stream()
					.filter((result) -> result.getError() != Code.OK.intValue())
					.map(CuratorTransactionResult::getForPath)
					.findFirst()
					.orElse(null);
	}

	static Code code(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
		return (cause instanceof KeeperException known) ? known.code() : Code.SYSTEMERROR;
	}

	/** Wait for a response. An interrupt does not end the wait. */
	static <T> T await(CompletableFuture<T> response, long deadline) throws KeeperException, TimeoutException {
		try {
			return Deadlines.await(response, deadline);
		}
		catch (ExecutionException ex) {
			throw failure(ex.getCause()); // without the wrapper of a dependent stage
		}
	}

	private static KeeperException failure(@Nullable Throwable cause) {
		if (cause instanceof KeeperException failure) {
			return failure;
		}
		KeeperException failure = KeeperException.create(Code.SYSTEMERROR);
		failure.initCause(cause);
		return failure;
	}

	/** Factory of the operations of a transaction. */
	@FunctionalInterface
	interface Operations {

		List<CuratorOp> make(TransactionOp of) throws Exception;

	}

	/** Request whose response is passed to a callback. */
	@FunctionalInterface
	private interface Request {

		void send(BackgroundCallback callback) throws Exception;

	}

}
