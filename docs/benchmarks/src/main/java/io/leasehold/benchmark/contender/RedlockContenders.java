package io.leasehold.benchmark.contender;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Those who lock on three independent Redis servers, by name, each made from the servers'
 * addresses.
 */
final class RedlockContenders {

	private RedlockContenders() {
	}

	/** The servers have just started, and lose no data in a run. */
	static Map<String, Function<String, Contender>> all() {
		Map<String, Function<String, Contender>> all = new LinkedHashMap<>();
		all.put(Contenders.BARE, BareRedlock::new);
		all.put(Contenders.QUEUE, (addresses) -> new LocalQueue(new BareRedlock(addresses)));
		all.put(Contenders.LEASEHOLD, (addresses) -> LeaseholdContender.withoutDatabase("redlock",
				Map.of("leasehold.redlock.nodes", addresses, "leasehold.redlock.restart-delay", "0")));
		all.put("redisson-redlock", RedissonRedlockContender::new);
		return all;
	}

}
