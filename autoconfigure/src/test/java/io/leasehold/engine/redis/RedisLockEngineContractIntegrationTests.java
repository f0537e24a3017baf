package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.test.EngineAddress;
import io.leasehold.test.RedisTestServer;
import io.leasehold.test.SharedLockEngineContract;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * The contract, kept by {@link RedisLockEngine} on a single server.
 */
class RedisLockEngineContractIntegrationTests extends SharedLockEngineContract {

	private static RedisClient client;

	private static StatefulRedisConnection<String, String> operator;

	@BeforeAll
	static void connect() {
		client = RedisClient.create(RedisURI.create("127.0.0.1", RedisTestServer.shared().port()));
		operator = client.connect();
	}

	@AfterAll
	static void disconnect() {
		client.shutdown();
	}

	@Override
	protected EngineAddress address() {
		return new EngineAddress(Opener.class, List.of(Integer.toString(RedisTestServer.shared().port())));
	}

	@Override
	protected void lose(String namespace, LockKey key) {
		operator.sync().del(RedisKeys.of(namespace, key).lock());
	}

	@Override
	protected Collection<String> residue(String namespace) {
		return operator.sync()
			.keys("*")
			.stream()
			.filter((name) -> name.startsWith(namespace) && !name.endsWith(":fence"))
			.toList();
	}

	/**
	 * Connects to a server by its port.
	 */
	public static final class Opener implements EngineAddress.Opener {

		@Override
		public LockEngine open(String namespace, Member member, List<String> arguments) {
			RedisSettings settings = new RedisSettings(namespace, Duration.ofSeconds(1), Duration.ofSeconds(3),
					Duration.ofMillis(500), Duration.ofMillis(500), Duration.ofSeconds(1), Duration.ofSeconds(20),
					Duration.ofMinutes(1));
			return new RedisLockEngine(RedisConnections
				.to(new RedisStandaloneConfiguration("127.0.0.1", Integer.parseInt(arguments.get(0))), null, settings),
					settings, member, MonotonicClock.SYSTEM);
		}

	}

}
