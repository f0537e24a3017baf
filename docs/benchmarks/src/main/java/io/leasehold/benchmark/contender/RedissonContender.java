package io.leasehold.benchmark.contender;

import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;

import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson's {@code RLock}.
 */
final class RedissonContender implements Contender {

	private final RedissonClient client;

	private final BiFunction<RedissonClient, String, RLock> kind;

	private final Consumer<RLock> form;

	private RedissonContender(String address, BiFunction<RedissonClient, String, RLock> kind, Consumer<RLock> form) {
		Config config = new Config();
		config.useSingleServer().setAddress("redis://" + address);
		this.client = Redisson.create(config);
		this.kind = kind;
		this.form = form;
	}

	/** Renewed by its watchdog. */
	static Contender watchdog(String address) {
		return new RedissonContender(address, RedissonClient::getLock, RLock::lock);
	}

	/** With a lease, without renewal. */
	static Contender lease(String address) {
		return new RedissonContender(address, RedissonClient::getLock,
				(lock) -> lock.lock(Leases.LEASE.toMillis(), TimeUnit.MILLISECONDS));
	}

	/** Renewed, in the order of the requests. */
	static Contender fair(String address) {
		return new RedissonContender(address, RedissonClient::getFairLock, RLock::lock);
	}

	@Override
	public Held acquire(String key) {
		RLock lock = this.kind.apply(this.client, key);
		this.form.accept(lock);
		return lock::unlock;
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

}
