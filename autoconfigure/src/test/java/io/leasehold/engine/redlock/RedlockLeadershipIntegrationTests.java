package io.leasehold.engine.redlock;

import java.util.List;

import io.leasehold.leadership.LeadershipContract;
import io.leasehold.test.contract.EngineAddress;
import org.junit.jupiter.api.Tag;

/**
 * Leaders that a majority of three Redis masters elects.
 */
@Tag("full")
class RedlockLeadershipIntegrationTests extends LeadershipContract {

	private final RedlockTestMasters masters = RedlockTestMasters.shared();

	@Override
	protected List<Integer> ports() {
		return this.masters.ports();
	}

	@Override
	protected EngineAddress address(List<Integer> ports) {
		return RedlockOpener.byLettuce(ports);
	}

	@Override
	protected void empty(String namespace) {
		for (int i = 0; i < this.masters.ports().size(); i++) {
			this.masters.operator(i)
				.del(this.masters.operator(i).keys(LockNames.prefix(namespace) + "*").toArray(String[]::new));
		}
	}

}
