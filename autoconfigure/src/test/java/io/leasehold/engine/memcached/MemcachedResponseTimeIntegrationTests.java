package io.leasehold.engine.memcached;

import java.io.IOException;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.MemcachedTestServer;
import io.leasehold.test.contract.ResponseTimeContract;
import io.leasehold.test.contract.MovingClock;
import org.junit.jupiter.api.AfterEach;

/**
 * The contract of late responses, kept on memcached.
 */
class MemcachedResponseTimeIntegrationTests extends ResponseTimeContract {

	private final FaultProxy proxy = FaultProxy.to(MemcachedTestServer.shared().port());

	@Override
	protected LockEngine connect(String namespace, Member member, MovingClock clock) {
		LockEngine engine = MemcachedEngines.open(namespace, "127.0.0.1:" + this.proxy.port(), clock);
		this.proxy.replies().beforeEach(clock::responded);
		return engine;
	}

	@AfterEach
	void closeProxy() throws IOException {
		this.proxy.close();
	}

}
