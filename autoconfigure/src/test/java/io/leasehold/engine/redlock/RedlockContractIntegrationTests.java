package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.Collection;

import io.leasehold.LockKey;
import io.leasehold.test.contract.EngineAddress;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.SharedLockEngineContract;

/**
 * The contract of engines for {@link RedlockLockEngine} on three masters.
 */
@Fault(194)
class RedlockContractIntegrationTests extends SharedLockEngineContract {

	@Override
	protected EngineAddress address() {
		return RedlockOpener.byLettuce(RedlockTestMasters.shared().ports());
	}

	/** Pauses of a busy machine are shorter than the time between renewal and expiry. */
	@Override
	protected Duration shortLease() {
		return Duration.ofSeconds(3);
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
