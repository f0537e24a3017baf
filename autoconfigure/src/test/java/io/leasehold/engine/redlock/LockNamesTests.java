package io.leasehold.engine.redlock;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.leasehold.LockKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockNames}.
 */
class LockNamesTests {

	@Test
	void namesAreReadable() {
		LockNames names = LockNames.of("shop", new LockKey("order:42"));
		assertThat(names.of("token")).containsExactly("redlock:shop:lock:order:42", "redlock:shop:number:order:42",
				"redlock:shop:ended:token");
	}

	/** Every name of the Redis engine contains its key in braces. */
	@Test
	void namesAreNeverThoseOfTheRedisEngine() {
		for (String text : List.of("{a}", "a", "x:{redlock}", "}")) {
			assertThat(LockNames.of(text, new LockKey(text)).of(text.replaceAll("[{}]", "@")))
				.noneMatch((name) -> name.contains("{") || name.contains("}"));
		}
	}

	@Test
	void differentLocksHaveDifferentNames() {
		Set<String> names = new HashSet<>();
		List<String> texts = List.of("a", "a:b", "a:lock:b", "a%3Ab", "%", "%25", "{", "%7B", "x\n", "x\u0085", "x%0A",
				"x%85", "b", "lock:b", "number:b", "\u00e9");
		List<LockNames> all = texts.stream()
			.flatMap((namespace) -> texts.stream().map((key) -> LockNames.of(namespace, new LockKey(key))))
			.toList();
		all.stream().flatMap((each) -> Stream.of(each.lock(), each.number())).forEach(names::add);
		assertThat(names).hasSize(2 * all.size());
	}

}
