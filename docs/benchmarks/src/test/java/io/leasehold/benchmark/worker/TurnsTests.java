package io.leasehold.benchmark.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import io.leasehold.benchmark.contender.Contender;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class TurnsTests {

	/** Much longer than any pause of a busy machine. */
	private static final Duration TIME = Duration.ofSeconds(4);

	@TempDir
	Path folder;

	@Test
	void noViolationIsSeenUnderALock() throws Exception {
		ReentrantLock lock = new ReentrantLock();
		Sample sample = turns().run((key) -> {
			lock.lock();
			return lock::unlock;
		}, 0);
		assertThat(sample.violations()).isZero();
		assertThat(sample.turns()).hasSize(4).doesNotContain(-1);
		assertThat(sample.latency().getTotalCount()).isPositive().isLessThanOrEqualTo(sample.all());
	}

	@Test
	void violationsAreSeenWithoutALock() throws Exception {
		Contender nothing = (key) -> () -> {
		};
		assertThat(turns().run(nothing, 0).violations()).isPositive();
	}

	@Test
	void keysThatAreUsedOnceDiffer() throws Exception {
		Queue<String> keys = new ConcurrentLinkedQueue<>();
		Turns turns = new Turns(List.of(2), Work.once(), Duration.ZERO, TIME.dividedBy(2));
		for (int round = 0; round < 2; round++) {
			turns.run((key) -> {
				keys.add(key);
				return () -> LockSupport.parkNanos(1_000_000);
			}, 0);
		}
		assertThat(keys).hasSizeGreaterThan(4).doesNotHaveDuplicates();
	}

	private Turns turns() {
		Work work = Work.together(this.folder.resolve("board").toString(), Duration.ofMillis(1));
		return new Turns(List.of(4), work, Duration.ZERO, TIME);
	}

}
