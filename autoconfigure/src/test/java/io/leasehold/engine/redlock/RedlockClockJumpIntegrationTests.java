package io.leasehold.engine.redlock;

import org.junit.jupiter.api.Tag;

import io.leasehold.test.contract.ClockJumpContract;
import io.leasehold.test.contract.EngineAddress;

/**
 * Clocks of processes that share three masters.
 */
@Tag("full")
class RedlockClockJumpIntegrationTests extends ClockJumpContract {

	@Override
	protected EngineAddress address() {
		return RedlockOpener.byLettuce(RedlockTestMasters.shared().ports());
	}

}
