package io.leasehold.engine.support;

import java.time.Duration;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Jitter}.
 */
class JitterTests {

	/** The chance that 10,000 values all miss a tenth of their range is below 10^-400. */
	@Test
	void pauseIsShortenedByTheShareAtMost() {
		long longest = Duration.ofSeconds(1).toNanos();
		assertThat(shortened(longest, Jitter.OF_BACKOFF)).allMatch((pause) -> pause >= longest / 2 && pause <= longest)
			.anyMatch((pause) -> pause < longest / 20 * 11)
			.anyMatch((pause) -> pause > longest / 20 * 19);
		assertThat(shortened(longest, Jitter.OF_POLLS)).allMatch((pause) -> pause >= longest / 10 * 9)
			.anyMatch((pause) -> pause < longest / 100 * 91)
			.anyMatch((pause) -> pause > longest / 100 * 99);
	}

	@Test
	void bothBoundsAreReached() {
		assertThat(shortened(2, 0.5)).contains(1L, 2L).allMatch((pause) -> pause == 1 || pause == 2);
	}

	@Test
	void noPauseRemainsNone() {
		assertThat(Jitter.shorten(Duration.ZERO, Jitter.OF_BACKOFF)).isZero();
	}

	private static LongStream shortened(long longest, double share) {
		return IntStream.range(0, 10_000).mapToLong((i) -> Jitter.shorten(Duration.ofNanos(longest), share).toNanos());
	}

}
