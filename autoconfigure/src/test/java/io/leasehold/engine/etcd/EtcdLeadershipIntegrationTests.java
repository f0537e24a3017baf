package io.leasehold.engine.etcd;

import java.time.Duration;

import io.leasehold.leadership.LeadershipContract;
import io.leasehold.test.contract.EngineAddress;
import org.junit.jupiter.api.Tag;

/**
 * Leaders that an etcd server elects.
 */
@Tag("full")
class EtcdLeadershipIntegrationTests extends LeadershipContract {

	@Override
	protected EngineAddress address() {
		return EtcdLockEngineContractIntegrationTests.address(Duration.ofSeconds(6));
	}

}
