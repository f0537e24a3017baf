package io.leasehold;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Handle on a held lock. Close it like a file; any thread may close it, also twice.
 * <p>
 * The lock is a lease and can be lost while it is held: if the store loses its data, is
 * unreachable for a whole lease, or if this process is paused for that long. This handle
 * reports the loss, and {@link #close()} throws an exception. A resource that must reject
 * writes of former owners has to compare the {@link #fencingToken()}. Thread-safe.
 */
public interface HeldLock extends AutoCloseable {

	/**
	 * Return the lock of the current thread's innermost {@linkplain HeldLockScope scope},
	 * such as that of the annotated method that it runs.
	 * @return the innermost lock
	 * @throws IllegalStateException if the thread runs in no scope
	 */
	static HeldLock current() {
		return HeldLockScope.innermost();
	}

	/**
	 * Return the locked key.
	 * @return the evaluated key; several, joined by commas
	 */
	String key();

	/** Return one lock per key in the order of acquisition; for one key, this lock. */
	default List<HeldLock> parts() {
		return List.of(this);
	}

	/** Return the name of the engine that granted the lock. */
	String engine();

	/**
	 * Return the fencing token of this acquisition. It is greater than those of all
	 * acquisitions of the key that ended before it, while engine and store stay the same.
	 * A re-entry has the token of the acquisition that it re-enters.
	 * @return a positive number
	 * @throws IllegalStateException if there are several keys, each with its own token
	 */
	long fencingToken();

	/**
	 * Return the fencing token of one of several keys.
	 * @param key the key
	 * @return its token
	 * @throws IllegalArgumentException if that key is not locked
	 */
	default long fencingToken(String key) {
		return parts().stream()
			.filter((part) -> part.key().equals(key))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException(
					"Key '%s' is not among '%s'".formatted(LockKey.readable(key), LockKey.readable(key()))))
			.fencingToken();
	}

	/**
	 * Return whether the lock is valid now, by a monotonic local clock and without a
	 * request to the store. A lock that depends on a session, as with ZooKeeper, is in
	 * doubt while its connection is broken, and valid again if the session survives.
	 * @return {@code false} permanently after a loss or close, and while the lock is in
	 * doubt
	 */
	boolean isValid();

	/**
	 * Throw an exception if the lock was lost or is in doubt. Call it before a step that
	 * cannot be undone. Transactions under the lock call it before they commit.
	 * @throws LockLostException if the lock was lost while it was held, whatever the
	 * value of {@code leasehold.on-lost}
	 * @throws LockEngineException while the lock is in doubt
	 */
	void throwIfLost();

	/** Return how long the lock stays valid without renewal; zero if lost or closed. */
	Duration remaining();

	/**
	 * Move the end of the maximum hold time, forward or back. At its end, the lock is
	 * lost with the cause {@link LossCause#MAX_HOLD}, unless it is closed or extended
	 * before. The lease is renewed until then, in the background. A re-entry extends the
	 * acquisition that it re-enters.
	 * @param maxHold maximum time to hold the lock, counted from now;
	 * {@link LockOptions#UNLIMITED} to hold it until it is closed
	 * @throws IllegalArgumentException if the time is not positive, ends before the
	 * minimum hold, or leads to a lease that the engine does not support
	 * @throws LockLostException if the lock was lost
	 * @throws IllegalStateException if the lock was closed, or is that of a leader's
	 * term, which has no end to move
	 */
	default void extend(Duration maxHold) {
		extend(maxHold, Duration.ZERO);
	}

	/**
	 * Move the end of the maximum hold time as {@link #extend(Duration)} does, and that
	 * of the minimum hold forward. This process keeps the key locked until then, also
	 * after {@link #close()}. If the process ends before, the key becomes available when
	 * the lease expires.
	 * @param maxHold maximum time to hold the lock, counted from now
	 * @param minHold minimum time for which the key stays locked, counted from now; no
	 * effect if the present minimum hold ends later
	 * @throws IllegalArgumentException if a time is not valid, or the maximum hold time
	 * ends before the minimum hold
	 * @throws LockLostException if the lock was lost
	 * @throws IllegalStateException as {@link #extend(Duration)} does
	 */
	void extend(Duration maxHold, Duration minHold);

	/**
	 * Return whether the application has begun to shut down. The shutdown waits for the
	 * lock to be closed, at most for its grace period. Then the lock is lost, with the
	 * cause {@link LossCause#SHUTDOWN}. A method that runs longer than the grace period
	 * should check this between its steps, and end.
	 * @return {@code true} from the beginning of the shutdown, also after the lock was
	 * lost or closed
	 */
	boolean isStopping();

	/**
	 * Run an action when the lock is lost. It runs once, in a thread of the library: at
	 * once if the lock is lost already, not for a loss after this handle was closed. It
	 * may still be about to run when the handle is closed. A failing action is logged.
	 * Actions may block; once they block 256 threads, further actions wait.
	 * @param action called with the exception that {@link #close()} will throw
	 */
	void onLost(Consumer<LockLostException> action);

	/**
	 * Release the lock. If a transaction was active at the acquisition, the release is
	 * deferred until that transaction has completed.
	 * @throws LockLostException if the lock was lost while it was held, unless
	 * {@code leasehold.on-lost} is {@code warn}
	 */
	@Override
	void close();

}
