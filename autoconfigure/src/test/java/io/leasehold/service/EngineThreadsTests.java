package io.leasehold.service;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.leasehold.test.contract.Fault;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link EngineThreads}: which threads start, and what becomes of tasks that
 * fail or come after the end.
 */
class EngineThreadsTests {

	private final AtomicInteger created = new AtomicInteger();

	private final EngineThreads threads = new EngineThreads("started", this::counting);

	@AfterEach
	void close() {
		this.threads.close();
	}

	@Test
	void secondStartStartsNothing() {
		this.threads.start();
		int started = this.created.get();
		assertThat(started).isEqualTo(1 + 8 + 8 + 4 + 1 + 1 + 1);
		this.threads.start();
		assertThat(this.created).hasValue(started);
	}

	@Fault(116)
	@Test
	void taskThatFailsEndsNoThread() throws Exception {
		this.threads.start();
		int started = this.created.get();
		for (int i = 0; i < 100; i++) {
			for (Executor executor : executors()) {
				executor.execute(() -> {
					throw new StackOverflowError("task");
				});
			}
		}
		for (Executor executor : executors()) {
			CountDownLatch ran = new CountDownLatch(1);
			executor.execute(ran::countDown);
			ran.await();
		}
		assertThat(this.created).hasValue(started);
	}

	@Test
	void releaseThatComesAfterTheEndRunsInTheThreadOfItsCallerAndARequestIsDropped() {
		this.threads.close();
		List<Thread> ran = new ArrayList<>();
		this.threads.releases().execute(() -> ran.add(Thread.currentThread()));
		assertThat(ran).containsExactly(Thread.currentThread());
		this.threads.workers().execute(() -> ran.add(Thread.currentThread()));
		this.threads.renewals().execute(() -> ran.add(Thread.currentThread()));
		this.threads.schedule(() -> ran.add(Thread.currentThread()), 0);
		assertThat(ran).hasSize(1);
	}

	/** Without those for user code, of which further ones may start. */
	private List<Executor> executors() {
		return List.of(this.threads.workers(), this.threads.releases(), this.threads.renewals(),
				(task) -> this.threads.schedule(task, 0));
	}

	private ThreadFactory counting(String name) {
		ThreadFactory threads = EngineThreads.daemons(name);
		return (task) -> {
			this.created.incrementAndGet();
			return threads.newThread(task);
		};
	}

}
