package io.leasehold.service;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import io.leasehold.HeldLock;
import org.jspecify.annotations.Nullable;

/**
 * Operations on held locks for transactions and leaders. They have no effect on locks
 * that are not of this library.
 */
public final class Handles {

	private Handles() {
	}

	/**
	 * Mark a lock as lost, because the outcome of a commit under it is unknown: its rows
	 * may become visible later. The lock is no longer renewed. Its key becomes available
	 * when the lease ends. Does nothing for a lock that was released.
	 */
	public static void commitUnknown(HeldLock lock) {
		Handle.in(lock).forEach(Handle::commitUnknown);
	}

	/**
	 * Enter a lock that another caller holds, without a request. Its key becomes
	 * available when it was closed by all that entered it.
	 * @param held a lock of one key
	 * @return the lock, to be closed; empty if the given one was closed or lost
	 */
	public static Optional<HeldLock> enter(HeldLock held) {
		return (held instanceof Handle handle) ? Optional.ofNullable(handle.another()) : Optional.empty();
	}

	/** Return whether a lock with one key excludes all others. */
	public static boolean isExclusive(HeldLock lock) {
		return lock instanceof Handle handle && handle.isExclusive();
	}

	/**
	 * Keep locks held, such as during a commit, whenever their holders close them. Locks
	 * that were closed or lost are not kept.
	 * @return ends that, and does not wait for the response of a store
	 */
	public static Runnable keep(Collection<HeldLock> locks) {
		List<Handle> kept = locks.stream()
			.flatMap(Handle::in)
			.flatMap((handle) -> Stream.ofNullable(handle.another(ReleaseTiming.IMMEDIATE)))
			.toList();
		return () -> kept.forEach(Handle::leave);
	}

	/** Return why a lock with one key cannot be fenced, or {@code null} if it can be. */
	public static @Nullable String unfenceable(HeldLock lock) {
		return (lock instanceof Handle handle) ? handle.unfenceable() : null;
	}

}
