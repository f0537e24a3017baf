package io.leasehold.service;

import io.leasehold.HeldLock;
import org.jspecify.annotations.Nullable;

/**
 * Operations on held locks for transactions. They have no effect on locks that are not of
 * this library.
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
		lock.parts().forEach((part) -> {
			if (part instanceof Handle handle) {
				handle.commitUnknown();
			}
		});
	}

	/** Return why a lock with one key cannot be fenced, or {@code null} if it can be. */
	public static @Nullable String unfenceable(HeldLock lock) {
		return (lock instanceof Handle handle) ? handle.unfenceable() : null;
	}

}
