package io.leasehold.engine.etcd;

import java.util.List;

import io.leasehold.server.EtcdTestServer;
import io.leasehold.test.contract.ClockJumpContract;
import io.leasehold.test.contract.EngineAddress;

/**
 * Clocks of processes that share an etcd server.
 */
class EtcdClockJumpIntegrationTests extends ClockJumpContract {

	@Override
	protected EngineAddress address() {
		return new EngineAddress(EtcdLockEngineContractIntegrationTests.Opener.class,
				List.of(EtcdTestServer.shared().url()));
	}

}
