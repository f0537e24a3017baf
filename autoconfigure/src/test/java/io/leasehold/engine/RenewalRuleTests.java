package io.leasehold.engine;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RenewalRule}, with a lease of 3,000 nanoseconds where nothing else is
 * said.
 */
class RenewalRuleTests {

	private static final long LEASE = 3000;

	@Test
	void leaseIsRenewedAfterAThird() {
		assertThat(RenewalRule.period(LEASE)).isEqualTo(1000);
		assertThat(RenewalRule.period(Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(10));
		assertThat(RenewalRule.ahead(LEASE)).isEqualTo(100);
	}

	/** A grant may be shorter than its lease, or longer. */
	@ParameterizedTest
	@CsvSource({ "3000, 1000", "2500, 833", "3300, 1000", "2900, 966", "900, 300", "0, 0" })
	void renewalIsDueWhenAPeriodHasPassed(long remaining, long due) {
		assertThat(RenewalRule.untilDue(LEASE, remaining)).isEqualTo(due);
	}

	@ParameterizedTest
	@CsvSource({ "2000, true", "2001, false" })
	void grantThatLacksAPeriodIsShort(long remaining, boolean isShort) {
		assertThat(RenewalRule.isShort(LEASE, remaining)).isEqualTo(isShort);
	}

	@ParameterizedTest
	@CsvSource({ "PT5S, PT0.5S", "PT10S, PT1S", "PT30S, PT1S" })
	void failedRenewalIsRepeatedAfterATenthOrASecond(Duration lease, Duration pause) {
		assertThat(RenewalRule.retryPause(lease.toNanos())).isEqualTo(pause.toNanos());
	}

	@ParameterizedTest
	@CsvSource({ "1500, 999, true", "1499, 999, false", "1500, 1000, false" })
	void grantIsPassedOnWithHalfOfTheLeaseLeftAndWithinAPeriod(long remaining, long unconfirmed, boolean fresh) {
		assertThat(RenewalRule.isFresh(LEASE, remaining, unconfirmed)).isEqualTo(fresh);
	}

	/** An extension up to the margin may be that of a lease that was just granted. */
	@Test
	void extensionIsWorthARequestFromTwiceTheMarginOn() {
		long lease = Duration.ofSeconds(10).toNanos();
		assertThat(RenewalRule.margin(lease)).isEqualTo(Duration.ofMillis(102).toNanos());
		assertThat(RenewalRule.leastGain(lease)).isEqualTo(Duration.ofMillis(204).toNanos());
	}

	@ParameterizedTest
	@CsvSource({ "PT3S, PT4S", "PT30S, PT40S" })
	void quarterOfASessionIsReserved(Duration lease, Duration session) {
		assertThat(RenewalRule.sessionTimeout(lease)).isEqualTo(session);
		assertThat(RenewalRule.longestLease(session)).isEqualTo(lease);
	}

	@Test
	void shortestLeaseIsThatOfTwoCalls() {
		assertThat(RenewalRule.minLease(Duration.ofSeconds(2))).isEqualTo(Duration.ofSeconds(4));
	}

}
