package io.leasehold.sample.toy;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.leasehold.LockKey;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.cas.CasLockEngine;
import io.leasehold.engine.cas.CasSettings;
import io.leasehold.test.contract.LockEngineContract;

/**
 * The contract of all engines, kept by the engine on {@link ToyStore}.
 */
class ToyLockEngineTests extends LockEngineContract {

	private final Map<String, ToyStore> stores = new ConcurrentHashMap<>();

	@Override
	protected LockEngine connect(String namespace, Member member) {
		CasSettings settings = new CasSettings(namespace, Duration.ofSeconds(5), Duration.ofMillis(5),
				Duration.ofMillis(100), Duration.ofMinutes(1));
		return new CasLockEngine("toy", store(namespace), settings, MonotonicClock.SYSTEM);
	}

	@Override
	protected void lose(String namespace, LockKey key) {
		store(namespace).lose(namespace + ":" + key.value());
	}

	@Override
	protected Collection<String> residue(String namespace) {
		return Collections.nCopies(store(namespace).size(), "key");
	}

	@Override
	protected Duration contention() {
		return Duration.ofMillis(500);
	}

	private ToyStore store(String namespace) {
		return this.stores.computeIfAbsent(namespace, (name) -> new ToyStore());
	}

}
