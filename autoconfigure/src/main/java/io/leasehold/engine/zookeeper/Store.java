package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.engine.MonotonicClock;
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
 * The requests that the engine makes, none of which blocks: they are sent in the caller's
 * thread one after the other, and answered by futures. So Curator's retries, which go on
 * behind them, never hold a caller beyond its deadline. Thread-safe.
 */
final class Store {

	private final CuratorFramework client;

	private final CuratorListener listener = (source, event) -> heard(event);

	private final AtomicInteger broken = new AtomicInteger();

	private final Runnable whenConnected;

	private volatile CompletableFuture<Void> connected = new CompletableFuture<>();

	Store(CuratorFramework client, Runnable whenConnected) {
		this.client = client;
		this.whenConnected = whenConnected;
	}

	/** Begin to hear of connections, as soon as the whole engine is there. */
	void start() {
		this.client.getCuratorListenable().addListener(this.listener);
		if (this.client.getZookeeperClient().isConnected()) {
			this.connected.complete(null);
		}
	}

	/**
	 * In the client's event thread, and so before the answer to any request that Curator
	 * repeats through the next connection.
	 */
	private void heard(CuratorEvent event) {
		if (event.getType() != CuratorEventType.WATCHED || event.getWatchedEvent().getPath() != null) {
			return;
		}
		switch (event.getWatchedEvent().getState()) {
			case SyncConnected -> {
				if (!this.connected.complete(null)) {
					this.broken.incrementAndGet(); // no break was reported
				}
				this.whenConnected.run();
			}
			case Disconnected, Expired, Closed -> disconnected();
			default -> {
				// says nothing of the connection, such as the end of authentication
			}
		}
	}

	/** The event of an expired session may come after the next connection. */
	private void disconnected() {
		this.broken.incrementAndGet();
		if (this.connected.isDone() && !this.client.getZookeeperClient().isConnected()) {
			CompletableFuture<Void> next = new CompletableFuture<>();
			this.connected = next;
			if (this.client.getZookeeperClient().isConnected()) {
				next.complete(null); // its event came just before
			}
		}
	}

	/**
	 * Number of the present connection, or of the next one. Grows as soon as a connection
	 * breaks, before anything is answered through the next, and when Curator replaces the
	 * session without a break.
	 */
	int connectionNumber() {
		return this.broken.get() + sessionNumber();
	}

	/** Number of the present session. Grows when Curator begins another one. */
	int sessionNumber() {
		return (int) this.client.getZookeeperClient().getInstanceIndex();
	}

	/** The connection of this moment, which may be broken already. */
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

	/** Wait for a connection, as long as it is not there. */
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
			return "the CuratorFramework client is %s: start it where it is made, and use locks while it runs"
				.formatted(this.client.getState());
		}
		return ("no connection to '%s' within the call timeout: "
				+ "check the address, and that more than half of the ensemble is up")
			.formatted(this.client.getZookeeperClient().getCurrentConnectionString());
	}

	/** Carry out all of the operations, or none. */
	CompletableFuture<List<CuratorTransactionResult>> transact(Operations operations) {
		return send((callback) -> this.client.transaction()
			.inBackground(callback)
			.forOperations(operations.make(this.client.transactionOp()))).thenApply(CuratorEvent::getOpResults);
	}

	/**
	 * Create a container and those above it, where they are missing; the chroot is not.
	 */
	CompletableFuture<?> createContainers(String path) {
		return send((callback) -> this.client.create()
			.creatingParentContainersIfNeeded()
			.withMode(CreateMode.CONTAINER)
			.inBackground(callback)
			.forPath(path, new byte[0])).exceptionallyCompose((failure) -> switch (code(failure)) {
				case NODEEXISTS -> CompletableFuture.completedFuture(null);
				case NONODE -> CompletableFuture.failedFuture(withChroot(failure));
				default -> CompletableFuture.failedFuture(failure);
			});
	}

	private Throwable withChroot(Throwable failure) {
		String servers = this.client.getZookeeperClient().getCurrentConnectionString();
		String chroot = new ConnectStringParser(servers).getChrootPath();
		return (chroot != null) ? KeeperException.create(Code.NONODE, chroot) : failure;
	}

	/** A container that does not exist yet has no children. */
	CompletableFuture<List<String>> children(String path) {
		return orIfNoNode(send((callback) -> this.client.getChildren().inBackground(callback).forPath(path))
			.thenApply(CuratorEvent::getChildren), List.of());
	}

	CompletableFuture<Stat> stat(String path) {
		return send((callback) -> this.client.checkExists().inBackground(callback).forPath(path))
			.thenApply(CuratorEvent::getStat);
	}

	/**
	 * Write a node's data, whether there is one or not: carried out only by a leader that
	 * more than half of the ensemble follows, and only in a session that is alive.
	 */
	CompletableFuture<Boolean> write(String path, byte[] data) {
		return existed(send((callback) -> this.client.setData().inBackground(callback).forPath(path, data)));
	}

	CompletableFuture<CuratorEvent> data(String path) {
		return send((callback) -> this.client.getData().inBackground(callback).forPath(path));
	}

	/**
	 * Watch what comes and goes below a node, or the end of one that has no children.
	 * Sets no watch if there is no node, unlike a watch on existence.
	 */
	CompletableFuture<List<String>> watchChildren(String path, Watcher watcher) {
		return send((callback) -> this.client.getChildren().usingWatcher(watcher).inBackground(callback).forPath(path))
			.thenApply(CuratorEvent::getChildren);
	}

	/** Watch a node's data, and its end. Sets no watch if there is no node. */
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

	/** Remove a node, and tell whether there was one. */
	CompletableFuture<Boolean> remove(String path) {
		return existed(send((callback) -> this.client.delete().inBackground(callback).forPath(path)));
	}

	private static CompletableFuture<Boolean> existed(CompletableFuture<CuratorEvent> answer) {
		return orIfNoNode(answer.thenApply((event) -> true), false);
	}

	private static <T> CompletableFuture<T> orIfNoNode(CompletableFuture<T> answer, T result) {
		return answer.exceptionally((failure) -> {
			if (code(failure) == Code.NONODE) {
				return result;
			}
			throw (CompletionException) failure; // of a dependent stage
		});
	}

	void close() {
		this.client.getCuratorListenable().removeListener(this.listener);
	}

	private static CompletableFuture<CuratorEvent> send(Request request) {
		CompletableFuture<CuratorEvent> answer = new CompletableFuture<>();
		try {
			request.send((client, event) -> {
				if (event.getResultCode() == Code.OK.intValue()) {
					answer.complete(event);
				}
				else {
					answer.completeExceptionally(KeeperException.create(Code.get(event.getResultCode()), path(event)));
				}
			});
		}
		catch (Exception ex) {
			answer.completeExceptionally(ex);
		}
		return answer;
	}

	/** Where a request failed, in a transaction its first operation that did. */
	private static @Nullable String path(CuratorEvent event) {
		List<CuratorTransactionResult> results = event.getOpResults();
		return (results == null) ? event.getPath()
				: results.stream()
					.filter((result) -> result.getError() != Code.OK.intValue())
					.map(CuratorTransactionResult::getForPath)
					.findFirst()
					.orElse(null);
	}

	/** Why a request failed. */
	static Code code(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
		return (cause instanceof KeeperException known) ? known.code() : Code.SYSTEMERROR;
	}

	/**
	 * Wait for an answer. An interrupted thread waits too, since what it asked for has
	 * been sent, and finds its flag set afterwards.
	 */
	static <T> T await(CompletableFuture<T> answer, long deadline) throws KeeperException, TimeoutException {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return answer.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		catch (ExecutionException ex) {
			Throwable cause = ex.getCause();
			throw failure((cause instanceof CompletionException wrapper) ? wrapper.getCause() : cause);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
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

	/**
	 * A connection within a session.
	 *
	 * @param number its number
	 * @param session id of the session; ids do not come back
	 * @param timeout how long the session outlives a silent client, as negotiated
	 */
	record Connection(int number, long session, Duration timeout) {

		/**
		 * The earlier one of a moment and of the last one at which the session is
		 * certainly alive, after a request that was sent at the given moment. A quarter
		 * covers what the leader learns late.
		 */
		long earlier(long moment, long sent) {
			long end = MonotonicClock.validUntil(sent, Duration.ofNanos(this.timeout.toNanos() / 4 * 3));
			return (end - moment < 0) ? end : moment;
		}

	}

	/** Makes the operations of a transaction. */
	@FunctionalInterface
	interface Operations {

		List<CuratorOp> make(TransactionOp of) throws Exception;

	}

	/** Sends a request whose answer goes to a callback. */
	@FunctionalInterface
	private interface Request {

		void send(BackgroundCallback callback) throws Exception;

	}

}
