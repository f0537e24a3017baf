package io.leasehold.engine.cas;

import io.leasehold.engine.MonotonicClock;
import io.leasehold.test.contract.CompareAndSetStoreContract;

/**
 * The contract of stores, kept by the one in memory.
 */
class MemoryStoreTests extends CompareAndSetStoreContract {

	private final MemoryStore store = new MemoryStore(MonotonicClock.SYSTEM);

	@Override
	protected CompareAndSetStore connect() {
		return this.store.watching();
	}

}
