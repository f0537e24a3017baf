package io.leasehold.benchmark.contender;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * Those who lock on Redis, by name, each made from the server's address.
 */
final class RedisContenders {

	private static final String NAMESPACE = "benchmark";

	private RedisContenders() {
	}

	static Map<String, Function<String, Contender>> all() {
		Map<String, Function<String, Contender>> all = new LinkedHashMap<>();
		all.put(Contenders.BARE, BareRedis::new);
		all.put(Contenders.QUEUE, (address) -> new LocalQueue(new BareRedis(address)));
		all.put(Contenders.LEASEHOLD, (address) -> leasehold(address, "0s"));
		all.put("leasehold-linger", (address) -> leasehold(address, "30s"));
		all.put("redisson-watchdog", RedissonContender::watchdog);
		all.put("redisson-lease", RedissonContender::lease);
		all.put("redisson-fair", RedissonContender::fair);
		all.put("spring-integration-spin", (address) -> registry(address, RedisLockType.SPIN_LOCK));
		all.put("spring-integration-pubsub", (address) -> registry(address, RedisLockType.PUB_SUB_LOCK));
		all.put("shedlock", (address) -> shedLock(address, false));
		all.put("shedlock-safe", (address) -> shedLock(address, true));
		return all;
	}

	private static Contender leasehold(String address, String linger) {
		// The contenders of a run would recall locks from each other
		String namespace = "linger-" + linger;
		return LeaseholdContender.withoutDatabase("redis", Map.of("spring.data.redis.url", "redis://" + address,
				"leasehold.namespace", namespace, "leasehold.linger", linger));
	}

	private static Contender registry(String address, RedisLockType type) {
		LettuceConnectionFactory connections = connections(address);
		RedisLockRegistry registry = new RedisLockRegistry(connections, NAMESPACE, Leases.LEASE.toMillis());
		registry.setRedisLockType(type);
		return new RegistryContender(registry, () -> {
			registry.destroy();
			connections.destroy();
		});
	}

	private static Contender shedLock(String address, boolean safeUpdate) {
		LettuceConnectionFactory connections = connections(address);
		return new ShedLockContender(
				new RedisLockProvider.Builder(connections).environment(NAMESPACE).safeUpdate(safeUpdate).build(),
				connections::destroy);
	}

	private static LettuceConnectionFactory connections(String address) {
		String[] parts = address.split(":");
		LettuceConnectionFactory connections = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(parts[0], Integer.parseInt(parts[1])));
		connections.afterPropertiesSet();
		connections.start();
		return connections;
	}

}
