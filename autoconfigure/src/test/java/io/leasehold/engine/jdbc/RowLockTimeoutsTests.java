package io.leasehold.engine.jdbc;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Wait times as lock timeouts of databases, whose units and limits differ.
 */
class RowLockTimeoutsTests {

	private static final Duration NANOSECOND = Duration.ofNanos(1);

	/** Zero would be an unlimited wait on PostgreSQL, and a single attempt on others. */
	@Test
	void timeoutsAreRoundedUp() {
		assertThat(AdvisoryLocks.millis(NANOSECOND)).isOne();
		assertThat(AdvisoryLocks.millis(Duration.ofMillis(7))).isEqualTo(7);
		assertThat(AdvisoryLocks.millis(Duration.ofMillis(7).plus(NANOSECOND))).isEqualTo(8);
		assertThat(MySqlRowLocks.seconds(NANOSECOND)).isOne();
		assertThat(MySqlRowLocks.seconds(Duration.ofSeconds(7))).isEqualTo(7);
		assertThat(MySqlRowLocks.seconds(Duration.ofSeconds(7).plus(NANOSECOND))).isEqualTo(8);
		assertThat(new H2RowLocks("locks").locking(false, NANOSECOND)).isEqualTo("FOR UPDATE WAIT 0.001");
		assertThat(new H2RowLocks("locks").locking(false, Duration.ofMillis(12_034)))
			.isEqualTo("FOR UPDATE WAIT 12.034");
	}

	@Test
	void longWaitsAreLimitedToTheLongestTimeoutOfTheDatabase() {
		Duration forever = Duration.ofSeconds(Long.MAX_VALUE);
		assertThat(AdvisoryLocks.millis(Duration.ofMillis(Integer.MAX_VALUE - 1))).isEqualTo(Integer.MAX_VALUE - 1);
		assertThat(AdvisoryLocks.millis(forever)).isEqualTo(Integer.MAX_VALUE);
		assertThat(MySqlRowLocks.seconds(Duration.ofDays(365).minusSeconds(1)))
			.isEqualTo(Duration.ofDays(365).toSeconds() - 1);
		assertThat(MySqlRowLocks.seconds(forever)).isEqualTo(Duration.ofDays(365).toSeconds());
		assertThat(new H2RowLocks("locks").locking(false, Duration.ofDays(365)))
			.isEqualTo("FOR UPDATE WAIT 2147483.647");
	}

	@Test
	void singleAttemptsDoNotWait() {
		assertThat(new H2RowLocks("locks").locking(false, Duration.ZERO)).isEqualTo("FOR UPDATE NOWAIT");
		MySqlRowLocks locks = new MySqlRowLocks("locks", "LOCK IN SHARE MODE");
		assertThat(locks.locking(true, Duration.ZERO)).isEqualTo("LOCK IN SHARE MODE NOWAIT");
		assertThat(locks.locking(false, NANOSECOND)).isEqualTo("FOR UPDATE");
	}

}
