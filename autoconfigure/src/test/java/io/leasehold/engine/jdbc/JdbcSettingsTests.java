package io.leasehold.engine.jdbc;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class JdbcSettingsTests {

	@Test
	void tableIsAPlainNameWithOrWithoutItsSchema() {
		assertThat(settings("ns", "my_locks").table()).isEqualTo("my_locks");
		assertThat(settings("ns", "app.my_locks").table()).isEqualTo("app.my_locks");
		String longest = "a".repeat(56);
		assertThat(settings("ns", longest).holders()).hasSize(63).startsWith(longest);
		for (String bad : new String[] { "", "a b", "a;b", "a--", "1a", "a.b.c", ".a", "\"a\"", "a\n", "\u00e4",
				longest + "a" }) {
			assertThatIllegalArgumentException().as(bad)
				.isThrownBy(() -> settings("ns", bad))
				.withMessageStartingWith("leasehold.jdbc.table must be a name");
		}
	}

	@Test
	void namespaceFitsItsColumn() {
		for (String bad : new String[] { "", "a b", "\u00e4", "x".repeat(101) }) {
			assertThatIllegalArgumentException().as(bad)
				.isThrownBy(() -> settings(bad, "t"))
				.withMessageStartingWith("leasehold.namespace must be");
		}
	}

	private static JdbcSettings settings(String namespace, String table) {
		return new JdbcSettings(namespace, table, Duration.ofSeconds(1), Duration.ofMillis(5), Duration.ofMillis(100),
				Duration.ofDays(7), true);
	}

}
