package io.leasehold.engine.etcd;

import java.time.Duration;

import io.leasehold.test.contract.ClockJumpContract;
import io.leasehold.test.contract.EngineAddress;

/**
 * Clocks of processes that share an etcd server.
 */
class EtcdClockJumpIntegrationTests extends ClockJumpContract {

	@Override
	protected EngineAddress address() {
		return EtcdLockEngineContractIntegrationTests.address(Duration.ofSeconds(30));
	}

}
