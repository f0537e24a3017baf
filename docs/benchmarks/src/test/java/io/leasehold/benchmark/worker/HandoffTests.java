package io.leasehold.benchmark.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import io.leasehold.benchmark.contender.Contender;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class HandoffTests {

	private static final Duration LATE = Duration.ofMillis(3);

	private static final Duration HOLD = Duration.ofMillis(12);

	/** Much longer than any pause of a busy machine. */
	private static final Duration TIME = Duration.ofSeconds(4);

	private final ReentrantLock lock = new ReentrantLock(true);

	@TempDir
	Path folder;

	@Test
	void latencyBeginsWithTheCallThatGivesBack() throws Exception {
		Contender late = (key) -> {
			this.lock.lock();
			return () -> {
				LockSupport.parkNanos(LATE.toNanos());
				this.lock.unlock();
			};
		};
		Handoff handoff = new Handoff(this.folder.resolve("board").toString(), TIME, HOLD);
		CompletableFuture<Sample> other = CompletableFuture.supplyAsync(() -> run(handoff, late, 1));
		Sample sample = run(handoff, late, 0);
		assertThat(sample.turns()[0] + other.join().turns()[0]).isGreaterThan(2);
		assertThat(sample.latency().getMinValue()).isGreaterThan(LATE.toNanos() * 9 / 10);
		assertThat(sample.violations() + other.join().violations()).isZero();
	}

	@Test
	void lockIsHeldWhileTheOtherWaits() throws Exception {
		AtomicLong shortest = new AtomicLong(Long.MAX_VALUE);
		Contender timed = (key) -> {
			this.lock.lock();
			long acquired = System.nanoTime();
			return () -> {
				shortest.accumulateAndGet(System.nanoTime() - acquired, Math::min);
				this.lock.unlock();
			};
		};
		Handoff handoff = new Handoff(this.folder.resolve("board").toString(), TIME, HOLD);
		CompletableFuture<Sample> other = CompletableFuture.supplyAsync(() -> run(handoff, timed, 1));
		run(handoff, timed, 0);
		other.join();
		assertThat(Duration.ofNanos(shortest.get())).isGreaterThan(HOLD.multipliedBy(9).dividedBy(10));
	}

	@Test
	void violationsAreSeenWithoutALock() {
		Contender nothing = (key) -> () -> {
		};
		Handoff handoff = new Handoff(this.folder.resolve("board").toString(), TIME, HOLD);
		CompletableFuture<Sample> other = CompletableFuture.supplyAsync(() -> run(handoff, nothing, 1));
		assertThat(run(handoff, nothing, 0).violations() + other.join().violations()).isPositive();
	}

	private static Sample run(Handoff handoff, Contender contender, int worker) {
		try {
			return handoff.run(contender, worker);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
