package io.leasehold.benchmark.contender;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Those who lock in ZooKeeper, by name, each made from the server's address.
 */
final class ZooKeeperContenders {

	private ZooKeeperContenders() {
	}

	static Map<String, Function<String, Contender>> all() {
		Map<String, Function<String, Contender>> all = new LinkedHashMap<>();
		all.put(Contenders.BARE, BareZooKeeper::new);
		all.put(Contenders.QUEUE, (address) -> new LocalQueue(new BareZooKeeper(address)));
		all.put(Contenders.LEASEHOLD, (address) -> leasehold(address, "0s"));
		all.put("leasehold-linger", (address) -> leasehold(address, "30s"));
		all.put("curator", CuratorContender::new);
		return all;
	}

	private static Contender leasehold(String address, String linger) {
		// The contenders of a run would recall locks from each other
		String namespace = "linger-" + linger;
		return LeaseholdContender.withoutDatabase("zookeeper", Map.of("leasehold.zookeeper.connect-string", address,
				"leasehold.namespace", namespace, "leasehold.linger", linger));
	}

}
