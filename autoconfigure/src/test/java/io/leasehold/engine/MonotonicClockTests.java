package io.leasehold.engine;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class MonotonicClockTests {

	/** One percent and two milliseconds less than the lease, from the request on. */
	@ParameterizedTest
	@CsvSource({ "1s, 988ms", "10s, 9898ms", "100ms, 97ms", "30s, 29698ms" })
	void leaseIsBelievedInForLessThanItsLength(String lease, String believed) {
		long sent = Long.MAX_VALUE - 5;
		assertThat(MonotonicClock.validUntil(sent, parse(lease)) - sent).isEqualTo(parse(believed).toNanos());
	}

	private static Duration parse(String text) {
		return Duration.parse("PT"
				+ (text.endsWith("ms") ? Long.parseLong(text.replace("ms", "")) / 1000.0 + "S" : text.toUpperCase()));
	}

}
