package io.leasehold.benchmark.contender;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Those who lock in etcd, by name, each made from the server's address.
 */
final class EtcdContenders {

	private EtcdContenders() {
	}

	static Map<String, Function<String, Contender>> all() {
		Map<String, Function<String, Contender>> all = new LinkedHashMap<>();
		all.put(Contenders.BARE, BareEtcd::new);
		all.put(Contenders.QUEUE, (address) -> new LocalQueue(new BareEtcd(address)));
		all.put(Contenders.LEASEHOLD,
				(address) -> LeaseholdContender.withoutDatabase("etcd", Map.of("leasehold.etcd.endpoints", address)));
		all.put("jetcd", JetcdContender::new);
		return all;
	}

}
