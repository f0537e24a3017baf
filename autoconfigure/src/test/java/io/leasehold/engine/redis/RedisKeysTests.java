package io.leasehold.engine.redis;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.lettuce.core.cluster.SlotHash;
import io.leasehold.LockKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class RedisKeysTests {

	@Test
	void namesCanBeReadByPeople() {
		RedisKeys keys = RedisKeys.of("shop", new LockKey("order:42 ä/🍣*"));
		assertThat(keys.all()).containsExactly("shop:2:{order:42 ä/🍣*}", "shop:2:{order:42 ä/🍣*}:fence",
				"shop:2:{order:42 ä/🍣*}:queue", "shop:2:{order:42 ä/🍣*}:gone", "shop:2:{order:42 ä/🍣*}:holders",
				"shop:2:{order:42 ä/🍣*}:fences");
	}

	@ParameterizedTest
	@CsvSource({ "a%b, a%25b", "{a}, %7Ba%7D", "'}x', %7Dx", "%7B, %257B" })
	void whatWouldEndTheHashTagIsEscaped(String key, String escaped) {
		assertThat(RedisKeys.of("ns", new LockKey(key)).lock()).isEqualTo("ns:2:{" + escaped + "}");
	}

	@Test
	void controlCharactersAreEscapedByTheirBytes() {
		assertThat(RedisKeys.of("ns", new LockKey("a\r\n\u0000\u0085")).lock()).isEqualTo("ns:2:{a%0D%0A%00%C2%85}");
	}

	@Test
	void patternOfGrantsIsLiteral() {
		assertThat(RedisKeys.pattern("n*", "a?[b]\\{")).isEqualTo("n\\*:2:{a\\?\\[b\\]\\\\%7B*[}s]");
	}

	@Test
	void lockOfAKeyOfGrantsIsFound() {
		LockKey key = new LockKey("a:{b}%:holders");
		RedisKeys keys = RedisKeys.of("ns", key);
		for (String name : List.of(keys.lock(), keys.holders())) {
			RedisKeys parsed = RedisKeys.parse(name);
			assertThat(parsed).isEqualTo(keys);
			assertThat(parsed.key()).isEqualTo(key);
		}
		assertThat(RedisKeys.parse(keys.numbers())).isNull();
		assertThat(RedisKeys.parse(keys.queue())).isNull();
	}

	@Test
	void differentNamespacesAndKeysNeverMeet() {
		List<String> texts = List.of("a", "A", "a ", "a:b", "a:{b", "b}:fence", "%", "%25", "{", "%7B", "}", "\u0001",
				"%01", "a:inbox");
		Set<String> names = new LinkedHashSet<>();
		for (String namespace : texts) {
			for (String key : texts) {
				names.addAll(List.of(RedisKeys.of(namespace, new LockKey(key)).all()));
			}
		}
		assertThat(names).hasSize(texts.size() * texts.size() * 6);
	}

	@ParameterizedTest
	@ValueSource(strings = { "}x", "{", "{}", "a}{b", "}", "plain" })
	void allKeysOfALockShareASlot(String key) {
		assertThat(Stream.of(RedisKeys.of("{n}", new LockKey(key)).all()).map(SlotHash::getSlot).distinct()).hasSize(1);
	}

	@Test
	void inboxIsOutsideOfAllKeys() {
		assertThat(RedisKeys.inboxPrefix("n{s")).isEqualTo("n%7Bs:inbox:");
	}

}
