package io.leasehold.service;

import io.leasehold.HeldLock;

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

}
