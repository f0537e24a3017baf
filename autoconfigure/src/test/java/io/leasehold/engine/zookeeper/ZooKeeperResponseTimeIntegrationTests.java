package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.ZooKeeperTestServer;
import io.leasehold.test.contract.ResponseTimeContract;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.MovingClock;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Late responses of {@link ZooKeeperLockEngine}, and those of another connection.
 */
@Tag("full")
class ZooKeeperResponseTimeIntegrationTests extends ResponseTimeContract {

	private static final LockKey KEY = new LockKey("order:7");

	/** So long that it is the lease that ends first, however many responses there are. */
	private static final int SESSION = 30_000;

	private final ZooKeeperEngines engines = new ZooKeeperEngines();

	private final AtomicLong ahead = new AtomicLong();

	private FaultProxy proxy;

	private CuratorFramework client;

	/** What happens before the next reading of the engine's clock by the same thread. */
	private final ThreadLocal<Runnable> beforeReading = ThreadLocal.withInitial(() -> () -> {
	});

	@AfterEach
	void closeAll() throws Exception {
		this.engines.close();
	}

	@Override
	protected LockEngine connect(String namespace, Member member, MovingClock clock) {
		ZooKeeperLockEngine engine = open(namespace, clock);
		this.proxy.replies().beforeEach(clock::responded);
		return engine;
	}

	private ZooKeeperLockEngine open(String namespace, MonotonicClock clock) {
		TestingServer server = this.engines.server();
		this.proxy = this.engines.proxy(server);
		this.client = this.engines.client(this.proxy, SESSION);
		return ZooKeeperLockEngine.using(this.client,
				new ZooKeeperSettings(namespace, "/leasehold", Duration.ofSeconds(5), Duration.ofSeconds(1)), clock);
	}

	/**
	 * The connection breaks after the engine has taken it up and before its request is
	 * sent, so that the responses come through another one.
	 */
	@Fault(143)
	@Test
	void renewalThroughAnotherConnectionProvesNothing() {
		ZooKeeperLockEngine engine = open("another", this::read);
		Claim claim = this.engines.claim(KEY);
		Granted granted = ZooKeeperEngines.granted(engine, claim);
		this.beforeReading.set(this::reconnect);
		assertThat(ZooKeeperEngines.renew(engine, claim, granted)).isInstanceOf(RenewalOutcome.Unknown.class);
		assertThat(ZooKeeperEngines.renew(engine, claim, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	@Fault(143)
	@Test
	void grantReceivedThroughAnotherConnectionIsProvenAgain() {
		ZooKeeperLockEngine engine = open("another", this::read);
		Claim claim = this.engines.claim(KEY);
		this.engines.useOnce(engine, KEY);
		this.beforeReading.set(this::reconnect);
		ZooKeeperEngines.granted(engine, claim);
		assertThat(engine.inDoubt(claim)).isFalse();
	}

	private long read() {
		Runnable action = this.beforeReading.get();
		this.beforeReading.remove();
		action.run();
		return System.nanoTime() + this.ahead.get();
	}

	/** Its listener is called after the engine's. */
	private void reconnect() {
		CountDownLatch broken = new CountDownLatch(1);
		CountDownLatch connected = new CountDownLatch(1);
		this.client.getCuratorListenable().addListener((source, event) -> {
			if (event.getType() == CuratorEventType.WATCHED && event.getWatchedEvent().getPath() == null) {
				if (event.getWatchedEvent().getState() == KeeperState.Disconnected) {
					broken.countDown();
				}
				else if (event.getWatchedEvent().getState() == KeeperState.SyncConnected && broken.getCount() == 0) {
					connected.countDown();
				}
			}
		});
		this.proxy.reset();
		try {
			for (CountDownLatch latch : List.of(broken, connected)) {
				assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
