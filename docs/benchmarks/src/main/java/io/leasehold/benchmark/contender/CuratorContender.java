package io.leasehold.benchmark.contender;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * Curator's {@code InterProcessMutex}, one for each key.
 */
final class CuratorContender implements Contender {

	private final CuratorFramework client;

	private final Map<String, InterProcessMutex> locks = new ConcurrentHashMap<>();

	CuratorContender(String address) {
		this.client = CuratorFrameworkFactory.newClient(address, new ExponentialBackoffRetry(1000, 3));
		this.client.start();
	}

	@Override
	public Held acquire(String key) throws Exception {
		InterProcessMutex lock = this.locks.computeIfAbsent(key,
				(absent) -> new InterProcessMutex(this.client, "/curator/" + key));
		lock.acquire();
		return lock::release;
	}

	@Override
	public void close() {
		this.client.close();
	}

}
