package io.leasehold.service.gate;

import java.time.Duration;

import io.leasehold.LockKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Affinity}.
 */
class AffinityTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final Duration LINGER = Duration.ofNanos(100);

	private final Affinity affinity = new Affinity();

	@Test
	void secondRequestWithinTheLingerTimeIsRecent() {
		assertThat(requested(KEY, 1)).isFalse();
		assertThat(requested(KEY, 101)).isTrue();
		assertThat(requested(KEY, 202)).isFalse();
		assertThat(requested(new LockKey("order:43"), 202)).isFalse();
	}

	@Test
	void pauseDoublesWithEachConflictUpToSixtyFourTimes() {
		requested(KEY, 0);
		for (long pause : new long[] { 100, 200, 400, 800, 1600, 3200, 6400, 6400 }) {
			this.affinity.conflicted(KEY, LINGER, 0);
			assertThat(requested(KEY, pause - 1)).isFalse();
			assertThat(requested(KEY, pause)).isTrue();
		}
	}

	@Test
	void grantThatNoOtherProcessWantedEndsThePauses() {
		requested(KEY, 0);
		this.affinity.conflicted(KEY, LINGER, 0);
		this.affinity.conflicted(KEY, LINGER, 0);
		this.affinity.unwanted(KEY);
		this.affinity.conflicted(KEY, LINGER, 0);
		assertThat(requested(KEY, 99)).isFalse();
		assertThat(requested(KEY, 100)).isTrue();
	}

	@Test
	void reportsAboutUnknownKeysChangeNothing() {
		this.affinity.conflicted(KEY, LINGER, 0);
		this.affinity.unwanted(KEY);
		assertThat(requested(KEY, 0)).isFalse();
		assertThat(requested(KEY, 1)).isTrue();
	}

	/** Of many more keys than there are entries, the one in use is not forgotten. */
	@Test
	void oldKeysAreForgottenBeforeOthers() {
		Duration always = Duration.ofDays(1);
		LockKey once = new LockKey("once");
		this.affinity.requested(once, always, 0);
		this.affinity.requested(KEY, always, 0);
		for (int i = 1; i <= 1_000_000; i++) {
			this.affinity.requested(new LockKey("other:" + i), always, i);
			if (i % 100 == 0) {
				assertThat(this.affinity.requested(KEY, always, i)).isTrue();
			}
		}
		assertThat(this.affinity.requested(once, always, 1_000_000)).isFalse();
	}

	/** Keys in use at the same time that are fewer than the entries are all known. */
	@Test
	void tenThousandKeysAreKnown() {
		int known = 0;
		for (int i = 0; i < 20_000; i++) {
			known += requested(new LockKey("partition:" + i % 10_000), 0) ? 1 : 0;
		}
		assertThat(known).isGreaterThan(9_900);
	}

	private boolean requested(LockKey key, long now) {
		return this.affinity.requested(key, LINGER, now);
	}

}
