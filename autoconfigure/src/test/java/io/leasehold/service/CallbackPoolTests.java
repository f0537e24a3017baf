package io.leasehold.service;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many threads a {@link CallbackPool} has, and what becomes of tasks without one.
 */
class CallbackPoolTests {

	private static final int SIZE = 16;

	private static final int MOST = 256;

	private final CountDownLatch end = new CountDownLatch(1);

	private final AtomicInteger created = new AtomicInteger();

	private final AtomicInteger running = new AtomicInteger();

	private final AtomicInteger ended = new AtomicInteger();

	private final AtomicBoolean lacking = new AtomicBoolean();

	private final ThreadFactory threads = (task) -> {
		if (this.lacking.get()) {
			throw new OutOfMemoryError("unable to create native thread");
		}
		this.created.incrementAndGet();
		return EngineThreads.daemons("callback-test").newThread(() -> {
			task.run();
			this.ended.incrementAndGet();
		});
	};

	private final CallbackPool pool = new CallbackPool(this.threads);

	@AfterEach
	void close() {
		this.end.countDown();
		this.pool.close();
	}

	@Test
	void firstThreadIsStartedInAdvanceAndOnce() {
		this.pool.start();
		this.pool.start();
		assertThat(this.created).hasValue(1);
	}

	@Test
	void secondCheckWithoutACompletedTaskAddsThreadsUpToAMaximum() {
		block(MOST + 1);
		awaitRunning(SIZE);
		assertThat(this.pool.check()).isFalse();
		assertThat(this.created).hasValue(SIZE);
		for (int threads = 2 * SIZE; threads < MOST; threads += SIZE) {
			assertThat(this.pool.check()).isFalse();
			awaitRunning(threads);
			assertThat(this.created).hasValue(threads);
		}
		assertThat(this.pool.check()).isTrue();
		awaitRunning(MOST);
		assertThat(this.pool.check()).isTrue();
		assertThat(this.created).hasValue(MOST);
	}

	@Test
	void checkAddsNoThreadWhileTasksComplete() throws Exception {
		CountDownLatch first = new CountDownLatch(1);
		this.pool.execute(() -> await(first));
		block(SIZE + 1);
		awaitRunning(SIZE - 1);
		this.pool.check();
		first.countDown();
		awaitRunning(SIZE);
		this.pool.check();
		assertThat(this.created).hasValue(SIZE);
	}

	@Test
	void furtherThreadsEndWhenNoTaskWaits() {
		block(2 * SIZE);
		awaitRunning(SIZE);
		this.pool.check();
		this.pool.check();
		awaitRunning(2 * SIZE);
		this.end.countDown();
		Awaitility.await().until(() -> {
			this.pool.check();
			return this.ended.get() == SIZE;
		});
	}

	@Test
	void tasksThatNoThreadCanStartForAreRunByTheFirstOne() {
		this.pool.start();
		this.lacking.set(true);
		for (int i = 0; i < 3; i++) {
			this.pool.execute(this.running::incrementAndGet);
		}
		awaitRunning(3);
		assertThat(this.created).hasValue(1);
	}

	/** The first thread is blocked, too. */
	@Test
	void checkStartsThreadsWhenThatIsPossibleAgain() {
		this.pool.start();
		this.lacking.set(true);
		block(SIZE);
		awaitRunning(1);
		this.pool.check();
		this.pool.check();
		assertThat(this.created).hasValue(1);
		this.lacking.set(false);
		this.pool.check();
		awaitRunning(SIZE);
	}

	@Test
	void taskThatComesAfterTheEndRunsInTheThreadOfItsCaller() {
		this.pool.close();
		List<Thread> ran = new ArrayList<>();
		this.pool.execute(() -> ran.add(Thread.currentThread()));
		assertThat(ran).containsExactly(Thread.currentThread());
	}

	private void block(int count) {
		for (int i = 0; i < count; i++) {
			this.pool.execute(() -> {
				this.running.incrementAndGet();
				await(this.end);
			});
		}
	}

	private void awaitRunning(int count) {
		Awaitility.await().until(() -> this.running.get() == count);
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
