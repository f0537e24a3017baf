package io.leasehold;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * A lock that is held, as long as {@link #isValid()} says so. Close it exactly as one
 * closes a file; any thread may do so, and closing twice does nothing.
 * <p>
 * The lock is a lease. It can be lost while it is held: the store lost its data, could
 * not be reached for a whole lease, or this process was paused for so long. The holder
 * learns of it here and when it closes the lock. What must never be written by a former
 * owner has to compare the {@link #fencingToken()} as well. Thread-safe.
 */
public interface HeldLock extends AutoCloseable {

	/**
	 * Return the lock of the annotated method that the current thread runs.
	 * @return the innermost lock
	 * @throws IllegalStateException if the thread runs no annotated method that holds
	 * one, as when it was let run without
	 */
	static HeldLock current() {
		return HeldLockScope.innermost();
	}

	/**
	 * Return the key that is locked.
	 * @return the evaluated key; several, joined by commas
	 */
	String key();

	/**
	 * Return the locks of the single keys.
	 * @return in the order in which they were taken; this one if it has one key only
	 */
	default List<HeldLock> parts() {
		return List.of(this);
	}

	/**
	 * Return the engine that granted the lock.
	 * @return its name
	 */
	String engine();

	/**
	 * Return the number of this acquisition: greater than those of all acquisitions of
	 * the key that ended before it, as long as engine and store stay the same. A re-entry
	 * has the token of the acquisition it re-enters.
	 * @return a positive number
	 * @throws IllegalStateException if there are several keys, each with a token of its
	 * own
	 */
	long fencingToken();

	/**
	 * Return the token of one of several keys.
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
	 * Return whether the lock may be believed in at this moment. Decided by a monotonic
	 * local clock without asking the store. An engine whose store keeps locks by a
	 * session, such as ZooKeeper, is in doubt while its connection is broken, too: the
	 * lock is valid again if the session comes back with it.
	 * @return {@code false} once the lock was lost or closed, for good, and while it is
	 * in doubt
	 */
	boolean isValid();

	/**
	 * Refuse to go on without the lock: to be called before a step that cannot be taken
	 * back. Transactions that run under the lock do so before they commit.
	 * @throws LockLostException if the lock was lost while it was held, whatever
	 * {@code leasehold.on-lost} says
	 * @throws LockEngineException while the lock is in doubt
	 */
	void throwIfLost();

	/**
	 * Return how long the lock stays valid if it is not renewed any more.
	 * @return the rest of the lease, zero once lost or closed
	 */
	Duration remaining();

	/**
	 * Run an action when the lock is lost: once, in a thread of the library, at once if
	 * it is lost already and never after it was closed. A failing action is logged. An
	 * action may block; once actions block 256 threads, further ones have to wait.
	 * @param action called with the exception that {@link #close()} will throw
	 */
	void onLost(Consumer<LockLostException> action);

	/**
	 * Give the lock back. Inside a transaction that was open when the lock was taken, the
	 * release waits for that transaction's completion.
	 * @throws LockLostException if the lock was lost while it was held, unless
	 * {@code leasehold.on-lost} is {@code warn}
	 */
	@Override
	void close();

}
