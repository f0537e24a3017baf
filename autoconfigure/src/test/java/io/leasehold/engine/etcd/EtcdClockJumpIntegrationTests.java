package io.leasehold.engine.etcd;

import java.time.Duration;

import org.junit.jupiter.api.Tag;

import io.leasehold.test.contract.ClockJumpContract;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.test.contract.EngineAddress;

/**
 * Clocks of processes that share an etcd server.
 */
@Tag("full")
class EtcdClockJumpIntegrationTests extends ClockJumpContract {

	@Override
	protected EngineAddress address() {
		return EtcdLockEngineContractIntegrationTests.address(EtcdTestServer.shared().url(), Duration.ofSeconds(30));
	}

}
