package io.leasehold.engine.etcd;

import java.time.Duration;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.server.FaultProxy;
import io.leasehold.test.contract.ResponseTimeContract;
import io.leasehold.test.contract.MovingClock;
import org.junit.jupiter.api.AfterEach;

/**
 * Late responses of {@link EtcdLockEngine}.
 */
class EtcdResponseTimeIntegrationTests extends ResponseTimeContract {

	private FaultProxy proxy;

	@AfterEach
	void closeProxy() throws Exception {
		this.proxy.close();
	}

	/**
	 * All leases have one session, whose keep-alives would move the clock further if it
	 * were shorter.
	 */
	@Override
	protected LockEngine connect(String namespace, Member member, MovingClock clock) {
		EtcdEngines.warmUp();
		this.proxy = FaultProxy.to(EtcdTestServer.shared().port());
		this.proxy.replies().beforeEach(clock::responded);
		return new EtcdLockEngine(EtcdEngines.connection(EtcdEngines.url(this.proxy)),
				new EtcdSettings(namespace, Duration.ofSeconds(60), Duration.ofSeconds(22), Duration.ofSeconds(1)),
				clock);
	}

}
