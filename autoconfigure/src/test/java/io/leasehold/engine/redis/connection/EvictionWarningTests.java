package io.leasehold.engine.redis.connection;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for when the {@link EvictionWarning} is logged.
 */
@ExtendWith(OutputCaptureExtension.class)
class EvictionWarningTests {

	private static final Node NODE = new Node("redis.example", 6379);

	private static final ServerInfo EVICTS = ServerInfo
		.parse("# Memory\r\nmaxmemory:1000\r\nmaxmemory_policy:allkeys-lru\r\n");

	private final EvictionWarning warning = new EvictionWarning();

	@Test
	void onlyTheFirstServerThatEvictsIsNamed(CapturedOutput output) {
		this.warning.check(NODE, EVICTS);
		assertThat(output)
			.contains("Redis at redis.example:6379 evicts keys when its memory is full (maxmemory-policy allkeys-lru)");
		this.warning.check(new Node("another.example", 6379), EVICTS);
		assertThat(output).doesNotContain("another.example");
	}

	@ParameterizedTest
	@ValueSource(strings = { "maxmemory:1000\r\nmaxmemory_policy:noeviction", "maxmemory:1000", "",
			"maxmemory:0\r\nmaxmemory_policy:allkeys-lru", "maxmemory_policy:allkeys-lru" })
	void serverThatDoesNotEvictIsNotNamedAndTheNextIsChecked(String memory, CapturedOutput output) {
		this.warning.check(NODE, ServerInfo.parse(memory));
		assertThat(output).doesNotContain("evicts");
		this.warning.check(new Node("another.example", 6379), EVICTS);
		assertThat(output).contains("another.example:6379 evicts");
	}

}
