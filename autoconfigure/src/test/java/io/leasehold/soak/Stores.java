package io.leasehold.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.leasehold.engine.etcd.EtcdLockEngine;
import io.leasehold.engine.etcd.EtcdOperator;
import io.leasehold.engine.hazelcast.HazelcastStore;
import io.leasehold.engine.jdbc.JdbcLockEngine;
import io.leasehold.engine.redis.RedisLockEngine;
import io.leasehold.engine.redlock.RedlockLockEngine;
import io.leasehold.engine.redlock.RedlockTestMasters;
import io.leasehold.engine.zookeeper.ZooKeeperLockEngine;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.server.PostgresTestServer;
import io.leasehold.server.RedisTestServer;
import io.leasehold.server.ZooKeeperTestServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowCallbackHandler;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/**
 * The servers of a soak, and what an operator finds there.
 */
final class Stores implements AutoCloseable {

	static final String NAMESPACE = "soak";

	private static final String ZOOKEEPER_ROOT = "/leasehold/" + NAMESPACE;

	private final RedisTestServer redis = RedisTestServer.start();

	private final PostgresTestServer postgres = PostgresTestServer.start();

	private final TestingServer zookeeper = ZooKeeperTestServer.start();

	private final RedlockTestMasters masters = RedlockTestMasters.start(3);

	private final SoakHazelcast hazelcast = new SoakHazelcast();

	/** No Maven repository has it. */
	private final @Nullable EtcdTestServer etcd = Files.exists(Path.of("/usr/bin/etcd")) ? EtcdTestServer.start()
			: null;

	private final RedisClient redisClient = RedisClient.create(RedisURI.create("127.0.0.1", this.redis.port()));

	private final JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(this.postgres.url()));

	private final CuratorFramework zookeeperClient = ZooKeeperTestServer.connect(this.zookeeper.getConnectString());

	Stores() throws SQLException {
		try (Connection connection = DriverManager.getConnection(this.postgres.url())) {
			for (String script : List.of("engine/jdbc/migration/postgresql/R__leasehold_lock.sql",
					"transaction/migration/postgresql/R__leasehold_fence.sql")) {
				ScriptUtils.executeSqlScript(connection, new ClassPathResource("io/leasehold/" + script));
			}
		}
		this.jdbc.execute(FencedLedger.TABLE);
	}

	int postgresPort() {
		return this.postgres.port();
	}

	/** Return the ports of each engine's servers, by the name of the engine. */
	Map<String, List<Integer>> ports() {
		Map<String, List<Integer>> ports = new LinkedHashMap<>();
		ports.put(RedisLockEngine.NAME, List.of(this.redis.port()));
		ports.put(JdbcLockEngine.NAME, List.of(postgresPort()));
		ports.put(ZooKeeperLockEngine.NAME, List.of(this.zookeeper.getPort()));
		ports.put(RedlockLockEngine.NAME, this.masters.ports());
		ports.put(HazelcastStore.NAME, this.hazelcast.ports());
		if (this.etcd != null) {
			ports.put(EtcdLockEngine.NAME, List.of(this.etcd.port()));
		}
		return ports;
	}

	SoakHazelcast hazelcast() {
		return this.hazelcast;
	}

	/** URL of the database at a port, which may be that of a proxy. */
	static String postgresUrl(int port) {
		return "jdbc:postgresql://127.0.0.1:%d/postgres?user=postgres".formatted(port);
	}

	/** Take note of what the {@link FencedLedger} accepted. */
	void readLedger(Findings findings) {
		RowCallbackHandler accepted = (row) -> findings.accepted(row.getString(1), row.getString(2), row.getLong(3),
				row.getString(4));
		this.jdbc.query("SELECT engine, lock_key, token, id FROM ledger ORDER BY number", accepted);
	}

	/** What is left in the stores, beside what they remember for fencing tokens alone. */
	List<String> residue() throws Exception {
		List<String> found = new ArrayList<>();
		try (StatefulRedisConnection<String, String> operator = this.redisClient.connect()) {
			operator.sync()
				.keys(NAMESPACE + ":*")
				.stream()
				.filter((name) -> !name.endsWith(":fence"))
				.forEach(found::add);
		}
		found.addAll(this.jdbc.queryForList("SELECT lock_key || ' in leasehold_lock' FROM leasehold_lock "
				+ "WHERE owner IS NOT NULL OR shared_until > 0", String.class));
		found.addAll(this.jdbc.queryForList("SELECT owner || ' in leasehold_lock_holder' FROM leasehold_lock_holder",
				String.class));
		this.zookeeperClient.sync().forPath(ZOOKEEPER_ROOT);
		for (String key : this.zookeeperClient.getChildren().forPath(ZOOKEEPER_ROOT)) {
			found.addAll(children(ZOOKEEPER_ROOT + "/" + key));
		}
		// A marker of an ended claim expires after about a minute
		this.masters.residue(NAMESPACE).stream().filter((name) -> !name.contains(":ended:")).forEach(found::add);
		found.addAll(this.hazelcast.residue());
		if (this.etcd != null) {
			found.addAll(EtcdOperator.residue(this.etcd.url(), NAMESPACE));
		}
		return found;
	}

	/** The server removes empty containers at any moment. */
	private List<String> children(String container) throws Exception {
		try {
			return this.zookeeperClient.getChildren().forPath(container);
		}
		catch (KeeperException.NoNodeException ex) {
			return List.of();
		}
	}

	@Override
	public void close() throws IOException {
		this.zookeeperClient.close();
		this.redisClient.shutdown();
		if (this.etcd != null) {
			this.etcd.close();
		}
		this.hazelcast.close();
		this.masters.close();
		this.zookeeper.close();
		this.postgres.close();
		this.redis.close();
	}

}
