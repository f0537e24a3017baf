package io.leasehold.engine.redlock;

import io.leasehold.engine.Member;
import io.leasehold.leadership.LeaderFaultsContract;
import io.leasehold.leadership.ProxiedRoute;
import io.leasehold.leadership.Route;
import org.junit.jupiter.api.Tag;

/**
 * Leaders that a majority of three Redis masters elects while they or the network fail.
 */
@Tag("full")
class RedlockLeaderFaultsIntegrationTests extends LeaderFaultsContract {

	private final RedlockTestMasters masters = RedlockTestMasters.shared();

	@Override
	protected Route connect(String namespace, Member member) {
		return new ProxiedRoute(this.masters.ports(),
				(ports) -> RedlockOpener.byLettuce(ports).open(namespace, member));
	}

	@Override
	protected void empty(String namespace) {
		for (int i = 0; i < this.masters.ports().size(); i++) {
			this.masters.operator(i)
				.del(this.masters.operator(i).keys(LockNames.prefix(namespace) + "*").toArray(String[]::new));
		}
	}

}
