package io.leasehold.engine.support;

import java.nio.charset.StandardCharsets;

import io.leasehold.LockKey;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link KeyNames}.
 */
class KeyNamesTests {

	@ParameterizedTest
	@ValueSource(strings = { "order:42", "%", "100%25", "a\r\n\u0000b", "\u0085", "\u200b\u4e2d\ud83c\udf63%", "+ +" })
	void readableFormIsParsed(String text) {
		LockKey key = new LockKey(text);
		assertThat(KeyNames.parse(key.readable(), StandardCharsets.UTF_8)).isEqualTo(key);
	}

	@ParameterizedTest
	@ValueSource(strings = { "order:42", "%", "a\r\n\u0000b", "caf\u00e9 \u200b\u4e2d\ud83c\udf63%" })
	void asciiFormIsParsed(String text) {
		LockKey key = new LockKey(text);
		assertThat(KeyNames.ascii(key)).matches("\\p{Graph}[ \\p{Graph}]*");
		assertThat(KeyNames.parse(KeyNames.ascii(key), StandardCharsets.UTF_8)).isEqualTo(key);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "%", "a%2", "%zz", "%u0041", "%20" })
	void nameOfOtherOriginHasNoKey(String name) {
		assertThat(KeyNames.parse(name, StandardCharsets.UTF_8)).isNull();
	}

}
