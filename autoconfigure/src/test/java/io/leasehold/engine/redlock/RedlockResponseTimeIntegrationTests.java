package io.leasehold.engine.redlock;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.server.FaultProxy;
import io.leasehold.test.contract.ResponseTimeContract;
import io.leasehold.test.contract.MovingClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/**
 * Late responses to {@link RedlockLockEngine}. Each master adds to the time.
 */
@Tag("full")
class RedlockResponseTimeIntegrationTests extends ResponseTimeContract {

	private final List<FaultProxy> proxies = new ArrayList<>();

	@Override
	protected LockEngine connect(String namespace, Member member, MovingClock clock) {
		RedlockTestMasters.shared().ports().forEach((port) -> this.proxies.add(FaultProxy.to(port)));
		this.proxies.forEach((proxy) -> proxy.replies().beforeEach(clock::responded));
		RedlockLockEngine engine = RedlockOpener.open(this.proxies.stream().map(FaultProxy::port).toList(),
				new LettuceConnector(LettuceTransport.PLAIN, RedlockOpener.COMMAND_TIMEOUT),
				RedlockOpener.settings(namespace), clock);
		return RedlockOpener.warm(member, engine);
	}

	@AfterEach
	void closeProxies() throws IOException {
		for (FaultProxy proxy : this.proxies) {
			proxy.close();
		}
	}

}
