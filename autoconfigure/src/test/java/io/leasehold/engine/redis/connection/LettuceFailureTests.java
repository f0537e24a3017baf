package io.leasehold.engine.redis.connection;

import java.net.ConnectException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.ExecutionException;

import io.leasehold.LockKey;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LettuceFailureTests {

	@Test
	void closedConnectionIsReportedThoughNettyDoesNot() {
		RedisFailure failure = LettuceRequest.failure(new ClosedChannelException());
		assertThat(failure.toEngineException("Redis", "release", new LockKey("order:42")))
			.hasMessage("Redis could not release lock 'order:42': connection is closed")
			.matches((ex) -> ex.isRetryable());
	}

	@Test
	void refusalIsFoundInsideTheFutureThatFailedWithIt() {
		RedisFailure failure = LettuceRequest
			.failure(new ExecutionException(new RedisCommandExecutionException("READONLY You can't write")));
		assertThat(failure.is("READONLY")).isTrue();
		assertThat(failure).hasMessage("READONLY You can't write");
	}

	@Test
	void rejectionWithoutAWordIsNoResponse() {
		RedisFailure failure = LettuceRequest.failure(new RedisCommandExecutionException((String) null));
		assertThat(failure.toEngineException("Redis", "release", new LockKey("order:42")).refusal()).isNull();
		assertThat(failure).hasMessage("connection is closed");
	}

	@Test
	void missingConnectionHasAReason() {
		assertThat(LettuceRequest.failure(
				new RedisConnectionException("Unable to connect to m:1", new ConnectException("Connection refused"))))
			.hasMessage("Unable to connect to m:1: Connection refused");
		assertThat(LettuceRequest
			.failure(new RedisConnectionException("Unable to connect to m:1", new ClosedChannelException())))
			.hasMessage("Unable to connect to m:1");
	}

	@Test
	void otherExceptionsAreNoResponse() {
		RedisFailure failure = LettuceRequest.failure(new RedisException("READONLY is no refusal here"));
		assertThat(failure.is("READONLY")).isFalse();
		assertThat(failure).hasMessage("READONLY is no refusal here");
	}

}
