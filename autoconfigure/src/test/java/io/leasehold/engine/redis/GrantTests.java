package io.leasehold.engine.redis;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for how a {@link Grant} is read.
 */
class GrantTests {

	@Test
	void valueHasTheFenceAndTheClaim() {
		Grant grant = new Grant(42, "shop@web-3:1:x/y/z#s,5,0");
		assertThat(Grant.parse(grant.toString())).isEqualTo(grant);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "someone", ":a", "x:a", "1234567890123456789:a" })
	void valueNotWrittenByLeaseholdIsNone(String value) {
		assertThat(Grant.parse(value)).isNull();
	}

	/** The lock may contain spaces, colons and line breaks; a claim has no space. */
	@Test
	void messageHasTheGrantAndTheLock() {
		Grant.Message message = Grant.parseMessage("42:claim ns:{a b:\n1}");
		assertThat(message).isEqualTo(new Grant.Message(new Grant(42, "claim"), new RedisKeys("ns:{a b:\n1}")));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "rubbish", "42:claim", "claim lock", ":claim lock", "42:cla\nim lock" })
	void messageNotWrittenByLeaseholdIsNone(String message) {
		assertThat(Grant.parseMessage(message)).isNull();
	}

}
