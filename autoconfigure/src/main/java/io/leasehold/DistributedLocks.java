package io.leasehold;

import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Locks shared by every process that uses the same store and namespace: the programmatic
 * counterpart of the annotation. Thread-safe; one bean an application.
 * <p>
 * A caller that runs in a {@linkplain HeldLockScope scope} of a key's lock re-enters it
 * without a request to the store. A handle alone is re-entered by nobody, also not by the
 * thread that acquired it, since it may be passed to another thread. Permits are never
 * re-entered.
 */
public interface DistributedLocks {

	/**
	 * Return the configured options.
	 * @return the options used where none are given
	 */
	LockOptions defaults();

	/**
	 * Take a lock, waiting as configured.
	 * @param key the key
	 * @return the held lock, to be closed
	 * @throws LockBusyException if another owner kept it for the whole wait time
	 * @throws LockEngineException if the store could not be asked within that time
	 * @throws LockInterruptedException if the thread was interrupted meanwhile
	 * @throws LockKeyException if the key cannot name a lock
	 */
	default HeldLock acquire(String key) {
		return acquire(key, defaults());
	}

	/**
	 * Take a lock.
	 * @param key the key
	 * @param options how to take and hold it
	 * @return the held lock, to be closed
	 * @throws LockBusyException if another owner kept it for the whole wait time
	 * @throws LockEngineException if the store could not be asked within that time
	 * @throws LockInterruptedException if the thread was interrupted meanwhile
	 * @throws LockKeyException if the key cannot name a lock
	 */
	HeldLock acquire(String key, LockOptions options);

	/**
	 * Take the locks of several keys: all of them within one wait time, or none. They are
	 * taken in one order everywhere, whatever the order in which they are given, so that
	 * callers of the same keys cannot wait for each other in a circle.
	 * @param keys the keys; those that are given twice count once
	 * @param options how to take and hold them
	 * @return the held locks as one, to be closed
	 * @throws LockBusyException if another owner kept one of them for the whole wait time
	 * @throws LockEngineException if the store could not be asked within that time
	 * @throws LockInterruptedException if the thread was interrupted meanwhile
	 * @throws LockKeyException if there is no key, or one that cannot name a lock
	 */
	HeldLock acquireAll(Collection<String> keys, LockOptions options);

	/**
	 * Take the locks of several keys, waiting as configured.
	 * @param keys the keys
	 * @return the held locks as one, to be closed
	 * @see #acquireAll(Collection, LockOptions)
	 */
	default HeldLock acquireAll(Collection<String> keys) {
		return acquireAll(keys, defaults());
	}

	/**
	 * Acquire several permits of a key: all of them within one wait time, or none. One
	 * caller at a time collects permits; callers that want a single one do not wait for
	 * it. Each permit has its own lease and fencing token, see {@link HeldLock#parts()}.
	 * @param key the key
	 * @param count how many permits, at most those of the options
	 * @param options how to acquire and hold them, with the number of permits of the key
	 * @return the permits as one lock, to be closed
	 * @throws IllegalArgumentException if the key does not have so many permits
	 * @throws LockBusyException if they were not free within the wait time
	 * @throws LockEngineException if the store did not respond within that time
	 * @throws LockInterruptedException if the thread was interrupted meanwhile
	 * @throws LockKeyException if the key cannot name a lock
	 */
	HeldLock acquirePermits(String key, int count, LockOptions options);

	/**
	 * Ask the store whether the grant behind a fencing token is still in force: for a
	 * resource that cannot compare tokens itself, just before it is touched. Passes of
	 * one grant inside a process are not told apart.
	 * @param key the key
	 * @param token the token that the holder of the key shows
	 * @param options where to ask
	 * @return whether the key is held under that token's grant
	 * @throws LockEngineException if the store did not answer, which is no no
	 * @throws LockKeyException if the key cannot name a lock
	 */
	boolean isCurrent(String key, long token, LockOptions options);

	/**
	 * Ask the store of the default engine whether the grant behind a fencing token is
	 * still in force.
	 * @param key the key
	 * @param token the token that the holder of the key shows
	 * @return whether the key is held under that token's grant
	 * @see #isCurrent(String, long, LockOptions)
	 */
	default boolean isCurrent(String key, long token) {
		return isCurrent(key, token, defaults());
	}

	/**
	 * Take a lock if it is free now.
	 * @param key the key
	 * @return the held lock, or empty if another owner has it
	 * @throws LockEngineException if the store could not be asked
	 * @throws LockKeyException if the key cannot name a lock
	 */
	default Optional<HeldLock> tryAcquire(String key) {
		return tryAcquire(key, defaults().withWaitTime(Duration.ZERO));
	}

	/**
	 * Take a lock if it becomes free within the options' wait time.
	 * @param key the key
	 * @param options how to take and hold it
	 * @return the held lock, or empty if another owner kept it
	 * @throws LockEngineException if the store could not be asked within that time
	 * @throws LockInterruptedException if the thread was interrupted meanwhile
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
	 * Take a lock without blocking the caller. Cancelling the future gives up the wait,
	 * or the lock if it was just granted.
	 * <p>
	 * The future completes in a thread of the library, which runs dependent code of
	 * yours. That code may block; once it blocks 256 threads, completions of other
	 * futures have to wait for it.
	 * @param key the key
	 * @param options how to take and hold it
	 * @return completes with the held lock, or with the exceptions of
	 * {@link #acquire(String, LockOptions)}
	 * @throws LockKeyException if the key cannot name a lock
	 */
	CompletableFuture<HeldLock> acquireAsync(String key, LockOptions options);

	/**
	 * Take a lock without blocking the caller, with the configured options.
	 * @param key the key
	 * @return completes with the held lock
	 * @throws LockKeyException if the key cannot name a lock
	 */
	default CompletableFuture<HeldLock> acquireAsync(String key) {
		return acquireAsync(key, defaults());
	}

	/**
	 * Do some work under a lock, with the configured options.
	 * @param <T> type of the result
	 * @param <X> type of the checked exception
	 * @param key the key
	 * @param work the work
	 * @return the work's result
	 * @throws X whatever the work throws
	 * @throws LockLostException if the lock was lost while the work went on
	 */
	default <T, X extends Throwable> T call(String key, LockedCall<T, X> work) throws X {
		return call(key, defaults(), work);
	}

	/**
	 * Do some work under a lock.
	 * @param <T> type of the result
	 * @param <X> type of the checked exception
	 * @param key the key
	 * @param options how to take and hold the lock
	 * @param work the work
	 * @return the work's result
	 * @throws X whatever the work throws
	 * @throws LockLostException if the lock was lost while the work went on
	 */
	@SuppressWarnings("try")
	default <T, X extends Throwable> T call(String key, LockOptions options, LockedCall<T, X> work) throws X {
		try (HeldLock lock = acquire(key, options); HeldLockScope scope = HeldLockScope.open(lock)) {
			return work.call(lock);
		}
	}

	/**
	 * Return a lock as the JDK knows it: owned by its thread, which re-enters it until it
	 * unlocks it, and no longer renewed once that thread has died. Keep the object: what
	 * was locked through it has to be unlocked through it. It has no conditions, and
	 * {@code lock()} waits without end. After a loss each way to lock throws
	 * {@link LockLostException} in the thread that lost the lock, until that thread has
	 * unlocked it.
	 * @param key the key
	 * @return a view of the lock, which takes nothing yet
	 * @throws LockKeyException if the key cannot name a lock
	 */
	default LockView asLock(String key) {
		return asLock(key, defaults());
	}

	/**
	 * Return a read lock and a write lock as the JDK knows them, each owned by its thread
	 * like that of {@link #asLock(String)}. Any number of threads and processes hold the
	 * read lock, or one holds the write lock; readers that come after a waiting writer
	 * wait behind it. A thread with the write lock may take the read lock, too: others
	 * are let in when it has given back both. The other way round {@code tryLock()}
	 * returns {@code false} and {@code lock()} throws {@link LockModeException}.
	 * @param key the key
	 * @return two views of the lock, which take nothing yet
	 * @throws LockKeyException if the key cannot name a lock
	 * @throws IllegalArgumentException if the engine has no shared locks
	 */
	default ReadWriteLockView asReadWriteLock(String key) {
		return asReadWriteLock(key, defaults());
	}

	/**
	 * Return a read lock and a write lock as the JDK knows them.
	 * @param key the key
	 * @param options how to take and hold them; mode and wait time are not used
	 * @return two views of the lock, which take nothing yet
	 * @see #asReadWriteLock(String)
	 */
	ReadWriteLockView asReadWriteLock(String key, LockOptions options);

	/**
	 * Return a lock as the JDK knows it.
	 * @param key the key
	 * @param options how to take and hold it; the wait time is not used
	 * @return a view of the lock, which takes nothing yet
	 * @throws LockKeyException if the key cannot name a lock
	 */
	LockView asLock(String key, LockOptions options);

}
