package io.leasehold.service;

import java.time.Duration;
import java.util.Collection;
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
import io.leasehold.service.gate.Hold;

/**
 * The locks of one process in a simulation: the real service, without threads of its own.
 * Confined to the simulation.
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
				LockOptions.UNLIMITED, LockOptions.UNLIMITED, HolderReport.NEVER, DeadlockPolicy.WARN);
		this.locks = new LockService(settings, List.of(engine), member, clock, List.of(), ReleaseTiming.IMMEDIATE,
				(name) -> new SimulatedThreads(name, tasks), (key, options, thread, bound, start) -> new Waiter(key,
						options, thread, bound, start, tasks.parking()));
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

	/** Acquire the locks of several keys without blocking: all of them, or none. */
	public CompletableFuture<HeldLock> acquireAll(Collection<String> keys, LockOptions options) {
		return this.locks.acquireAllAsync(LockKeys.of(keys), options, List.of(), Acquirer.NEVER_BYPASSED);
	}

	/** Acquire a lock in a thread that blocks. */
	public HeldLock acquire(String key, LockOptions options) {
		return this.locks.acquire(key, options);
	}

	/** Mark a lock as lost, because its caller's result was cancelled. */
	public void cancelled(HeldLock lock) {
		this.locks.cancelled(lock);
	}

	/**
	 * Release a key by force, in a thread that blocks.
	 * @return the grant numbers of its holders
	 */
	public List<Long> forceRelease(String key) {
		return this.locks.inspector()
			.forceRelease(options().engine(), new LockKey(key))
			.stream()
			.map((holder) -> grantNumber(holder.fencingToken()))
			.toList();
	}

	/** Return how many callers wait for a key in this process. */
	public int waiting(String key) {
		return this.locks.inspector().overview(options().engine(), new LockKey(key)).waiting().size();
	}

	/** Close a lock without blocking. */
	public CompletableFuture<Void> close(HeldLock lock) {
		return this.locks.closeAsync(lock, options());
	}

	/**
	 * Return whether a lock counts as valid at a reading of its process's clock. Unlike
	 * {@link HeldLock#isValid()}, this does not end a hold that has expired.
	 */
	public static boolean isValid(HeldLock lock, long now) {
		Hold hold = ((Handle) lock).hold;
		return Handle.isOpenHandle(lock, hold) && hold.lossCause() == null && hold.remaining(now) > 0;
	}

	/** Return whether the hold of a lock was closed. */
	public static boolean isClosed(HeldLock lock) {
		return ((Handle) lock).hold.isClosed();
	}

	/** Return whether the grant of a lock was parked before. */
	public static boolean entersParked(HeldLock lock) {
		Hold hold = ((Handle) lock).hold;
		return hold.pass > 0 && !hold.isPassed();
	}

	/** Return when a lock's hold began, on the clock of its process. */
	public static long since(HeldLock lock) {
		return ((Handle) lock).hold.since;
	}

	/** Return the numbers of the grants that are parked. */
	public List<Long> parked() {
		return this.locks.inspector()
			.overview()
			.parked()
			.stream()
			.map((lock) -> grantNumber(lock.fencingToken()))
			.toList();
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

		/** Return how the current thread blocks. */
		Parking parking();

		/** Return the source of random pauses. */
		RandomGenerator random();

	}

	/** How one thread blocks, in place of {@code LockSupport}. */
	public interface Parking {

		/** Block the thread until it is unparked or interrupted, or a time has passed. */
		void park(long nanos);

		void unpark();

	}

	/** Waiter whose thread parks in virtual time. */
	private static final class Waiter extends BlockingWaiter {

		private final Parking parking;

		Waiter(LockKey key, LockOptions options, Thread thread, boolean bound, long start, Parking parking) {
			super(key, options, thread, bound, start);
			this.parking = parking;
		}

		@Override
		Waiter again() {
			return continuedBy(new Waiter(key(), options(), thread(), isBound(), start(), this.parking));
		}

		@Override
		void park(long nanos) {
			this.parking.park(nanos);
		}

		@Override
		void unpark() {
			this.parking.unpark();
		}

	}

}
