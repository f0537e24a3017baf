package io.leasehold;

import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Programmatic access to locks that all processes with the same store and namespace
 * share. Thread-safe; one bean per application.
 * <p>
 * A caller that runs in a {@linkplain HeldLockScope scope} of a key's lock re-enters it
 * without a request to the store. A handle outside a scope is not re-entered, even by the
 * thread that acquired it, because it may be passed to another thread. Permits are never
 * re-entered.
 */
public interface DistributedLocks {

	/**
	 * Return the configured options.
	 * @return the options of the methods that have no options parameter
	 */
	LockOptions defaults();

	/**
	 * Acquire a lock, waiting for the configured time.
	 * @return the held lock, to be closed
	 * @see #acquire(String, LockOptions)
	 */
	default HeldLock acquire(String key) {
		return acquire(key, defaults());
	}

	/**
	 * Acquire a lock.
	 * @return the held lock, to be closed
	 * @throws LockBusyException if another owner held it for the whole wait time
	 * @throws LockEngineException if the store did not respond within that time
	 * @throws LockInterruptedException if the thread was interrupted
	 * @throws LockKeyException if the key cannot name a lock
	 */
	HeldLock acquire(String key, LockOptions options);

	/**
	 * Acquire the locks of several keys: all of them within one wait time, or none. All
	 * callers acquire keys in the same order, whatever the order of the argument, so
	 * callers of the same keys cannot deadlock.
	 * @param keys the keys; duplicates are ignored
	 * @param options how to acquire and hold them
	 * @return the held locks as one, to be closed
	 * @throws LockBusyException if another owner held one of them for the whole wait time
	 * @throws LockLostException if one of them was lost during the wait for another
	 * @throws LockEngineException if the store did not respond within that time
	 * @throws LockInterruptedException if the thread was interrupted
	 * @throws LockKeyException if there is no key, or one that cannot name a lock
	 */
	HeldLock acquireAll(Collection<String> keys, LockOptions options);

	/**
	 * Acquire the locks of several keys, waiting for the configured time.
	 * @return the held locks as one, to be closed
	 * @see #acquireAll(Collection, LockOptions)
	 */
	default HeldLock acquireAll(Collection<String> keys) {
		return acquireAll(keys, defaults());
	}

	/**
	 * Acquire several permits of a key: all of them within one wait time, or none. Only
	 * one caller at a time collects permits; a caller of a single permit does not wait
	 * for it. Each permit has its own lease and fencing token, see
	 * {@link HeldLock#parts()}.
	 * @param count how many permits, from one to the number of the options
	 * @param options how to acquire and hold them, with the number of permits of the key
	 * @return the permits as one lock, to be closed
	 * @throws IllegalArgumentException if the count is out of range
	 * @throws LockBusyException if they were not free within the wait time
	 * @throws LockLostException if one of them was lost during the wait for another
	 * @throws LockEngineException if the store did not respond within that time
	 * @throws LockInterruptedException if the thread was interrupted
	 * @throws LockKeyException if the key cannot name a lock
	 */
	HeldLock acquirePermits(String key, int count, LockOptions options);

	/**
	 * Return whether the store still holds the grant of a fencing token. Call it right
	 * before the use of a resource that cannot compare tokens itself. Acquisitions that
	 * share one grant inside a process are not distinguished.
	 * @param token the token that the holder of the key presents
	 * @param options the engine to query
	 * @return whether the key is held under that token's grant
	 * @throws LockEngineException if the store did not respond, which leaves this unknown
	 * @throws LockKeyException if the key cannot name a lock
	 */
	boolean isCurrent(String key, long token, LockOptions options);

	/**
	 * Return whether the store of the default engine still holds the grant of a fencing
	 * token.
	 * @see #isCurrent(String, long, LockOptions)
	 */
	default boolean isCurrent(String key, long token) {
		return isCurrent(key, token, defaults());
	}

	/**
	 * Acquire a lock if it is free now.
	 * @return the held lock, or empty if another owner holds it
	 * @throws LockEngineException if the store did not respond
	 * @throws LockKeyException if the key cannot name a lock
	 */
	default Optional<HeldLock> tryAcquire(String key) {
		return tryAcquire(key, defaults().toBuilder().waitTime(Duration.ZERO).build());
	}

	/**
	 * Acquire a lock if it becomes free within the options' wait time.
	 * @return the held lock, or empty if another owner held it for the whole wait time
	 * @throws LockEngineException if the store did not respond within that time
	 * @throws LockInterruptedException if the thread was interrupted
	 * @throws LockKeyException if the key cannot name a lock
	 */
	default Optional<HeldLock> tryAcquire(String key, LockOptions options) {
		try {
			return Optional.of(acquire(key, options));
		}
		catch (LockBusyException ex) {
			return Optional.empty();
		}
	}

	/**
	 * Acquire a lock without blocking the caller. Cancelling the future, or completing it
	 * in another way such as {@code orTimeout}, ends the wait, or releases the lock if it
	 * was just granted.
	 * <p>
	 * The future completes in a thread of the library, which also runs dependent stages.
	 * These may block. Once they block 256 threads, completions of other futures wait.
	 * @return completes with the held lock, or with the exceptions of
	 * {@link #acquire(String, LockOptions)}
	 * @throws LockKeyException if the key cannot name a lock
	 */
	CompletableFuture<HeldLock> acquireAsync(String key, LockOptions options);

	/**
	 * Acquire a lock without blocking the caller, with the configured options.
	 * @see #acquireAsync(String, LockOptions)
	 */
	default CompletableFuture<HeldLock> acquireAsync(String key) {
		return acquireAsync(key, defaults());
	}

	/**
	 * Run some work under a lock, with the configured options.
	 * @throws X any exception of the work
	 * @see #call(String, LockOptions, LockedCall)
	 */
	default <T, X extends Throwable> T call(String key, LockedCall<T, X> work) throws X {
		return call(key, defaults(), work);
	}

	/**
	 * Run some work under a lock.
	 * @return the work's result
	 * @throws X any exception of the work
	 * @throws LockLostException if the lock was lost during the work
	 */
	@SuppressWarnings("try")
	default <T, X extends Throwable> T call(String key, LockOptions options, LockedCall<T, X> work) throws X {
		try (HeldLock lock = acquire(key, options); HeldLockScope scope = HeldLockScope.open(lock)) {
			return work.call(lock);
		}
	}

	/**
	 * Return a JDK lock. It is owned by its thread, which re-enters it, and is no longer
	 * renewed once that thread has died. Another view of the key may unlock it.
	 * Conditions are not supported, and {@code lock()} waits without limit. After a loss,
	 * each method that locks throws {@link LockLostException} in the thread that lost the
	 * lock, until that thread has unlocked it.
	 * @return a view of the lock, which is not acquired yet
	 * @throws LockKeyException if the key cannot name a lock
	 */
	default LockView asLock(String key) {
		return asLock(key, defaults());
	}

	/**
	 * Return a JDK read lock and write lock, each owned by its thread as that of
	 * {@link #asLock(String)}. Either any number of threads and processes hold the read
	 * lock, or one thread holds the write lock. Readers that arrive after a waiting
	 * writer queue behind it. A thread that holds the write lock may also acquire the
	 * read lock; the key becomes available when both are released. For a thread that
	 * holds only the read lock, {@code tryLock()} on the write lock returns {@code false}
	 * and {@code lock()} throws {@link LockModeException}.
	 * @return two views of the lock, which is not acquired yet
	 * @throws LockKeyException if the key cannot name a lock
	 * @throws IllegalArgumentException if the engine does not support shared locks
	 */
	default ReadWriteLockView asReadWriteLock(String key) {
		return asReadWriteLock(key, defaults());
	}

	/**
	 * Return a JDK read lock and write lock.
	 * @param options how to acquire and hold them; mode and wait time are not used
	 * @return two views of the lock, which is not acquired yet
	 * @see #asReadWriteLock(String)
	 */
	ReadWriteLockView asReadWriteLock(String key, LockOptions options);

	/**
	 * Return a JDK lock.
	 * @param options how to acquire and hold it; the wait time is not used
	 * @return a view of the lock, which is not acquired yet
	 * @throws LockKeyException if the key cannot name a lock
	 */
	LockView asLock(String key, LockOptions options);

}
