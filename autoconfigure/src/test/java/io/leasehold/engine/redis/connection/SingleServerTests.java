package io.leasehold.engine.redis.connection;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for a {@link SingleServer} that is a node of a cluster.
 */
class SingleServerTests {

	private static final Node NODE = new Node("redis.example", 6379);

	private final SingleServer server = new SingleServer(NODE);

	@ParameterizedTest
	@ValueSource(strings = { "MOVED 1 b:1", "ASK 1 b:1" })
	void redirectionNamesThePropertyToSet(String refusal) {
		assertThatExceptionOfType(RedisFailure.class)
			.isThrownBy(() -> this.server.redirection(RedisFailure.refusal(refusal, null), NODE))
			.withMessageContaining("redis.example:6379 is a node of a cluster")
			.withMessageContaining("spring.data.redis.cluster.nodes")
			.withMessageEndingWith("(%s)", refusal);
	}

	@Test
	void otherRefusalsGoNowhere() {
		assertThat(this.server.redirection(RedisFailure.refusal("LOADING", null), NODE)).isNull();
	}

}
