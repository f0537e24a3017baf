package io.leasehold.sample.toy;

import io.leasehold.engine.cas.CompareAndSetStore;
import io.leasehold.test.contract.CompareAndSetStoreContract;

/**
 * The contract of stores, kept by {@link ToyStore}.
 */
class ToyStoreTests extends CompareAndSetStoreContract {

	private final ToyStore store = newStore();

	@Override
	protected CompareAndSetStore connect() {
		return this.store;
	}

	ToyStore newStore() {
		return new ToyStore();
	}

}
