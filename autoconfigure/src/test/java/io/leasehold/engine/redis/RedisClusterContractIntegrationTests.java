package io.leasehold.engine.redis;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

import io.leasehold.LockKey;
import io.leasehold.server.RedisTestCluster;
import io.leasehold.test.contract.EngineAddress;
import io.leasehold.test.contract.SharedLockEngineContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * The contract, kept by {@link RedisLockEngine} on a cluster.
 */
@Tag("full")
class RedisClusterContractIntegrationTests extends SharedLockEngineContract {

	private static RedisTestCluster cluster;

	@BeforeAll
	static void start() {
		cluster = RedisTestCluster.start();
		RedisEngines engines = new RedisEngines(cluster.ports().get(0));
		engines.warm(RedisOpener.clusterAt(cluster.ports()));
		engines.close();
	}

	@AfterAll
	static void stop() {
		cluster.close();
	}

	@Override
	protected EngineAddress address() {
		return RedisOpener.cluster(cluster.ports());
	}

	@Override
	protected void lose(String namespace, LockKey key) {
		String lock = RedisKeys.of(namespace, key).lock();
		cluster.operator(cluster.masterOf(lock)).del(lock);
	}

	@Override
	protected Collection<String> residue(String namespace) {
		List<String> names = Stream.of(0, 1, 2).flatMap((node) -> cluster.operator(node).keys("*").stream()).toList();
		return RedisOpener.residue(names, namespace);
	}

}
