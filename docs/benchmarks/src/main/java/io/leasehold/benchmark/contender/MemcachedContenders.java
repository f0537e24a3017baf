package io.leasehold.benchmark.contender;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import com.spotify.folsom.MemcacheClient;
import com.spotify.folsom.MemcacheClientBuilder;
import com.spotify.folsom.MemcacheStatus;

/**
 * Those who lock in memcached, by name, each made from the server's address.
 */
final class MemcachedContenders {

	private MemcachedContenders() {
	}

	static Map<String, Function<String, Contender>> all() {
		Map<String, Function<String, Contender>> all = new LinkedHashMap<>();
		all.put(Contenders.BARE, MemcachedContenders::bare);
		all.put(Contenders.QUEUE, (address) -> new LocalQueue(bare(address)));
		all.put(Contenders.LEASEHOLD, (address) -> LeaseholdContender.withoutDatabase("memcached",
				Map.of("leasehold.memcached.servers", address)));
		return all;
	}

	/** An entry that is added, and deleted without a check of its owner. */
	private static Contender bare(String address) {
		String[] parts = address.split(":");
		MemcacheClient<String> client = MemcacheClientBuilder.newStringClient()
			.withAddress(parts[0], Integer.parseInt(parts[1]))
			.connectAscii();
		try {
			client.awaitConnected(10, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
		return (key) -> {
			Polling.until(() -> client.add("bare:" + key, "", (int) Leases.LEASE.toSeconds())
				.toCompletableFuture()
				.get() == MemcacheStatus.OK);
			return () -> client.delete("bare:" + key).toCompletableFuture().get();
		};
	}

}
