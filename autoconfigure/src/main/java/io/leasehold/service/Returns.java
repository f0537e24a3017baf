package io.leasehold.service;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Executor of the releases of parked grants that nobody wants. Many may be due at the
 * same time, so they use a part of the threads only: other releases do not wait for them.
 * Until its turn, such a grant stays parked, and is released at once if it is wanted.
 * Thread-safe.
 */
final class Returns implements Executor {

	/** Maximum number of threads that run tasks. */
	static final int THREADS = 2;

	private final Executor threads;

	private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

	private final AtomicInteger running = new AtomicInteger();

	Returns(Executor threads) {
		this.threads = threads;
	}

	@Override
	public void execute(Runnable task) {
		this.tasks.add(task);
		runNext();
	}

	/** Run the next task in another thread, unless the maximum is reached. */
	private void runNext() {
		if (!this.tasks.isEmpty() && this.running.getAndUpdate((count) -> Math.min(count + 1, THREADS)) < THREADS) {
			this.threads.execute(this::run);
		}
	}

	private void run() {
		try {
			Runnable task = this.tasks.poll();
			if (task != null) {
				task.run();
			}
		}
		finally {
			this.running.decrementAndGet();
			runNext();
		}
	}

}
