package io.leasehold.engine.jdbc;

import java.time.Duration;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class JdbcSettingsTests {

	@Test
	void tableIsAPlainNameWithOrWithoutItsSchema() {
		assertThat(settings("ns", "my_locks").table()).isEqualTo("my_locks");
		assertThat(settings("ns", "app.my_locks").table()).isEqualTo("app.my_locks");
		String longest = "a".repeat(JdbcSettings.LONGEST_NAME);
		assertThat(settings("ns", longest).holders()).isEqualTo(longest + "_holder");
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

	@Test
	void limitsOfTimesAreAccepted() {
		settings(Duration.ofMillis(250), Duration.ofMillis(1), Duration.ofMillis(1), Duration.ofSeconds(1));
		settings(Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofDays(3650));
	}

	@Test
	void timesBeyondTheirLimitsAreRefused() {
		Duration second = Duration.ofSeconds(1);
		refused("call-timeout", () -> settings(Duration.ofMillis(249), second, second, second));
		refused("call-timeout", () -> settings(Duration.ofMillis(60_001), second, second, second));
		refused("poll-min", () -> settings(second, Duration.ofMillis(2), Duration.ofMillis(1), second));
		refused("poll-max", () -> settings(second, second, Duration.ofMillis(60_001), second));
	}

	@Test
	void statementsWaitForRowsForASecondAtLeast() {
		Duration poll = Duration.ofMillis(5);
		Duration retention = Duration.ofDays(7);
		assertThat(settings(Duration.ofMillis(500), poll, poll, retention).longestWait())
			.isEqualTo(Duration.ofSeconds(1));
		assertThat(settings(Duration.ofSeconds(2), poll, poll, retention).longestWait())
			.isEqualTo(Duration.ofSeconds(2));
	}

	/** A request must not become late earlier than its sender said. */
	@Test
	void microsecondsAreRoundedUp() {
		assertThat(Sql.micros(Duration.ZERO)).isZero();
		assertThat(Sql.micros(Duration.ofNanos(1))).isEqualTo(1);
		assertThat(Sql.micros(Duration.ofNanos(1000))).isEqualTo(1);
		assertThat(Sql.micros(Duration.ofNanos(1001))).isEqualTo(2);
	}

	@Test
	void thereIsNoChannelWithoutNotifications() {
		assertThat(settings("ns", "t").channel()).startsWith("leasehold_");
		assertThat(new JdbcSettings("ns", "t", Duration.ofSeconds(1), Duration.ofMillis(5), Duration.ofMillis(100),
				Duration.ofDays(7), false)
			.channel()).isNull();
	}

	private static void refused(String property, ThrowingCallable settings) {
		assertThatIllegalArgumentException().isThrownBy(settings)
			.withMessageStartingWith("leasehold.jdbc." + property + " must be between");
	}

	private static JdbcSettings settings(Duration call, Duration pollMin, Duration pollMax, Duration retention) {
		return new JdbcSettings("ns", "t", call, pollMin, pollMax, retention, true);
	}

	private static JdbcSettings settings(String namespace, String table) {
		return new JdbcSettings(namespace, table, Duration.ofSeconds(1), Duration.ofMillis(5), Duration.ofMillis(100),
				Duration.ofDays(7), true);
	}

}
