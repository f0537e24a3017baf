package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;

import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.server.ZooKeeperTestServer;
import io.leasehold.test.contract.Parallel;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.leasehold.engine.zookeeper.ZooKeeperEngines.granted;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server that removes empty containers every millisecond, also between the requests of
 * an acquisition.
 */
@Tag("full")
class ZooKeeperRemovedContainersIntegrationTests {

	private final ZooKeeperEngines engines = new ZooKeeperEngines();

	@AfterEach
	void close() throws Exception {
		this.engines.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/leasehold", "/locks/of/all" })
	void lockIsAcquiredWhicheverContainerIsRemoved(String basePath) throws Exception {
		TestingServer server = this.engines.open(ZooKeeperTestServer.removingContainersEvery(Duration.ofMillis(1)));
		List<Callable<?>> tasks = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			CuratorFramework client = this.engines.client(server.getConnectString(), ZooKeeperEngines.LONG_SESSION);
			ZooKeeperLockEngine engine = engine(client, basePath);
			LockKey key = new LockKey("order:" + i);
			tasks.add(() -> {
				Set<Long> containers = new HashSet<>();
				for (int round = 0; round < 300 || containers.size() == 1 && round < 3_000; round++) {
					Claim claim = this.engines.claim(key);
					granted(engine, claim);
					containers.add(client.checkExists().forPath(basePath + "/faults/" + key).getCzxid());
					assertThat(engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
				}
				assertThat(containers).as("ids of the container").hasSizeGreaterThan(1);
				return null;
			});
		}
		Parallel.run(tasks);
	}

	/** A base path is created one node after the other. */
	@Test
	@SuppressWarnings("try")
	void parentThatIsRemovedBeforeItsChildIsCreatedIsCreatedAgain() {
		TestingServer server = this.engines.server();
		AtomicBoolean removes = new AtomicBoolean(true);
		CuratorFramework client = this.engines.open(CuratorFrameworkFactory.builder()
			.connectString(server.getConnectString())
			.sessionTimeoutMs(ZooKeeperEngines.LONG_SESSION)
			.retryPolicy(new RetryForever(100))
			.zookeeperFactory((servers, timeout, watcher, readOnly) -> new ZooKeeper(servers, timeout, watcher) {
				@Override
				public String create(String path, byte[] data, List<ACL> acl, CreateMode mode)
						throws KeeperException, InterruptedException {
					if (path.equals("/locks/of") && removes.getAndSet(false)) {
						delete("/locks", -1);
					}
					return super.create(path, data, acl, mode);
				}
			})
			.build());
		client.start();
		granted(engine(client, "/locks/of/all"), this.engines.claim(new LockKey("order:42")));
		assertThat(removes).as("a parent is still to be removed").isFalse();
	}

	private ZooKeeperLockEngine engine(CuratorFramework client, String basePath) {
		return this.engines.open(ZooKeeperLockEngine.using(client,
				new ZooKeeperSettings("faults", basePath, Duration.ofSeconds(20), Duration.ofSeconds(1)),
				MonotonicClock.SYSTEM));
	}

}
