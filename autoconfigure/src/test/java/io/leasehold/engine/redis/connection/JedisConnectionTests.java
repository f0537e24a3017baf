package io.leasehold.engine.redis.connection;

import org.junit.jupiter.api.Test;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for how exceptions of Jedis are translated.
 */
class JedisConnectionTests {

	@Test
	void responseThatIsAnErrorIsARejection() {
		RedisFailure failure = JedisConnection.failure(new JedisDataException("READONLY You can't write"));
		assertThat(failure.is("READONLY")).isTrue();
	}

	@Test
	void otherExceptionsAreNoResponse() {
		RedisFailure failure = JedisConnection.failure(new JedisConnectionException("READONLY is no refusal here"));
		assertThat(failure.is("READONLY")).isFalse();
		assertThat(failure).hasMessage("READONLY is no refusal here");
	}

}
