package io.leasehold.engine.redlock;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link RedlockSettings}.
 */
class RedlockSettingsTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	@Test
	void leaseIsAtMostTheRestartDelay() {
		RedlockSettings settings = settings(SECOND, SECOND, Duration.ofSeconds(2));
		assertThat(settings.lease(Duration.ofSeconds(3), Duration.ZERO)).isEqualTo(Duration.ofSeconds(2));
		assertThat(settings.lease(Duration.ofSeconds(3), Duration.ofMillis(500))).isEqualTo(Duration.ofMillis(1500));
		assertThat(settings.lease(SECOND, SECOND)).isEqualTo(SECOND);
		assertThat(settings(SECOND, SECOND, Duration.ZERO).lease(Duration.ofDays(1), SECOND))
			.isEqualTo(Duration.ofDays(1));
	}

	@Test
	void shortestAndLongestValuesAreValid() {
		Duration shortest = Duration.ofMillis(1);
		Duration longest = Duration.ofDays(3650);
		assertThat(settings(shortest, longest, Duration.ofMillis(2)).commandTimeout()).isEqualTo(shortest);
		assertThatIllegalArgumentException().isThrownBy(() -> settings(SECOND, longest.plusNanos(1), Duration.ZERO));
	}

	@Test
	void invalidValuesNameTheirProperty() {
		assertThatIllegalArgumentException().isThrownBy(() -> settings(Duration.ZERO, SECOND, Duration.ZERO))
			.withMessage("leasehold.redlock.command-timeout must be at least 1ms and at most 3650d, but is PT0S");
		assertThatIllegalArgumentException().isThrownBy(() -> settings(SECOND, Duration.ofDays(4000), Duration.ZERO))
			.withMessageStartingWith("leasehold.redlock.poll-interval must be");
		assertThatIllegalArgumentException().isThrownBy(() -> settings(SECOND, SECOND, SECOND.negated()))
			.withMessageStartingWith("leasehold.redlock.restart-delay must be at least 0ms");
		assertThatIllegalArgumentException().isThrownBy(() -> settings(SECOND, SECOND, Duration.ofMillis(1999)))
			.withMessage(
					"leasehold.redlock.restart-delay (PT1.999S) must be 0 or at least PT2S, twice command-timeout");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RedlockSettings(" ", SECOND, SECOND, Duration.ZERO, SECOND))
			.withMessage("leasehold.namespace must not be blank");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RedlockSettings("n", SECOND, SECOND, Duration.ZERO, Duration.ZERO))
			.withMessageStartingWith("leasehold.fencing.retention must be");
	}

	private static RedlockSettings settings(Duration commandTimeout, Duration pollInterval, Duration restartDelay) {
		return new RedlockSettings("n", commandTimeout, pollInterval, restartDelay, SECOND);
	}

}
