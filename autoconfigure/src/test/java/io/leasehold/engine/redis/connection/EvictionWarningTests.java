package io.leasehold.engine.redis.connection;

import io.leasehold.engine.redis.ScriptedConnection;
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

	private static final String EVICTS = "# Memory\r\nmaxmemory:1000\r\nmaxmemory_policy:allkeys-lru\r\n";

	private final EvictionWarning warning = new EvictionWarning();

	@Test
	void firstServerThatEvictsIsNamedAndOthersAreNotAsked(CapturedOutput output) {
		this.warning.check(NODE, ScriptedConnection.answering(EVICTS));
		assertThat(output).contains(
				"Redis at redis.example:6379 evicts keys when its memory is full " + "(maxmemory-policy allkeys-lru)");
		ScriptedConnection second = ScriptedConnection.answering(EVICTS);
		this.warning.check(new Node("another.example", 6379), second);
		assertThat(second.sent()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "maxmemory:1000\r\nmaxmemory_policy:noeviction", "maxmemory:1000", "",
			"maxmemory:0\r\nmaxmemory_policy:allkeys-lru", "maxmemory_policy:allkeys-lru" })
	void serverThatDoesNotEvictIsNotNamedAndTheNextIsAsked(String memory, CapturedOutput output) {
		this.warning.check(NODE, ScriptedConnection.answering(memory));
		assertThat(output).doesNotContain("evicts");
		this.warning.check(new Node("another.example", 6379), ScriptedConnection.answering(EVICTS));
		assertThat(output).contains("another.example:6379 evicts");
	}

	@Test
	void serverThatRefusesToSayIsNotNamed(CapturedOutput output) {
		this.warning.check(NODE, ScriptedConnection.refusing("NOPERM no permission to run 'info'"));
		assertThat(output).doesNotContain("evicts");
	}

}
