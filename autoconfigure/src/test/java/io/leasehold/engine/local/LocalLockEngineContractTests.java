package io.leasehold.engine.local;

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
 * The contract, kept by {@link LocalLockEngine}.
 */
class LocalLockEngineContractTests extends LockEngineContract {

	private final Map<String, LocalLockEngine> stores = new ConcurrentHashMap<>();

	@Override
	protected LockEngine connect(String namespace, Member member) {
		return store(namespace);
	}

	@Override
	protected void lose(String namespace, LockKey key) {
		store(namespace).lose(key);
	}

	@Override
	protected Collection<String> residue(String namespace) {
		return Collections.nCopies(store(namespace).size(), "key");
	}

	/** Pauses of a busy machine are shorter than the time between renewal and expiry. */
	@Override
	protected Duration shortLease() {
		return Duration.ofSeconds(2);
	}

	@Override
	protected Duration contention() {
		return Duration.ofSeconds(1);
	}

	private LocalLockEngine store(String namespace) {
		return this.stores.computeIfAbsent(namespace, (name) -> new LocalLockEngine(MonotonicClock.SYSTEM));
	}

}
