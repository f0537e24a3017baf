package io.leasehold.engine.redis;

import java.io.IOException;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.AnswerTimeContract;
import io.leasehold.test.contract.MovingClock;
import org.junit.jupiter.api.AfterEach;

/**
 * Late answers of {@link RedisLockEngine}.
 */
class RedisJedisAnswerTimeIntegrationTests extends AnswerTimeContract {

	private final FaultProxy proxy = FaultProxy.to(RedisTestServer.shared().port());

	@AfterEach
	void closeProxy() throws IOException {
		this.proxy.close();
	}

	@Override
	protected LockEngine connect(String namespace, Member member, MovingClock clock) {
		this.proxy.replies().beforeEach(clock::answered);
		return RedisOpener.openByJedis(namespace, member, this.proxy.port(), clock);
	}

}
