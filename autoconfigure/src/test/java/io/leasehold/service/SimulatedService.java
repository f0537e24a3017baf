package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockKeys;
import io.leasehold.LockOptions;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;

/**
 * The locks of one process in a simulation: the real service, without threads. Confined
 * to the thread of the simulation.
 */
public final class SimulatedService {

	private final LockService locks;

	/**
	 * Create the locks of a process.
	 * @param handoffs how often a grant is passed on
	 * @param tasks runs what threads would run
	 */
	public SimulatedService(LockEngine engine, Member member, MonotonicClock clock, int handoffs, Tasks tasks) {
		LockOptions defaults = new LockOptions("test", engine.name(), Duration.ofSeconds(1), Duration.ZERO,
				Duration.ZERO, LockOptions.UNLIMITED);
		ServiceSettings settings = new ServiceSettings(defaults, OnLost.THROW, handoffs, Duration.ofMillis(50),
				LockOptions.UNLIMITED, HolderReport.NEVER);
		this.locks = new LockService(settings, List.of(engine), member, clock, List.of(), ReleaseTiming.IMMEDIATE,
				(name) -> new SimulatedThreads(name, tasks));
	}

	public LockOptions options() {
		return this.locks.defaults();
	}

	/**
	 * Acquire a lock without blocking.
	 * @param outer locks under which the caller runs
	 */
	public CompletableFuture<HeldLock> acquire(String key, LockOptions options, List<HeldLock> outer) {
		return this.locks.acquireAllAsync(LockKeys.of(new LockKey(key)), options, outer, Acquirer.NEVER_BYPASSED);
	}

	/** Close a lock without blocking. */
	public CompletableFuture<Void> close(HeldLock lock) {
		return this.locks.closeAsync(lock, options());
	}

	/** Return whether the hold of a lock was closed. */
	public static boolean isClosed(HeldLock lock) {
		return ((Handle) lock).hold.isClosed();
	}

	/** Return the number of passes before a hold with the given token. */
	public static long passes(long fencingToken) {
		return fencingToken % (ServiceSettings.MOST_HANDOFFS + 1);
	}

	/** Return the grant number of a fencing token. */
	public static long grantNumber(long fencingToken) {
		return fencingToken / (ServiceSettings.MOST_HANDOFFS + 1);
	}

	/** Reject new callers, and return whether nothing is held or being released. */
	public boolean drain() {
		boolean[] idle = new boolean[1];
		this.locks.drain(() -> idle[0] = true);
		return idle[0];
	}

	/** Tasks of one process in a simulation. */
	public interface Tasks {

		/**
		 * Run a task soon.
		 * @param blocks whether it may send a request
		 */
		void execute(Runnable task, boolean blocks);

		/** Run a task after a time on the clock of the process. */
		Future<?> schedule(Runnable task, long nanos);

		/** Return the source of random pauses. */
		RandomGenerator random();

	}

}
