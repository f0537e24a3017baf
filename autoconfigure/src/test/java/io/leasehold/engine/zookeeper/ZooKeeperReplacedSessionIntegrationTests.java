package io.leasehold.engine.zookeeper;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.AsyncCallback.MultiCallback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.leasehold.engine.zookeeper.ZooKeeperEngines.eventually;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.granted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A client that begins another session: without reporting a break, or without a response
 * to what was requested in the former one.
 */
@Tag("full")
class ZooKeeperReplacedSessionIntegrationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final String CONTAINER = "/leasehold/faults/order:42";

	/** Less than the session timeout. */
	private static final Duration PATIENCE = Duration.ofSeconds(18);

	private final ZooKeeperEngines engines = new ZooKeeperEngines();

	private final TestingServer server = this.engines.server();

	private volatile boolean loses;

	/** The kind of request that the server rejects next, or empty. */
	private volatile String rejected = "";

	/** Times of the requests that remove a node of the key. */
	private final List<Long> removals = new CopyOnWriteArrayList<>();

	private final BlockingQueue<Transaction> lost = new LinkedBlockingQueue<>();

	private final CuratorFramework client = this.engines.open(CuratorFrameworkFactory.builder()
		.connectString(this.server.getConnectString())
		.sessionTimeoutMs(ZooKeeperEngines.LONG_SESSION)
		.retryPolicy(new RetryForever(100))
		.zookeeperFactory((servers, timeout, watcher, readOnly) -> new Handle(servers, timeout, watcher))
		.build());

	@BeforeEach
	void start() throws InterruptedException {
		this.client.start();
		this.client.blockUntilConnected();
	}

	@AfterEach
	void close() throws Exception {
		this.engines.close();
	}

	/**
	 * Curator does that when its ensemble provider has other servers. The former session
	 * is closed, and its locks are free.
	 */
	@Fault(145)
	@Test
	void lockIsInDoubtOnceItsSessionWasReplaced() throws Exception {
		ZooKeeperLockEngine engine = this.engines.engine(this.client);
		ZooKeeperLockEngine other = this.engines.engine(this.engines.client(this.server.getConnectString()));
		Claim claim = this.engines.claim(KEY);
		granted(engine, claim);
		assertThat(engine.inDoubt(claim)).isFalse();
		this.client.getZookeeperClient().reset();
		assertThat(engine.inDoubt(claim)).isTrue();
		eventually().until(() -> other.inspect(KEY).isEmpty());
		eventually().until(this.client.getZookeeperClient()::isConnected);
		assertThat(engine.inDoubt(claim)).isTrue();
	}

	/** It is a break and another handle of ZooKeeper at once. */
	@Fault(145)
	@Test
	void lockIsInDoubtOnceItsSessionHasExpired() throws Exception {
		ZooKeeperLockEngine engine = this.engines.engine(this.client);
		Claim claim = this.engines.claim(KEY);
		granted(engine, claim);
		ZooKeeper expired = this.client.getZookeeperClient().getZooKeeper();
		expired.getTestable().injectSessionExpiration();
		eventually().until(() -> this.client.getZookeeperClient().isConnected()
				&& this.client.getZookeeperClient().getZooKeeper() != expired);
		assertThat(engine.inDoubt(claim)).isTrue();
	}

	/**
	 * ZooKeeper's client may lose a response when its session ends. If it is late only,
	 * since Curator has repeated the request, nothing stays of it either.
	 */
	@Fault(146)
	@Test
	void waiterIsServedThoughTheResponseToItsFirstRequestIsLost() throws Exception {
		Transaction transaction = serveThoughTheFirstResponseIsLost();
		int created = this.client.checkExists().forPath(CONTAINER).getCversion();
		send(transaction);
		awaitRemovalOfAllNodes(created);
	}

	/**
	 * A server with too much work rejects requests, which Curator does not repeat. The
	 * node would remain for the whole session.
	 */
	@Fault(146)
	@ParameterizedTest
	@ValueSource(strings = { "setData", "delete" })
	void lateNodeIsRemovedThoughARequestForItIsRejected(String request) throws Exception {
		Transaction transaction = serveThoughTheFirstResponseIsLost();
		int created = this.client.checkExists().forPath(CONTAINER).getCversion();
		this.rejected = request;
		send(transaction);
		eventually().until(() -> this.rejected.isEmpty());
		awaitRemovalOfAllNodes(created);
	}

	/** Without the permission to delete, each removal of the late node is rejected. */
	@Fault(146)
	@Test
	void rejectedRemovalOfALateNodeIsRepeatedAfterPauses() throws Exception {
		Transaction transaction = serveThoughTheFirstResponseIsLost();
		int created = this.client.checkExists().forPath(CONTAINER).getCversion();
		permit(ZooDefs.Perms.ALL & ~ZooDefs.Perms.DELETE);
		this.removals.clear();
		send(transaction);
		eventually().until(() -> this.removals.size() >= 5);
		assertThat(Duration.ofNanos(this.removals.get(4) - this.removals.get(0))).isGreaterThan(Duration.ofSeconds(2));
		permit(ZooDefs.Perms.ALL);
		awaitRemovalOfAllNodes(created);
	}

	private void permit(int permissions) throws Exception {
		this.client.setACL().withACL(List.of(new ACL(permissions, new Id("world", "anyone")))).forPath(CONTAINER);
	}

	/** The engine has forgotten the claim by then. */
	@Fault(146)
	@Test
	void lateNodeOfAReleasedClaimIsRemoved() throws Exception {
		ZooKeeperLockEngine engine = this.engines.engine(this.client);
		this.engines.useOnce(engine, KEY);
		Claim claim = this.engines.claim(KEY);
		Transaction transaction = loseCreation(engine, claim);
		this.client.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
		eventually().ignoreException(LockEngineException.class)
			.until(() -> engine.release(claim) instanceof ReleaseOutcome.NotOwner);
		assertThat(engine.liveClaims()).isZero();
		int created = this.client.checkExists().forPath(CONTAINER).getCversion();
		send(transaction);
		awaitRemovalOfAllNodes(created);
	}

	/** The response to the second request arrives after that to the first one. */
	@Fault(146)
	@Test
	void lateNodeIsRemovedWithoutTheNodeOfTheSecondRequest() throws Exception {
		ZooKeeperLockEngine engine = this.engines.engine(this.client);
		this.engines.useOnce(engine, KEY);
		Claim claim = this.engines.claim(KEY);
		Transaction first = loseCreation(engine, claim);
		this.client.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
		Transaction second = loseCreation(engine, claim);
		CompletableFuture<Runnable> response = new CompletableFuture<>();
		send(new Transaction(second.operations, (code, path, context, results) -> response
			.complete(() -> second.callback.processResult(code, path, second.context, results)), null));
		Runnable respond = response.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		Stat container = this.client.checkExists().forPath(CONTAINER);
		assertThat(container.getNumChildren()).isOne();
		send(first);
		eventually().until(() -> this.client.checkExists().forPath(CONTAINER).getCversion() > container.getCversion());
		for (int i = 0; i < 5; i++) {
			awaitResponses();
		}
		respond.run();
		assertThat(granted(engine, claim).number()).isEqualTo(LockNode.number(container.getMzxid()));
		assertThat(this.client.getChildren().forPath(CONTAINER)).hasSize(1);
	}

	/** Have a claim request its node, and return the request, which was not sent. */
	private Transaction loseCreation(ZooKeeperLockEngine engine, Claim claim) {
		this.loses = true;
		eventually().until(() -> {
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim));
			return !this.lost.isEmpty();
		});
		return this.lost.remove();
	}

	/** A request that is sent in a response's callback precedes the next call. */
	private void awaitResponses() throws Exception {
		CountDownLatch responded = new CountDownLatch(1);
		this.client.checkExists().inBackground((source, event) -> responded.countDown()).forPath("/");
		assertThat(responded.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
	}

	/** Return the lost transaction of a lock that was acquired and released. */
	private Transaction serveThoughTheFirstResponseIsLost() throws Exception {
		LockService service = this.engines.service(this.engines.engine(this.client));
		service.acquire("order:41").close();
		this.loses = true;
		CompletableFuture<HeldLock> acquired = CompletableFuture.supplyAsync(() -> service.acquire("order:42"));
		Transaction transaction = this.lost.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		this.client.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
		acquired.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
		assertThat(this.client.getChildren().forPath(CONTAINER)).isEmpty();
		return transaction;
	}

	private void send(Transaction transaction) throws Exception {
		this.client.getZookeeperClient()
			.getZooKeeper()
			.multi(transaction.operations, transaction.callback, transaction.context);
	}

	private void awaitRemovalOfAllNodes(int created) {
		eventually().until(() -> this.client.checkExists().forPath(CONTAINER).getCversion() > created
				&& this.client.getChildren().forPath(CONTAINER).isEmpty());
	}

	private boolean rejects(String request, String path) {
		if (!request.equals(this.rejected) || !path.startsWith(CONTAINER)) {
			return false;
		}
		this.rejected = "";
		return true;
	}

	/**
	 * A handle that may lose transactions, and have requests rejected.
	 */
	@SuppressWarnings("try")
	private final class Handle extends ZooKeeper {

		Handle(String servers, int timeout, Watcher watcher) throws IOException {
			super(servers, timeout, watcher);
		}

		@Override
		public void multi(Iterable<Op> operations, MultiCallback callback, Object context) {
			if (ZooKeeperReplacedSessionIntegrationTests.this.loses) {
				ZooKeeperReplacedSessionIntegrationTests.this.loses = false;
				ZooKeeperReplacedSessionIntegrationTests.this.lost.add(new Transaction(operations, callback, context));
				return;
			}
			super.multi(operations, callback, context);
		}

		@Override
		public void setData(String path, byte[] data, int version, StatCallback callback, Object context) {
			if (rejects("setData", path)) {
				callback.processResult(Code.THROTTLEDOP.intValue(), path, context, null);
				return;
			}
			super.setData(path, data, version, callback, context);
		}

		@Override
		public void delete(String path, int version, VoidCallback callback, Object context) {
			if (path.startsWith(CONTAINER)) {
				ZooKeeperReplacedSessionIntegrationTests.this.removals.add(System.nanoTime());
			}
			if (rejects("delete", path)) {
				callback.processResult(Code.THROTTLEDOP.intValue(), path, context);
				return;
			}
			super.delete(path, version, callback, context);
		}

	}

	private record Transaction(Iterable<Op> operations, MultiCallback callback, @Nullable Object context) {
	}

}
