package io.leasehold.service;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many threads a {@link WorkerPool} has, and what becomes of tasks without one.
 */
@Timeout(30)
class CrewTests {

	private final List<CountDownLatch> blocked = new ArrayList<>();

	private final AtomicInteger created = new AtomicInteger();

	private final AtomicInteger running = new AtomicInteger();

	private final AtomicBoolean lacking = new AtomicBoolean();

	private final ThreadFactory threads = (task) -> {
		if (this.lacking.get()) {
			throw new OutOfMemoryError("unable to create native thread");
		}
		Thread thread = new Thread(task, "crew-test-" + this.created.incrementAndGet());
		thread.setDaemon(true);
		return thread;
	};

	private final WorkerPool workers = new WorkerPool("crew-test", 2, 5, true, this.threads);

	@AfterEach
	void close() {
		this.blocked.forEach(CountDownLatch::countDown);
		this.workers.close();
	}

	@Test
	void firstThreadIsStartedInAdvanceAndOnce() {
		this.workers.start();
		this.workers.start();
		assertThat(this.created).hasValue(1);
	}

	@Test
	void tasksBeyondTheSizeWait() {
		this.workers.start();
		block(4);
		Awaitility.await().until(() -> this.running.get() == 2);
		assertThat(this.workers.waiting()).isEqualTo(2);
		unblock();
		Awaitility.await().until(() -> this.running.get() == 4);
	}

	@Test
	void secondCheckWithoutAnEndedTaskAddsAsManyThreadsAsTheSize() {
		this.workers.start();
		block(9);
		assertThat(this.workers.check()).isFalse();
		assertThat(this.created).hasValue(2);
		assertThat(this.workers.check()).isFalse();
		Awaitility.await().until(() -> this.running.get() == 4);
		assertThat(this.created).hasValue(4);
		assertThat(this.workers.check()).isFalse();
		assertThat(this.workers.check()).isTrue();
		Awaitility.await().until(() -> this.running.get() == 5);
		assertThat(this.created).hasValue(5);
		assertThat(this.workers.waiting()).isEqualTo(4);
	}

	@Test
	void checkAddsNoThreadWhileTasksEnd() {
		this.workers.start();
		block(3);
		this.workers.check();
		this.blocked.remove(0).countDown();
		Awaitility.await().until(() -> this.running.get() == 3);
		block(1);
		assertThat(this.workers.check()).isFalse();
		assertThat(this.created).hasValue(2);
	}

	/** The system had no thread for a task, not even the first one. */
	@Test
	void taskWithoutAnyThreadHasOneAfterTheNextCheck() {
		this.lacking.set(true);
		List<String> ran = new CopyOnWriteArrayList<>();
		this.workers.execute(() -> ran.add(Thread.currentThread().getName()));
		assertThat(this.workers.waiting()).isOne();
		this.workers.check();
		assertThat(ran).isEmpty();
		this.lacking.set(false);
		this.workers.check();
		Awaitility.await().until(() -> ran.size() == 1);
		assertThat(ran.get(0)).startsWith("crew-test-");
	}

	/** It is not taken for blocked, which two checks would have to find. */
	@Test
	void firstCheckStartsAThreadIfThereIsNone() {
		this.lacking.set(true);
		this.workers.execute(this.running::incrementAndGet);
		this.lacking.set(false);
		assertThat(this.running).hasValue(0);
		this.workers.check();
		Awaitility.await().until(() -> this.running.get() == 1);
	}

	@Test
	void taskThatComesAfterTheEndRunsInTheThreadOfItsCaller() {
		this.workers.close();
		List<Thread> ran = new ArrayList<>();
		this.workers.execute(() -> ran.add(Thread.currentThread()));
		assertThat(ran).containsExactly(Thread.currentThread());
	}

	@Test
	void taskThatComesAfterTheEndIsDroppedWhereItMayNotRun() {
		WorkerPool dropping = new WorkerPool("crew-test", 2, 5, false, this.threads);
		dropping.close();
		List<Thread> ran = new ArrayList<>();
		dropping.execute(() -> ran.add(Thread.currentThread()));
		assertThat(dropping.waiting()).isZero();
		assertThat(ran).isEmpty();
	}

	/** Hand over tasks that last until they are unblocked. */
	private void block(int count) {
		for (int i = 0; i < count; i++) {
			CountDownLatch end = new CountDownLatch(1);
			this.blocked.add(end);
			this.workers.execute(() -> {
				this.running.incrementAndGet();
				awaitEnd(end);
			});
		}
	}

	private static void awaitEnd(CountDownLatch end) {
		try {
			end.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void unblock() {
		this.blocked.forEach(CountDownLatch::countDown);
		this.blocked.clear();
	}

}
