package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome.Contradicted;
import io.leasehold.engine.Claim;
import io.leasehold.test.contract.Claims;
import io.leasehold.test.contract.Fault;
import org.apache.curator.drivers.AdvancedTracerDriver;
import org.apache.curator.drivers.EventTrace;
import org.apache.curator.drivers.OperationTrace;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.leasehold.engine.zookeeper.ZooKeeperEngines.eventually;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.granted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Removals of nodes for which the client has no permission.
 */
class ZooKeeperRefusedRemovalIntegrationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final String CONTAINER = "/leasehold/faults/order:42";

	private final ZooKeeperEngines engines = new ZooKeeperEngines();

	private final List<Long> removals = new CopyOnWriteArrayList<>();

	@AfterEach
	void close() throws Exception {
		this.engines.close();
	}

	@Test
	void removalIsRepeatedAfterPausesUntilItIsPermitted() throws Exception {
		CuratorFramework client = this.engines.client(this.engines.server().getConnectString());
		ZooKeeperLockEngine engine = this.engines.engine(client);
		Claim claim = this.engines.claim(KEY, Duration.ofSeconds(4));
		granted(engine, claim);
		permit(client, ZooDefs.Perms.ALL & ~ZooDefs.Perms.DELETE);
		recordRemovals(client);
		eventually().until(() -> this.removals.size() >= 5);
		assertThat(Duration.ofNanos(this.removals.get(4) - this.removals.get(0))).isGreaterThan(Duration.ofSeconds(2));
		permit(client, ZooDefs.Perms.ALL);
		eventually().until(() -> client.getChildren().forPath(CONTAINER).isEmpty());
	}

	/** The operator removes the node as a request without a response would. */
	@Fault(11)
	@Test
	void contradictedClaimWhoseRemovalFailedIsContradictedAgain() throws Exception {
		CuratorFramework client = this.engines.client(this.engines.server().getConnectString());
		ZooKeeperLockEngine engine = this.engines.engine(client);
		Claim holder = this.engines.claim(KEY, "2");
		granted(engine, holder);
		List<String> held = client.getChildren().forPath(CONTAINER);
		Claim claim = Claims.waiting(this.engines.claim(KEY, "3"));
		permit(client, ZooDefs.Perms.ALL & ~ZooDefs.Perms.DELETE);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim));
		permit(client, ZooDefs.Perms.ALL);
		for (String node : client.getChildren().forPath(CONTAINER)) {
			if (!held.contains(node)) {
				client.delete().forPath(CONTAINER + "/" + node);
			}
		}
		assertThat(engine.tryAcquire(claim)).isEqualTo(new Contradicted(Access.permits(2)));
		assertThat(client.getChildren().forPath(CONTAINER)).isEqualTo(held);
		engine.release(holder);
		assertThat(engine.liveClaims()).isZero();
	}

	private static void permit(CuratorFramework client, int permissions) throws Exception {
		client.setACL().withACL(List.of(new ACL(permissions, new Id("world", "anyone")))).forPath(CONTAINER);
	}

	private void recordRemovals(CuratorFramework client) {
		client.getZookeeperClient().setTracerDriver(new AdvancedTracerDriver() {
			@Override
			public void addTrace(OperationTrace trace) {
				if (trace.getName().startsWith("DeleteBuilderImpl")) {
					ZooKeeperRefusedRemovalIntegrationTests.this.removals.add(System.nanoTime());
				}
			}

			@Override
			public void addEvent(EventTrace trace) {
			}
		});
	}

}
