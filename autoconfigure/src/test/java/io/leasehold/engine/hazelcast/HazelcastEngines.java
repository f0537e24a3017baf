package io.leasehold.engine.hazelcast;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

import com.hazelcast.core.HazelcastInstance;
import io.leasehold.LockKey;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.cas.BoundedStore;
import io.leasehold.engine.cas.CasLockEngine;
import io.leasehold.engine.cas.CasSettings;
import io.leasehold.engine.cas.CompareAndSetStore;
import io.leasehold.server.HazelcastTestCluster;
import io.leasehold.test.contract.EngineAddress;

/**
 * Engines on a map of Hazelcast.
 */
final class HazelcastEngines {

	static final String MAP = "leasehold-locks";

	static final Duration RETENTION = Duration.ofDays(3);

	/**
	 * Longer than any pause of a busy machine, and than a cluster needs for its repair.
	 */
	private static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);

	private HazelcastEngines() {
	}

	static CompareAndSetStore store(HazelcastInstance instance) {
		return HazelcastStore.open(instance, MAP, RETENTION);
	}

	static CasLockEngine open(String namespace, HazelcastInstance instance, MonotonicClock clock) {
		return open(namespace, store(instance), clock);
	}

	static CasLockEngine open(String namespace, CompareAndSetStore store, MonotonicClock clock) {
		CasSettings settings = new CasSettings(namespace, CALL_TIMEOUT, Duration.ofMillis(5), Duration.ofMillis(100),
				RETENTION);
		return new CasLockEngine(HazelcastStore.NAME, new BoundedStore(HazelcastStore.NAME, store, CALL_TIMEOUT),
				settings, clock);
	}

	static void lose(HazelcastInstance instance, String namespace, LockKey key) {
		instance.getMap(MAP).delete(namespace + ":" + key.value());
	}

	/** Return the entries of a namespace that are more than a last grant number. */
	static Collection<String> residue(HazelcastInstance instance, String namespace) {
		return instance.<String, String>getMap(MAP)
			.entrySet()
			.stream()
			.filter((entry) -> entry.getKey().startsWith(namespace + ":"))
			.map((entry) -> entry.getKey() + "\n" + entry.getValue())
			.filter((entry) -> entry.contains("\nhold ") || entry.contains("\nwait "))
			.toList();
	}

	static EngineAddress address(HazelcastInstance member) {
		return new EngineAddress(Opener.class,
				List.of(member.getConfig().getClusterName(), Integer.toString(HazelcastTestCluster.port(member))));
	}

	/**
	 * Connects as a client.
	 */
	public static final class Opener implements EngineAddress.Opener {

		@Override
		public LockEngine open(String namespace, Member member, List<String> arguments) {
			return HazelcastEngines.open(namespace,
					HazelcastTestCluster.client(arguments.get(0), Integer.parseInt(arguments.get(1))),
					MonotonicClock.SYSTEM);
		}

	}

}
