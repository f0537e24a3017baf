package io.leasehold;

/**
 * Protection of the application's database against commits of former owners of a lock,
 * for any engine and any length of pause. The guard announces the lock's token to the
 * database before the work begins, which fails if a later owner has announced its own.
 * Each transaction compares the token as its last statement. A former owner can therefore
 * write neither between its successor's read and write nor after them.
 * <p>
 * Only transactions on that database are guarded. This is the programmatic form of
 * {@code @DistributedLock(fenced = true)}. Thread-safe.
 */
public interface FencingGuard {

	/**
	 * Announce a lock's token, and guard the transactions that the current thread commits
	 * until the scope is closed. The lock becomes the thread's
	 * {@linkplain HeldLock#current() current} one.
	 * @param lock the lock, which the caller still has to close
	 * @return the scope, to be closed by the same thread before the lock is closed
	 * @throws StaleFencingTokenException if a later owner has announced its token
	 * @throws IllegalStateException if a transaction is active: its reads may be stale;
	 * if the lock has several owners at once, or an engine whose tokens may decrease; or
	 * if a transaction manager cannot be guarded
	 */
	HeldLockScope open(HeldLock lock);

}
