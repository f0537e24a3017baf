package io.leasehold.benchmark.worker;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * What a thread locks, and what it does while it holds the lock.
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
	 * Nothing at all, under keys that nobody else uses.
	 * @param keys how many of them a thread takes in turn
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

	/**
	 * Something that only one may do at a time, under one key for all.
	 * @param file the board by which workers see each other
	 * @param time how long it takes
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
	 * @param body done under the lock; returns whether nobody else was there
	 * @param whole whether a turn's latency is that of all of it, not of the wait alone
	 */
	record Part(IntFunction<String> key, Body body, boolean whole) {

		/** What is done under a lock. */
		@FunctionalInterface
		interface Body {

			boolean wasAlone();

		}

	}

}
