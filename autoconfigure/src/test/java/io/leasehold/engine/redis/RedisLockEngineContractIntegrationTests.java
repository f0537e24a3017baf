package io.leasehold.engine.redis;

import java.util.Collection;

import io.leasehold.LockKey;
import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.EngineAddress;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.SharedLockEngineContract;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * The contract, kept by {@link RedisLockEngine} on a single server.
 */
@Fault(194)
class RedisLockEngineContractIntegrationTests extends SharedLockEngineContract {

	private static RedisClient client;

	private static StatefulRedisConnection<String, String> operator;

	@BeforeAll
	static void connect() {
		client = RedisClient.create(RedisURI.create("127.0.0.1", RedisTestServer.shared().port()));
		operator = client.connect();
		RedisEngines engines = new RedisEngines(RedisTestServer.shared().port());
		engines.member(); // connects
		engines.close();
	}

	@AfterAll
	static void disconnect() {
		client.shutdown();
	}

	@Override
	protected EngineAddress address() {
		return RedisOpener.single(RedisTestServer.shared().port());
	}

	@Override
	protected void lose(String namespace, LockKey key) {
		operator.sync().del(RedisKeys.of(namespace, key).lock());
	}

	@Override
	protected Collection<String> residue(String namespace) {
		return RedisOpener.residue(ScanIterator.scan(operator.sync()).stream().toList(), namespace);
	}

}
