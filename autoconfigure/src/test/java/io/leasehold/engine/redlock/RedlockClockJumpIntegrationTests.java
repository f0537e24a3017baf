package io.leasehold.engine.redlock;

import io.leasehold.test.contract.ClockJumpContract;
import io.leasehold.test.contract.EngineAddress;

/**
 * Clocks of processes that share three masters.
 */
class RedlockClockJumpIntegrationTests extends ClockJumpContract {

	@Override
	protected EngineAddress address() {
		return RedlockOpener.byLettuce(RedlockTestMasters.shared().ports());
	}

}
