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
		all.put(Contenders.LEASEHOLD, (address) -> LeaseholdContender.withoutDatabase("zookeeper",
				Map.of("leasehold.zookeeper.connect-string", address)));
		all.put("curator", CuratorContender::new);
		return all;
	}

}
