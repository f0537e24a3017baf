package io.leasehold;

/**
 * Keeps former owners of a lock from committing, in the application's own database,
 * whichever engine granted the lock and however long its owner was paused. In two acts:
 * the lock's token is announced to the database before the work begins, which a later
 * owner's token refuses; and each transaction compares it as its last act. So a former
 * owner cannot write between its successor's read and write, nor after it.
 * <p>
 * Only what is written in transactions on that database is guarded. The method behind
 * {@code @DistributedLock(fenced = true)}, for locks that are taken in code. Thread-safe.
 */
public interface FencingGuard {

	/**
	 * Announce a lock's token, and guard the transactions that the current thread commits
	 * until the scope is closed. The lock becomes the thread's
	 * {@linkplain HeldLock#current() current} one.
	 * @param lock the lock, which the caller still has to close
	 * @return the scope, to be closed by the same thread before the lock is
	 * @throws StaleFencingTokenException if a later owner's token is known already
	 * @throws IllegalStateException if a transaction is open: what that has read may be
	 * stale already
	 */
	HeldLockScope open(HeldLock lock);

}
