package io.leasehold.engine.cas;

import java.time.Duration;
import java.util.Collection;

import io.leasehold.LockKey;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.test.contract.LockEngineContract;

/**
 * The contract, kept by {@link CasLockEngine} on a store that reports no changes.
 */
class CasLockEngineContractTests extends LockEngineContract {

	private final MemoryStore store = new MemoryStore(MonotonicClock.SYSTEM);

	@Override
	protected LockEngine connect(String namespace, Member member) {
		return new CasLockEngine("memory", connection(this.store), settings(namespace), MonotonicClock.SYSTEM);
	}

	CompareAndSetStore connection(MemoryStore store) {
		return store.connect();
	}

	static CasSettings settings(String namespace) {
		return new CasSettings(namespace, Duration.ofSeconds(2), Duration.ofMillis(5), Duration.ofMillis(100),
				Duration.ofMinutes(1));
	}

	@Override
	protected void lose(String namespace, LockKey key) {
		this.store.lose(new StoreKeys(namespace).of(key));
	}

	@Override
	protected Collection<String> residue(String namespace) {
		return this.store.residue(namespace + ":");
	}

	@Override
	protected Duration shortLease() {
		return Duration.ofSeconds(2);
	}

	@Override
	protected Duration contention() {
		return Duration.ofSeconds(1);
	}

}
