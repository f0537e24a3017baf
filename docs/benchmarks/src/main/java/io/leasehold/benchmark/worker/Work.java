package io.leasehold.benchmark.worker;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * The keys that a thread locks, and the work under the lock.
 */
@FunctionalInterface
public interface Work extends Serializable {

	/**
	 * Return the work of one thread.
	 * @param worker number of the worker
	 * @param thread number of the thread
	 */
	Part of(int worker, int thread);

	/**
	 * Return work without a body, under keys that no other thread uses.
	 * @param keys number of keys that a thread locks in turn
	 */
	static Work alone(int keys) {
		return (worker, thread) -> {
			String[] names = new String[keys];
			for (int i = 0; i < keys; i++) {
				names[i] = "key-" + worker + "-" + thread + "-" + i;
			}
			return new Part((turn) -> names[turn % keys], () -> true, true);
		};
	}

	/** Return work without a body, under a new key each time. */
	static Work once() {
		return (worker, thread) -> {
			String prefix = "once-" + UUID.randomUUID() + "-";
			return new Part((turn) -> prefix + turn, () -> true, true);
		};
	}

	/**
	 * Return work under one key for all threads, whose overlaps are counted.
	 * @param file the board by which workers detect overlaps
	 * @param time duration of the work
	 */
	static Work together(String file, Duration time) {
		return (worker, thread) -> {
			Board board = open(file);
			return new Part((turn) -> "hot", () -> {
				boolean alone = board.add(0, 1) == 1;
				if (!time.isZero()) {
					LockSupport.parkNanos(time.toNanos());
				}
				board.add(0, -1);
				return alone;
			}, false);
		};
	}

	private static Board open(String file) {
		try {
			return Board.open(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The work of one thread.
	 *
	 * @param key the key of each turn
	 * @param body the work under the lock; returns whether no other thread overlapped
	 * @param whole whether the latency is that of the whole turn, not of the wait alone
	 */
	record Part(IntFunction<String> key, Body body, boolean whole) {

		/** Work under a lock. */
		@FunctionalInterface
		interface Body {

			boolean wasAlone();

		}

	}

}
