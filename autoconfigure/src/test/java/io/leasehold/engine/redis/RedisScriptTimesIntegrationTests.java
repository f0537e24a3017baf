package io.leasehold.engine.redis;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the times and numbers that the atomic steps compute, with grants whose
 * numbers are chosen by the test.
 */
class RedisScriptTimesIntegrationTests extends RedisScripts {

	private static final long MIN_HOLD = 5000;

	private static final String OWNER = A + "#x," + MIN_HOLD + ",0";

	private static final String READER = A + "#s,0,0";

	@Test
	void minHoldCountsFromTheGrant() {
		long elapsed = 2000;
		grantedAt(serverMicros() - elapsed * 1000);
		assertThat(close(OWNER)).isOne();
		assertThat(redis.pttl(KEYS.lock())).isBetween(1L, MIN_HOLD - elapsed + 1);
	}

	/** Redis refuses to keep a key for zero milliseconds. */
	@Test
	void releaseInTheLastMillisecondOfTheMinHoldFreesTheKey() {
		for (long rest = -500; rest < 3000; rest += 50) {
			grantedAt(serverMicros() - MIN_HOLD * 1000 + rest);
			assertThat(close(OWNER)).isOne();
			assertThat(redis.pttl(KEYS.lock())).isLessThanOrEqualTo(4);
			redis.del(KEYS.lock());
		}
	}

	@Test
	void busyTellsTheNumberOfTheGrantIfTheGreatestNumberIsForgotten() {
		long number = granted(acquire(A, LEASE, ""));
		redis.del(KEYS.number());
		assertThat(acquire(B, LEASE, "")).element(1).isEqualTo("" + number);
	}

	@Test
	void readerWhosePlaceIsLostHasNothingToRelease() {
		granted(acquire(READER, LEASE, ""));
		redis.del(KEYS.holders());
		assertThat(close(READER)).isZero();
	}

	private static void grantedAt(long number) {
		redis.psetex(KEYS.lock(), LEASE, number + ":" + OWNER);
	}

}
