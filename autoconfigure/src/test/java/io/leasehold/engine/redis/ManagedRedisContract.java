package io.leasehold.engine.redis;

import java.util.Collection;

import io.leasehold.LockKey;
import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.SharedLockEngineContract;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterAll;

/**
 * The contract of {@link RedisLockEngine} on a server that rejects requests.
 */
abstract class ManagedRedisContract extends SharedLockEngineContract {

	private static RedisTestServer server;

	private static RedisClient client;

	private static RedisCommands<String, String> operator;

	/**
	 * Start a server.
	 * @param settings lines of its configuration
	 * @return its port
	 */
	static int start(String... settings) {
		server = RedisTestServer.start(settings);
		client = RedisClient.create(RedisURI.create("127.0.0.1", server.port()));
		operator = client.connect().sync();
		RedisEngines engines = new RedisEngines(server.port());
		engines.member(); // connects
		engines.close();
		return server.port();
	}

	@AfterAll
	static void stop() {
		client.shutdown();
		server.close();
	}

	@Override
	protected void lose(String namespace, LockKey key) {
		operator.del(RedisKeys.of(namespace, key).lock());
	}

	@Override
	protected Collection<String> residue(String namespace) {
		return RedisOpener.residue(operator.keys("*"), namespace);
	}

}
