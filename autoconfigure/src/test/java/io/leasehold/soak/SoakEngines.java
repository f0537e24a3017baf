package io.leasehold.soak;

import java.time.Duration;
import java.util.List;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.jdbc.JdbcConnections;
import io.leasehold.engine.jdbc.JdbcLockEngine;
import io.leasehold.engine.jdbc.JdbcSettings;
import io.leasehold.engine.redis.RedisLockEngine;
import io.leasehold.engine.redis.RedisSettings;
import io.leasehold.engine.redis.connection.RedisConnections;
import io.leasehold.engine.zookeeper.ZooKeeperLockEngine;
import io.leasehold.engine.zookeeper.ZooKeeperSettings;
import io.leasehold.server.ZooKeeperTestServer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * The engines of a soak, as a JVM of it connects them: with leases as short as they go.
 */
final class SoakEngines {

	/** Shorter than many pauses of a soak. */
	static final Duration LEASE = Duration.ofMillis(1500);

	private static final Duration CALL = Duration.ofMillis(500);

	private static final Duration FENCING_RETENTION = Duration.ofMinutes(1);

	private SoakEngines() {
	}

	/** Connect one engine for each store. */
	static List<LockEngine> open(Orders orders, Member member) {
		return List.of(redis(orders.redis(), member), jdbc(orders.jdbc()), zookeeper(orders.zookeeper()));
	}

	private static LockEngine redis(int port, Member member) {
		RedisSettings settings = new RedisSettings(Stores.NAMESPACE, CALL, Duration.ofMillis(1200), CALL, CALL, CALL,
				Duration.ofSeconds(5), FENCING_RETENTION, 0);
		return new RedisLockEngine(RedisConnections.byLettuce(new RedisStandaloneConfiguration("127.0.0.1", port), null,
				null, settings.commandTimeout()), settings, member, MonotonicClock.SYSTEM);
	}

	private static LockEngine jdbc(int port) {
		JdbcSettings settings = new JdbcSettings(Stores.NAMESPACE, JdbcSettings.DEFAULT_TABLE, CALL,
				Duration.ofMillis(5), Duration.ofMillis(200), FENCING_RETENTION, true);
		String url = Stores.postgresUrl(port);
		JdbcLockEngine engine = new JdbcLockEngine(JdbcConnections.open(url, null, null, null, 4, CALL), settings,
				MonotonicClock.SYSTEM);
		engine.start();
		return engine;
	}

	private static LockEngine zookeeper(int port) {
		CuratorFramework client = CuratorFrameworkFactory.newClient("127.0.0.1:" + port,
				ZooKeeperTestServer.SESSION_MILLIS, 2000, new RetryForever(100));
		return ZooKeeperLockEngine.owning(client,
				new ZooKeeperSettings(Stores.NAMESPACE, "/leasehold", CALL, Duration.ofSeconds(1)),
				MonotonicClock.SYSTEM);
	}

}
