package io.leasehold.engine.support;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Purge}, with a clock that the test advances.
 */
class PurgeTests {

	private static final long HOUR = Duration.ofHours(1).toNanos();

	/** Readings of the clock may overflow. */
	@ParameterizedTest
	@ValueSource(longs = { 0, Long.MAX_VALUE - 10, Long.MIN_VALUE })
	void purgeIsDueAtFirstUseAndThenAboutOnceAnHour(long start) {
		AtomicLong clock = new AtomicLong(start);
		Purge purge = purge(Duration.ZERO, clock);
		assertThat(purge.takesTurn()).isTrue();
		assertThat(purge.takesTurn()).isFalse();
		clock.addAndGet(HOUR / 2 - 1);
		assertThat(purge.takesTurn()).isFalse();
		clock.addAndGet(HOUR / 2 + 1);
		assertThat(purge.takesTurn()).isTrue();
		assertThat(purge.takesTurn()).isFalse();
		clock.addAndGet(3 * HOUR);
		assertThat(purge.takesTurn()).isTrue();
		clock.addAndGet(HOUR / 2 - 1);
		assertThat(purge.takesTurn()).as("counted from the last purge").isFalse();
	}

	@Test
	void firstPurgeIsDueAfterTheGivenTime() {
		AtomicLong clock = new AtomicLong();
		Purge purge = purge(Duration.ofNanos(10), clock);
		clock.set(4);
		assertThat(purge.takesTurn()).isFalse();
		clock.set(10);
		assertThat(purge.takesTurn()).isTrue();
	}

	@Test
	void purgeHasADaemonThreadOnlyWhenItIsDue() throws Exception {
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		AtomicInteger runs = new AtomicInteger();
		Purge purge = new Purge("leasehold-test-purge", Duration.ZERO, () -> {
			runs.incrementAndGet();
			thread.complete(Thread.currentThread());
		}, () -> 0);
		purge.runIfDue();
		purge.runIfDue();
		Thread ran = thread.get(30, TimeUnit.SECONDS);
		assertThat(ran.isDaemon()).isTrue();
		assertThat(ran.getName()).isEqualTo("leasehold-test-purge-1");
		ran.join();
		assertThat(runs).hasValue(1);
	}

	@Test
	void failedPurgeIsRepeatedWhenItIsDueAgain() throws Exception {
		AtomicLong clock = new AtomicLong();
		AtomicInteger runs = new AtomicInteger();
		CompletableFuture<Integer> second = new CompletableFuture<>();
		Purge purge = new Purge("test", Duration.ZERO, () -> {
			if (runs.incrementAndGet() == 1) {
				throw new IllegalStateException("down");
			}
			second.complete(runs.get());
		}, clock::get);
		purge.runIfDue();
		clock.addAndGet(HOUR);
		purge.runIfDue();
		assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(2);
	}

	private static Purge purge(Duration first, AtomicLong clock) {
		return new Purge("test", first, () -> {
		}, clock::get);
	}

}
