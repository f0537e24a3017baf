package io.leasehold.engine.redlock;

import java.util.Collection;

import io.leasehold.LockKey;
import io.leasehold.test.contract.EngineAddress;
import io.leasehold.test.contract.SharedLockEngineContract;

/**
 * The contract of engines for {@link RedlockLockEngine} on three masters.
 */
class RedlockContractIntegrationTests extends SharedLockEngineContract {

	@Override
	protected EngineAddress address() {
		return RedlockOpener.byLettuce(RedlockTestMasters.shared().ports());
	}

	@Override
	protected void lose(String namespace, LockKey key) {
		RedlockTestMasters.shared().lose(namespace, key);
	}

	@Override
	protected Collection<String> residue(String namespace) {
		return RedlockTestMasters.shared().residue(namespace);
	}

}
