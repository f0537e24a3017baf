package io.leasehold.engine.zookeeper;

import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.test.contract.Claims;
import io.leasehold.test.contract.Fault;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.curator.test.TestingServer;
import org.apache.curator.utils.DefaultZookeeperFactory;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link ZooKeeperLockEngine} in a process that can create no thread at the moment in
 * which its session has ended, and its client needs another one.
 */
class ZooKeeperThreadsIntegrationTests {

	private final ZooKeeperEngines engines = new ZooKeeperEngines();

	private final TestingServer server = this.engines.server();

	private final AtomicInteger refused = new AtomicInteger();

	private volatile boolean exhausted;

	@AfterEach
	void close() throws Exception {
		this.engines.close();
	}

	@Fault(185)
	@Test
	void momentWithoutAThreadEndsNeitherLocksNorNotifications() throws Exception {
		CuratorFramework client = this.engines.open(CuratorFrameworkFactory.builder()
			.connectString(this.server.getConnectString())
			.sessionTimeoutMs(ZooKeeperEngines.LONG_SESSION)
			.retryPolicy(new ExponentialBackoffRetry(100, 3))
			.zookeeperFactory(new Exhausted())
			.build());
		client.start();
		ZooKeeperLockEngine engine = this.engines.patientEngine(client);
		ZooKeeperLockEngine other = this.engines
			.patientEngine(this.engines.client(this.server.getConnectString(), ZooKeeperEngines.LONG_SESSION));
		LockKey key = new LockKey("order:42");
		Claim lost = this.engines.claim(key);
		ZooKeeperEngines.granted(engine, lost);
		this.exhausted = true;
		end(client.getZookeeperClient().getZooKeeper());
		ZooKeeperEngines.eventually().alias("threads refused").until(() -> this.refused.get() > 0);
		this.exhausted = false;
		ZooKeeperEngines.eventually().alias("reported as lost").until(() -> engine.inDoubt(lost));
		Claim holder = this.engines.claim(key);
		ZooKeeperEngines.eventually()
			.alias("granted to another")
			.until(() -> other.tryAcquire(holder) instanceof Granted);
		Claim waiting = Claims.waiting(this.engines.claim(key));
		ZooKeeperEngines.eventually()
			.alias("connected again")
			.ignoreExceptions()
			.until(() -> engine.tryAcquire(waiting) instanceof Busy);
		AtomicInteger signals = new AtomicInteger();
		this.engines.open(engine.subscribe(waiting, (signal) -> signals.incrementAndGet()));
		other.release(holder);
		ZooKeeperEngines.eventually().alias("notified of its turn").until(() -> signals.get() > 0);
		assertThat(engine.tryAcquire(waiting)).isInstanceOf(Granted.class);
	}

	/** End a session at the server. */
	@SuppressWarnings("try")
	private void end(ZooKeeper session) throws Exception {
		try (ZooKeeper same = new ZooKeeper(this.server.getConnectString(), session.getSessionTimeout(), (event) -> {
		}, session.getSessionId(), session.getSessionPasswd())) {
			ZooKeeperEngines.eventually().until(() -> same.getState().isConnected());
		}
	}

	/**
	 * Factory of clients, each of which needs two threads.
	 */
	private final class Exhausted implements ZookeeperFactory {

		private final ZookeeperFactory threads = new DefaultZookeeperFactory();

		@Override
		public ZooKeeper newZooKeeper(String connectString, int sessionTimeout, Watcher watcher, boolean canBeReadOnly)
				throws Exception {
			if (ZooKeeperThreadsIntegrationTests.this.exhausted) {
				ZooKeeperThreadsIntegrationTests.this.refused.incrementAndGet();
				throw new OutOfMemoryError("unable to create native thread");
			}
			return this.threads.newZooKeeper(connectString, sessionTimeout, watcher, canBeReadOnly);
		}

	}

}
