package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

import io.leasehold.engine.DisturbanceContract;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.ZooKeeperTestServer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * Disturbances of an ensemble behind one address, which is balanced over its members.
 */
@Tag("full")
class ZooKeeperDisturbancesIntegrationTests extends DisturbanceContract {

	private final ZooKeeperEngines engines = new ZooKeeperEngines();

	private final List<InstanceSpec> specs = Stream.generate(ZooKeeperTestServer::spec).limit(3).toList();

	private final TestingCluster ensemble = this.engines.open(new TestingCluster(this.specs));

	private final FaultProxy network = this.engines.open(FaultProxy.to(this.specs.get(0).getPort()));

	private CuratorFramework operator;

	@BeforeAll
	void start() throws Exception {
		this.ensemble.start();
		this.network.redirect(this.specs.stream().mapToInt(InstanceSpec::getPort).toArray());
		this.operator = this.engines.client(this.ensemble.getConnectString());
	}

	@AfterAll
	void stop() throws Exception {
		this.engines.close();
	}

	@Override
	protected Stream<Disturbance> disturbances() {
		return Stream.of(
				new Disturbance("connection moves between members", false, 20, (namespace) -> this.network.reset(),
						(namespace) -> this.network.reset()),
				new Disturbance("the member in use hangs", false, 2, (namespace) -> this.network.strandRequests(),
						(namespace) -> this.network.reset()),
				new Disturbance("emptied", true, 20, this::empty, (namespace) -> {
				}),
				new Disturbance("no permission to create a key", false, 20,
						(namespace) -> permit(namespace, ZooDefs.Perms.READ | ZooDefs.Perms.ADMIN),
						(namespace) -> permit(namespace, ZooDefs.Perms.ALL)));
	}

	private void permit(String namespace, int permissions) throws Exception {
		this.operator.setACL()
			.withACL(List.of(new ACL(permissions, ZooDefs.Ids.ANYONE_ID_UNSAFE)))
			.forPath(root(namespace));
	}

	@Override
	protected List<FaultProxy> networks() {
		return List.of(this.network);
	}

	@Override
	protected LockEngine open(String namespace, Member member, boolean disturbed) {
		CuratorFramework client = this.engines
			.client(disturbed ? "127.0.0.1:" + this.network.port() : this.ensemble.getConnectString());
		return ZooKeeperLockEngine.using(client,
				new ZooKeeperSettings(namespace, "/leasehold", Duration.ofSeconds(4), Duration.ofSeconds(1)),
				MonotonicClock.SYSTEM);
	}

	private static String root(String namespace) {
		return "/leasehold/" + NodePaths.escape(namespace);
	}

	@Override
	protected void empty(String namespace) throws Exception {
		try {
			this.operator.delete().deletingChildrenIfNeeded().forPath(root(namespace));
		}
		catch (KeeperException.NoNodeException ex) {
			// nothing was locked yet
		}
	}

	@Override
	protected Collection<String> residue(String namespace) throws Exception {
		List<String> nodes = new ArrayList<>();
		try {
			for (String key : this.operator.getChildren().forPath(root(namespace))) {
				nodes.addAll(this.operator.getChildren().forPath(root(namespace) + "/" + key));
			}
		}
		catch (KeeperException.NoNodeException ex) {
			return nodes;
		}
		return nodes;
	}

}
