package io.leasehold.engine.cas;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.test.contract.ResponseTimeContract;
import io.leasehold.test.contract.MovingClock;
import org.jspecify.annotations.Nullable;

/**
 * The contract of late responses, kept by {@link CasLockEngine}.
 */
class CasResponseTimeTests extends ResponseTimeContract {

	private final MemoryStore store = new MemoryStore(MonotonicClock.SYSTEM);

	@Override
	protected LockEngine connect(String namespace, Member member, MovingClock clock) {
		MemoryStore.Connection slow = new MemoryStore.Connection(this.store) {

			@Override
			@Nullable Entry reading(String key, MemoryStore.Request<@Nullable Entry> request) throws Exception {
				Entry entry = request.send();
				clock.responded();
				return entry;
			}

			@Override
			boolean writing(String key, MemoryStore.Request<Boolean> request) throws Exception {
				boolean written = request.send();
				clock.responded();
				return written;
			}

		};
		return new CasLockEngine("memory", slow, CasLockEngineContractTests.settings(namespace), clock);
	}

}
