package io.leasehold.soak;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.hazelcast.core.HazelcastInstance;
import io.leasehold.LockEngineException;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.cas.BoundedStore;
import io.leasehold.engine.cas.CasLockEngine;
import io.leasehold.engine.cas.CasSettings;
import io.leasehold.engine.cas.CompareAndSetStore;
import io.leasehold.engine.etcd.EtcdConnection;
import io.leasehold.engine.etcd.EtcdLockEngine;
import io.leasehold.engine.etcd.EtcdSettings;
import io.leasehold.engine.hazelcast.HazelcastStore;
import io.leasehold.engine.jdbc.JdbcConnections;
import io.leasehold.engine.jdbc.JdbcLockEngine;
import io.leasehold.engine.jdbc.JdbcSettings;
import io.leasehold.engine.memcached.MemcachedStore;
import io.leasehold.engine.redis.RedisLockEngine;
import io.leasehold.engine.redis.RedisSettings;
import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.engine.redis.connection.Login;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.RedisConnections;
import io.leasehold.engine.redlock.RedlockLockEngine;
import io.leasehold.engine.redlock.RedlockSettings;
import io.leasehold.engine.zookeeper.ZooKeeperLockEngine;
import io.leasehold.engine.zookeeper.ZooKeeperSettings;
import io.leasehold.server.ZooKeeperTestServer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;
import org.awaitility.Awaitility;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * The engines of a soak, as a JVM of it connects them: with leases as short as they go.
 */
final class SoakEngines {

	/** Shorter than many pauses of a soak. */
	static final Duration LEASE = Duration.ofMillis(1500);

	private static final Duration CALL = Duration.ofMillis(500);

	private static final Duration CAS_CALL = LEASE.dividedBy(4);

	private static final Duration CAS_RETENTION = Duration.ofHours(1);

	private static final Duration FENCING_RETENTION = Duration.ofMinutes(1);

	private SoakEngines() {
	}

	/** Connect one engine for each store. */
	static List<LockEngine> open(Orders orders, Member member) {
		List<LockEngine> engines = new ArrayList<>();
		orders.networks().forEach((engine, ports) -> engines.add(switch (engine) {
			case RedisLockEngine.NAME -> redis(ports.get(0), member);
			case JdbcLockEngine.NAME -> jdbc(ports.get(0));
			case ZooKeeperLockEngine.NAME -> zookeeper(ports.get(0));
			case EtcdLockEngine.NAME -> etcd(ports.get(0));
			case RedlockLockEngine.NAME -> redlock(ports);
			case MemcachedStore.NAME -> memcached(ports);
			case HazelcastStore.NAME -> hazelcast(SoakHazelcastClient.open(orders.members(), ports));
			default -> throw new IllegalArgumentException(engine);
		}));
		return engines;
	}

	private static LockEngine redis(int port, Member member) {
		RedisSettings settings = new RedisSettings(Stores.NAMESPACE, CALL, Duration.ofMillis(1200), CALL, CALL, CALL,
				Duration.ofSeconds(5), FENCING_RETENTION, 0);
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("127.0.0.1", port);
		server.setUsername(Account.USER);
		server.setPassword(Account.PASSWORD);
		return new RedisLockEngine(
				RedisConnections.by(new LettuceConnector(LettuceTransport.PLAIN, settings.commandTimeout()), server,
						settings.commandTimeout()),
				settings, member, MonotonicClock.SYSTEM);
	}

	private static LockEngine jdbc(int port) {
		JdbcSettings settings = new JdbcSettings(Stores.NAMESPACE, JdbcSettings.DEFAULT_TABLE, CALL,
				Duration.ofMillis(5), Duration.ofMillis(200), FENCING_RETENTION, true);
		JdbcLockEngine engine = new JdbcLockEngine(
				JdbcConnections.open("jdbc:postgresql://127.0.0.1:%d/postgres".formatted(port), null, Account.USER,
						Account.PASSWORD, 4, CALL),
				settings, MonotonicClock.SYSTEM);
		// The password may be wrong for a moment, which fails the start of an application
		Awaitility.await()
			.pollInSameThread()
			.ignoreExceptionsInstanceOf(LockEngineException.class)
			.atMost(Duration.ofMinutes(3))
			.until(() -> {
				engine.start();
				return true;
			});
		return engine;
	}

	private static LockEngine zookeeper(int port) {
		CuratorFramework client = CuratorFrameworkFactory.newClient("127.0.0.1:" + port,
				ZooKeeperTestServer.SESSION_MILLIS, 2000, new RetryForever(100));
		return ZooKeeperLockEngine.owning(client, Duration.ZERO,
				new ZooKeeperSettings(Stores.NAMESPACE, "/leasehold", CALL, Duration.ofSeconds(1)),
				MonotonicClock.SYSTEM);
	}

	/** With the shortest session that the server admits. */
	private static LockEngine etcd(int port) {
		EtcdConnection connection = new EtcdConnection(List.of(URI.create("http://127.0.0.1:" + port)), Account.USER,
				Account.PASSWORD, null);
		return new EtcdLockEngine(connection,
				new EtcdSettings(Stores.NAMESPACE, Duration.ofSeconds(2), CALL, Duration.ofSeconds(1)),
				MonotonicClock.SYSTEM);
	}

	private static LockEngine redlock(List<Integer> ports) {
		RedlockSettings settings = new RedlockSettings(Stores.NAMESPACE, CALL, Duration.ofMillis(200), Duration.ZERO,
				FENCING_RETENTION);
		return new RedlockLockEngine(new LettuceConnector(LettuceTransport.PLAIN, CALL),
				ports.stream().map((port) -> new Node("127.0.0.1", port)).toList(),
				() -> new Login(Account.USER, Account.PASSWORD.toCharArray(), 0), settings, MonotonicClock.SYSTEM);
	}

	private static LockEngine hazelcast(HazelcastInstance client) {
		return cas(HazelcastStore.NAME, new BoundedStore(HazelcastStore.NAME,
				HazelcastStore.open(client, SoakHazelcast.MAP, CAS_RETENTION), CAS_CALL));
	}

	private static LockEngine memcached(List<Integer> ports) {
		return cas(MemcachedStore.NAME, MemcachedStore.connect(SoakMemcached.addresses(ports), CAS_CALL));
	}

	private static LockEngine cas(String name, CompareAndSetStore store) {
		return new CasLockEngine(name, store, new CasSettings(Stores.NAMESPACE, CAS_CALL, Duration.ofMillis(5),
				Duration.ofMillis(200), CAS_RETENTION), MonotonicClock.SYSTEM);
	}

}
