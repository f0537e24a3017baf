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
import io.leasehold.test.contract.LockEngineContract;

/**
 * The contract of all engines, kept by {@link ToyLockEngine}.
 */
class ToyLockEngineTests extends LockEngineContract {

	private final Map<String, ToyStore> stores = new ConcurrentHashMap<>();

	@Override
	protected LockEngine connect(String namespace, Member member) {
		return new ToyLockEngine(store(namespace), MonotonicClock.SYSTEM);
	}

	@Override
	protected void lose(String namespace, LockKey key) {
		store(namespace).free(key);
	}

	@Override
	protected Collection<String> residue(String namespace) {
		return Collections.nCopies(store(namespace).size(), "key");
	}

	@Override
	protected Duration shortLease() {
		return Duration.ofSeconds(1);
	}

	@Override
	protected Duration contention() {
		return Duration.ofMillis(500);
	}

	ToyStore newStore() {
		return new ToyStore();
	}

	private ToyStore store(String namespace) {
		return this.stores.computeIfAbsent(namespace, (name) -> newStore());
	}

}
