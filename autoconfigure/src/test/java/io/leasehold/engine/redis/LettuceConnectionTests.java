package io.leasehold.engine.redis;

import java.nio.channels.ClosedChannelException;

import io.leasehold.LockKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LettuceConnectionTests {

	@Test
	void closedConnectionIsToldThoughNettyDoesNot() {
		RedisFailure failure = LettuceConnection.failure(new ClosedChannelException());
		assertThat(failure.toEngineException("release", new LockKey("order:42")))
			.hasMessage("Redis could not release lock 'order:42': connection is closed")
			.matches((ex) -> ex.isRetryable());
	}

}
