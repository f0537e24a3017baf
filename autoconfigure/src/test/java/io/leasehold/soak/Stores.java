package io.leasehold.soak;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import io.leasehold.server.PostgresTestServer;
import io.leasehold.server.RedisTestServer;
import io.leasehold.server.ZooKeeperTestServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.KeeperException;

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

	int redisPort() {
		return this.redis.port();
	}

	int postgresPort() {
		return this.postgres.port();
	}

	int zookeeperPort() {
		return this.zookeeper.getPort();
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
		this.zookeeper.close();
		this.postgres.close();
		this.redis.close();
	}

}
