package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.leasehold.HeldLock;
import io.leasehold.LockLostException;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.leasehold.engine.zookeeper.ZooKeeperEngines.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * A Curator client whose session expires, and which takes itself for unconnected after
 * the next session has connected: the old session's event thread came last.
 */
@Tag("full")
@Fault(144)
class ZooKeeperMissedConnectionIntegrationTests {

	/** Less than the session timeout, after which Curator may recover by itself. */
	private static final Duration PATIENCE = Duration.ofSeconds(18);

	private final ZooKeeperEngines engines = new ZooKeeperEngines();

	private final TestingServer server = this.engines.server();

	private final CuratorFramework client = this.engines.open(CuratorFrameworkFactory.builder()
		.connectString(this.server.getConnectString())
		.sessionTimeoutMs(ZooKeeperEngines.LONG_SESSION)
		.connectionTimeoutMs(10_000)
		.retryPolicy(new RetryForever(100))
		.zookeeperFactory((servers, timeout, watcher, readOnly) -> new ZooKeeper(servers, timeout,
				(event) -> processLate(watcher, event), readOnly))
		.build());

	private final List<KeeperState> events = new CopyOnWriteArrayList<>();

	private final CompletableFuture<Long> missed = new CompletableFuture<>();

	/** The event thread of the session that expired. */
	private final AtomicReference<Thread> late = new AtomicReference<>();

	@BeforeEach
	void start() throws InterruptedException {
		this.client.start();
		this.client.blockUntilConnected();
	}

	@AfterEach
	void close() throws Exception {
		this.engines.close();
	}

	@Test
	void waiterIsServedInTheSessionThatWasMissed() throws Exception {
		LockService service = this.engines.service(this.engines.engine(this.client));
		HeldLock held = service.acquireAll(List.of("order:42"));
		CompletableFuture<HeldLock> next = CompletableFuture.supplyAsync(() -> service.acquireAll(List.of("order:42")));
		ZooKeeper handle = this.client.getZookeeperClient().getZooKeeper();
		handle.getTestable().injectSessionExpiration();
		long session = this.missed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
		assertThat(this.client.getZookeeperClient().getZooKeeper().getSessionId()).isEqualTo(session)
			.isNotEqualTo(handle.getSessionId());
		assertThat(held.isValid()).isFalse();
		assertThat(catchThrowable(held::close)).isInstanceOf(LockLostException.class);
	}

	/** Its client is checked by hand, at times that overflow. */
	@Test
	void connectionIsReportedAgainAfterItWasMissedForASecond() throws Exception {
		this.client.checkExists().forPath("/");
		this.client.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
		this.missed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		// The end of the old session's client may be reported after its expiry
		this.late.get().join(PATIENCE.toMillis());
		awaitEvents();
		MissedConnection missedConnection = new MissedConnection(this.client);
		long begin = Long.MAX_VALUE - 1;
		long second = Duration.ofSeconds(1).toNanos();
		assertThat(reported(missedConnection, begin)).isEmpty();
		assertThat(reported(missedConnection, begin + second - 1)).isEmpty();
		assertThat(reported(missedConnection, begin + second)).containsExactly(KeeperState.Disconnected,
				KeeperState.SyncConnected);
		assertThat(this.client.getZookeeperClient().isConnected()).isTrue();
		assertThat(reported(missedConnection, begin + 3 * second)).isEmpty();
	}

	private List<KeeperState> reported(MissedConnection missedConnection, long now) throws Exception {
		this.events.clear();
		missedConnection.check(now);
		awaitEvents();
		return List.copyOf(this.events);
	}

	/** A request gets its response after the events that came before it. */
	private void awaitEvents() throws Exception {
		CompletableFuture<Integer> response = new CompletableFuture<>();
		this.client.getZookeeperClient()
			.getZooKeeper()
			.exists("/", false, (code, path, context, stat) -> response.complete(code), null);
		assertThat(response.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isZero();
	}

	/** As late as on a busy machine. */
	private void processLate(Watcher watcher, WatchedEvent event) {
		watcher.process(event);
		this.events.add(event.getState());
		if (event.getState() == KeeperState.Expired) {
			eventually().until(() -> this.client.getZookeeperClient().isConnected());
			watcher.process(new WatchedEvent(EventType.None, KeeperState.Closed, null));
			assertThat(this.client.getZookeeperClient().isConnected()).isFalse();
			this.late.set(Thread.currentThread());
			this.missed.complete(sessionId());
		}
	}

	private long sessionId() {
		try {
			return this.client.getZookeeperClient().getZooKeeper().getSessionId();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
