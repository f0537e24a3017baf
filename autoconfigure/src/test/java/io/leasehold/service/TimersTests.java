package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Timers}: tasks that could not be planned, and the heartbeat.
 */
@Timeout(60)
class TimersTests {

	private final AtomicInteger created = new AtomicInteger();

	private final AtomicBoolean lacking = new AtomicBoolean();

	private final AtomicInteger attempts = new AtomicInteger();

	private final AtomicInteger heartbeats = new AtomicInteger();

	private final Timers timers = new Timers((task) -> {
		Thread thread = new Thread(task, "timers-test-" + this.created.incrementAndGet());
		thread.setDaemon(true);
		return thread;
	}) {
		@Override
		Future<?> plan(ScheduledThreadPoolExecutor thread, Runnable task, long nanos) {
			TimersTests.this.attempts.incrementAndGet();
			if (TimersTests.this.lacking.get()) {
				throw new RejectedExecutionException();
			}
			return super.plan(thread, task, nanos);
		}
	};

	@AfterEach
	void close() {
		this.timers.close();
	}

	@Test
	void taskThatCouldNotBePlannedRunsOnceAndNotBeforeItIsDue() {
		start();
		AtomicInteger runs = new AtomicInteger();
		AtomicLong ran = new AtomicLong();
		Duration delay = Duration.ofMillis(2500);
		long due = System.nanoTime() + delay.toNanos();
		this.lacking.set(true);
		this.timers.schedule(() -> {
			ran.set(System.nanoTime());
			runs.incrementAndGet();
		}, delay.toNanos());
		this.lacking.set(false);
		Awaitility.await().until(() -> runs.get() > 0);
		assertThat(ran.get() - due).isNotNegative();
		awaitHeartbeats(2);
		assertThat(runs).hasValue(1);
	}

	/** Each heartbeat retries each of them. */
	@Test
	void allTasksAreKeptUntilTheyCanBePlanned() throws Exception {
		start();
		CountDownLatch ran = new CountDownLatch(3);
		this.lacking.set(true);
		for (int i = 0; i < 3; i++) {
			this.timers.schedule(ran::countDown, 0);
		}
		awaitHeartbeats(2);
		assertThat(ran.getCount()).isEqualTo(3);
		this.lacking.set(false);
		assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void heartbeatTriesToPlanATaskOnce() {
		List<Integer> counts = new CopyOnWriteArrayList<>();
		this.lacking.set(true);
		this.timers.schedule(() -> {
		}, 0);
		this.timers.start(() -> counts.add(this.attempts.get()));
		Awaitility.await().until(() -> counts.size() > 1);
		assertThat(counts).startsWith(2, 3);
	}

	@Test
	void taskThatWasCancelledBeforeItCouldBePlannedDoesNotRun() throws Exception {
		start();
		AtomicBoolean cancelledRan = new AtomicBoolean();
		CountDownLatch ran = new CountDownLatch(1);
		this.lacking.set(true);
		this.timers.schedule(() -> cancelledRan.set(true), 0).cancel(false);
		this.timers.schedule(ran::countDown, 0);
		this.lacking.set(false);
		assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
		assertThat(cancelledRan).isFalse();
	}

	@Test
	void onlyTheFirstStartBeginsAHeartbeat() {
		start();
		AtomicBoolean second = new AtomicBoolean();
		this.timers.start(() -> second.set(true));
		assertThat(this.created).hasValue(1);
		awaitHeartbeats(2);
		assertThat(second).isFalse();
	}

	@Test
	void taskThatFailsStopsNeitherTheNextTaskNorTheHeartbeat() throws Exception {
		start();
		this.timers.schedule(() -> {
			throw new IllegalStateException("task");
		}, 0);
		CountDownLatch ran = new CountDownLatch(1);
		this.timers.schedule(ran::countDown, 0);
		assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
		awaitHeartbeats(2);
		assertThat(this.created).hasValue(1);
	}

	private void start() {
		this.timers.start(this.heartbeats::incrementAndGet);
	}

	private void awaitHeartbeats(int count) {
		int before = this.heartbeats.get();
		Awaitility.await().until(() -> this.heartbeats.get() >= before + count);
	}

}
