package io.leasehold.service;

import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Threads of an engine to which handing a task over goes wrong where a test wants it: the
 * pool throws, loses the task, or finds that the system has no thread left.
 */
final class FailingThreads extends EngineThreads.Parts {

	private final AtomicInteger handOvers = new AtomicInteger();

	private volatile Predicate<HandOver> fails = (handOver) -> false;

	/** What is thrown; if nothing is, the task is lost. */
	private volatile @Nullable Throwable error;

	private volatile boolean exhausted;

	/** How many tasks were handed over. */
	int handOvers() {
		return this.handOvers.get();
	}

	/** Let some hand-overs throw an error. */
	FailingThreads failing(Predicate<HandOver> fails, Throwable error) {
		this.error = error;
		this.fails = fails;
		return this;
	}

	/** Lose the tasks of some hand-overs. */
	FailingThreads losing(Predicate<HandOver> fails) {
		this.fails = fails;
		return this;
	}

	/** Whether the system has no thread left. */
	void exhausted(boolean exhausted) {
		this.exhausted = exhausted;
	}

	@Override
	WorkerPool workers(String name, int size, int mostSize, boolean runsWhenClosed) {
		return new WorkerPool(name, size, mostSize, runsWhenClosed, threads(name)) {
			@Override
			void handOver(ThreadPoolExecutor pool, Runnable task) {
				if (!fails(name)) {
					super.handOver(pool, task);
				}
			}
		};
	}

	@Override
	Timers timers(String name) {
		return new Timers(threads(name)) {
			@Override
			Future<?> plan(ScheduledThreadPoolExecutor thread, Runnable task, long nanos) {
				return fails(name) ? new FutureTask<>(task, null) : super.plan(thread, task, nanos);
			}
		};
	}

	@Override
	ThreadFactory threads(String name) {
		ThreadFactory threads = super.threads(name);
		return (task) -> {
			if (this.exhausted) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			return threads.newThread(task);
		};
	}

	/** Whether the task is lost, unless its hand-over throws. */
	private boolean fails(String name) {
		HandOver handOver = new HandOver(name, this.handOvers.incrementAndGet());
		if (!this.fails.test(handOver)) {
			return false;
		}
		if (this.error != null) {
			FailingThreads.<RuntimeException>sneak(this.error);
		}
		return true;
	}

	@SuppressWarnings("unchecked")
	private static <E extends Throwable> void sneak(Throwable error) throws E {
		throw (E) error;
	}

	/**
	 * A task is handed over.
	 *
	 * @param pool name of the pool
	 * @param number its number, from 1
	 */
	record HandOver(String pool, int number) {
	}

}
