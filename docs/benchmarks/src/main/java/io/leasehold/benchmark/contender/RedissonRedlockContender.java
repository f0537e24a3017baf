package io.leasehold.benchmark.contender;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.redisson.Redisson;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson's {@code RedissonRedLock}, with a lease. It is deprecated there.
 */
final class RedissonRedlockContender implements Contender {

	private final List<RedissonClient> clients;

	RedissonRedlockContender(String addresses) {
		this.clients = Arrays.stream(addresses.split(",")).map((address) -> {
			Config config = new Config();
			config.useSingleServer().setAddress("redis://" + address);
			return Redisson.create(config);
		}).toList();
	}

	@Override
	@SuppressWarnings("deprecation")
	public Held acquire(String key) {
		RLock lock = new RedissonRedLock(
				this.clients.stream().map((client) -> client.getLock(key)).toArray(RLock[]::new));
		lock.lock(Leases.LEASE.toMillis(), TimeUnit.MILLISECONDS);
		return lock::unlock;
	}

	@Override
	public void close() {
		this.clients.forEach(RedissonClient::shutdown);
	}

}
