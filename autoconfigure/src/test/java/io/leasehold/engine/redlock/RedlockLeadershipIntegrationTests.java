package io.leasehold.engine.redlock;

import io.leasehold.leadership.LeadershipContract;
import io.leasehold.test.contract.EngineAddress;
import org.junit.jupiter.api.Tag;

/**
 * Leaders that a majority of three Redis masters elects.
 */
@Tag("full")
class RedlockLeadershipIntegrationTests extends LeadershipContract {

	@Override
	protected EngineAddress address() {
		return RedlockOpener.byLettuce(RedlockTestMasters.shared().ports());
	}

}
