package io.leasehold.transaction;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.TransientDataAccessResourceException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FencePurge}, with a clock that the test advances.
 */
class FencePurgeTests {

	private static final long HOUR = Duration.ofHours(1).toNanos();

	/** Readings of the clock may overflow. */
	@ParameterizedTest
	@ValueSource(longs = { 0, Long.MAX_VALUE - 10, Long.MIN_VALUE })
	void purgesAtFirstUseAndThenOnceAnHour(long start) {
		AtomicLong clock = new AtomicLong(start);
		FencePurge purge = new FencePurge(() -> {
		}, clock::get);
		assertThat(purge.takesTurn()).isTrue();
		assertThat(purge.takesTurn()).isFalse();
		clock.addAndGet(HOUR - 1);
		assertThat(purge.takesTurn()).isFalse();
		clock.incrementAndGet();
		assertThat(purge.takesTurn()).isTrue();
		assertThat(purge.takesTurn()).isFalse();
		clock.addAndGet(3 * HOUR);
		assertThat(purge.takesTurn()).isTrue();
		clock.addAndGet(HOUR - 1);
		assertThat(purge.takesTurn()).as("counted from the last purge").isFalse();
	}

	@Test
	void purgesInADaemonThread() throws Exception {
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		new FencePurge(() -> thread.complete(Thread.currentThread()), () -> 0).runNowAndThen();
		assertThat(thread.get(30, TimeUnit.SECONDS).isDaemon()).isTrue();
		assertThat(thread.get()).isNotSameAs(Thread.currentThread());
	}

	@Test
	void failedPurgeIsRepeatedWhenItIsDueAgain() throws Exception {
		AtomicLong clock = new AtomicLong();
		AtomicLong purges = new AtomicLong();
		CompletableFuture<Long> second = new CompletableFuture<>();
		FencePurge purge = new FencePurge(() -> {
			if (purges.incrementAndGet() == 1) {
				throw new TransientDataAccessResourceException("down");
			}
			second.complete(purges.get());
		}, clock::get);
		purge.runNowAndThen();
		clock.addAndGet(HOUR);
		purge.runNowAndThen();
		assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(2);
	}

}
