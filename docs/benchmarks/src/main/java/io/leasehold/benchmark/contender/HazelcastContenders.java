package io.leasehold.benchmark.contender;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;

/**
 * Those who lock in a Hazelcast cluster as its clients, by name, each made from the
 * address of a member.
 */
final class HazelcastContenders {

	private HazelcastContenders() {
	}

	static Map<String, Function<String, Contender>> all() {
		Map<String, Function<String, Contender>> all = new LinkedHashMap<>();
		all.put(Contenders.BARE, HazelcastContenders::bare);
		all.put(Contenders.QUEUE, (address) -> new LocalQueue(bare(address)));
		all.put(Contenders.LEASEHOLD,
				(address) -> LeaseholdContender.withoutDatabase("hazelcast", Map.of(), client(address)));
		all.put("hazelcast-map-lock", HazelcastContenders::mapLock);
		return all;
	}

	/** An entry that is put if absent, and removed if it is still the same. */
	private static Contender bare(String address) {
		IMap<String, String> map = client(address).getMap("bare");
		AtomicLong owners = new AtomicLong();
		String self = ProcessHandle.current().pid() + ":";
		return (key) -> {
			String owner = self + owners.incrementAndGet();
			Polling.until(() -> map.putIfAbsent(key, owner, Leases.LEASE.toMillis(), TimeUnit.MILLISECONDS) == null);
			return () -> map.remove(key, owner);
		};
	}

	/** Hazelcast's lock of a key of a map, which is owned by a thread. */
	private static Contender mapLock(String address) {
		IMap<String, String> map = client(address).getMap("locks");
		return (key) -> {
			map.lock(key, Leases.LEASE.toMillis(), TimeUnit.MILLISECONDS);
			return () -> map.unlock(key);
		};
	}

	private static HazelcastInstance client(String address) {
		ClientConfig config = new ClientConfig().setClusterName("benchmark")
			.setProperty("hazelcast.logging.type", "none");
		config.getNetworkConfig().addAddress(address);
		return HazelcastClient.newHazelcastClient(config);
	}

}
