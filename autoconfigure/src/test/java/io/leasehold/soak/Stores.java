package io.leasehold.soak;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.leasehold.engine.etcd.EtcdLockEngine;
import io.leasehold.engine.hazelcast.HazelcastStore;
import io.leasehold.engine.jdbc.JdbcLockEngine;
import io.leasehold.engine.memcached.MemcachedStore;
import io.leasehold.engine.redis.RedisLockEngine;
import io.leasehold.engine.redlock.RedlockLockEngine;
import io.leasehold.engine.redlock.RedlockTestMasters;
import io.leasehold.engine.zookeeper.ZooKeeperLockEngine;
import io.leasehold.server.FaultProxy;
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

	private final RedlockTestMasters masters = RedlockTestMasters.start(3);

	private final SoakHazelcast hazelcast = new SoakHazelcast();

	private final SoakMemcached memcached = new SoakMemcached();

	private final SoakEtcd etcd = new SoakEtcd();

	private final RedisClient redisClient = RedisClient.create(RedisURI.create("127.0.0.1", this.redis.port()));

	private final JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(this.postgres.url()));

	private final CuratorFramework zookeeperClient = ZooKeeperTestServer.connect(this.zookeeper.getConnectString());

	private final Account redisAccount = Account.redis(this.redisClient, List.of(this.redis.port()));

	private final Account redlockAccount = Account.redis(this.redisClient, this.masters.ports());

	private final Account postgresAccount = Account.postgres(this.jdbc);

	Stores() throws Exception {
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

	/** Return the engines whose stores these are. */
	static Set<String> engines() {
		return Set.of(RedisLockEngine.NAME, JdbcLockEngine.NAME, ZooKeeperLockEngine.NAME, EtcdLockEngine.NAME,
				RedlockLockEngine.NAME, HazelcastStore.NAME, MemcachedStore.NAME);
	}

	/** Create networks of a JVM to the servers of each engine, by its name. */
	Map<String, List<FaultProxy>> networks() {
		Map<String, List<FaultProxy>> networks = new LinkedHashMap<>();
		networks.put(RedisLockEngine.NAME, List.of(FaultProxy.to(this.redis.port())));
		networks.put(JdbcLockEngine.NAME, List.of(FaultProxy.to(postgresPort())));
		networks.put(ZooKeeperLockEngine.NAME, List.of(FaultProxy.to(this.zookeeper.getPort())));
		networks.put(EtcdLockEngine.NAME, List.of(this.etcd.network()));
		networks.put(RedlockLockEngine.NAME, networks(this.masters.ports()));
		networks.put(HazelcastStore.NAME, networks(this.hazelcast.ports()));
		networks.put(MemcachedStore.NAME, this.memcached.networks());
		return networks;
	}

	private static List<FaultProxy> networks(List<Integer> ports) {
		return ports.stream().map(FaultProxy::to).toList();
	}

	SoakHazelcast hazelcast() {
		return this.hazelcast;
	}

	SoakMemcached memcached() {
		return this.memcached;
	}

	SoakEtcd etcd() {
		return this.etcd;
	}

	Account redisAccount() {
		return this.redisAccount;
	}

	Account redlockAccount() {
		return this.redlockAccount;
	}

	Account postgresAccount() {
		return this.postgresAccount;
	}

	/** Take note of when some stores promised less. */
	void exempt(Findings findings) {
		findings.exempt(HazelcastStore.NAME, this.hazelcast.splits());
		findings.exempt(MemcachedStore.NAME, this.memcached.restarts());
		findings.exempt(EtcdLockEngine.NAME, this.etcd.returns());
	}

	/** URL of the database at a port, which may be that of a proxy. */
	static String postgresUrl(int port) {
		return "jdbc:postgresql://127.0.0.1:%d/postgres?user=postgres".formatted(port);
	}

	/** Take note of what the {@link FencedLedger} accepted. */
	void readLedger(Findings findings) {
		RowCallbackHandler accepted = (row) -> findings.accepted(row.getString(1), row.getString(2), row.getLong(3),
				row.getString(4), row.getLong(5), row.getLong(6));
		this.jdbc.query("SELECT engine, lock_key, token, id, number, read FROM ledger ORDER BY number", accepted);
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
		found.addAll(this.memcached.residue());
		found.addAll(this.etcd.residue());
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
		this.etcd.close();
		this.memcached.close();
		this.hazelcast.close();
		this.masters.close();
		this.zookeeper.close();
		this.postgres.close();
		this.redis.close();
	}

}
