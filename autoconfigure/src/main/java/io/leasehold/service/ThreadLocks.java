package io.leasehold.service;

import java.util.ArrayList;
import java.util.List;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockKey;
import io.leasehold.LockMode;
import io.leasehold.LockView;
import io.leasehold.service.gate.Hold;
import org.jspecify.annotations.Nullable;

/**
 * Locks that a thread holds through a {@link LockView}, newest first. A thread re-enters
 * them until it unlocks them. Each thread has access only to its own; those of a dead
 * thread are unreachable.
 */
final class ThreadLocks {

	private static final ThreadLocal<@Nullable ThreadLocks> NEWEST = new ThreadLocal<>();

	private final Monitor monitor;

	private final Handle handle;

	private @Nullable ThreadLocks older;

	private ThreadLocks(Monitor monitor, Handle handle, @Nullable ThreadLocks older) {
		this.monitor = monitor;
		this.handle = handle;
		this.older = older;
	}

	static void add(Monitor monitor, Handle handle) {
		NEWEST.set(new ThreadLocks(monitor, handle, NEWEST.get()));
	}

	/** Return the newest lock that the current thread holds of a monitor, or null. */
	static @Nullable Handle newest(Monitor monitor) {
		for (ThreadLocks lock = NEWEST.get(); lock != null; lock = lock.older) {
			if (lock.monitor.equals(monitor)) {
				return lock.handle;
			}
		}
		return null;
	}

	/** Remove and return the newest lock that the current thread holds of a monitor. */
	static @Nullable Handle remove(Monitor monitor) {
		ThreadLocks newer = null;
		for (ThreadLocks lock = NEWEST.get(); lock != null; lock = lock.older) {
			if (lock.monitor.equals(monitor)) {
				unlink(lock, newer);
				return lock.handle;
			}
			newer = lock;
		}
		return null;
	}

	private static void unlink(ThreadLocks lock, @Nullable ThreadLocks newer) {
		if (newer != null) {
			newer.older = lock.older;
		}
		else if (lock.older != null) {
			NEWEST.set(lock.older);
		}
		else {
			NEWEST.remove();
		}
	}

	/** Throw an exception if the current thread lost the key and has not unlocked it. */
	static void throwIfLost(Holds holds, LockKey key) {
		for (ThreadLocks lock = NEWEST.get(); lock != null; lock = lock.older) {
			if (lock.handle.isLostHandleOf(holds, key)) {
				lock.handle.throwIfLost();
			}
		}
	}

	/** Return the locks of the current thread: those of its scopes, then these. */
	static List<HeldLock> outer() {
		List<HeldLock> outer = new ArrayList<>(HeldLockScope.held());
		for (ThreadLocks lock = NEWEST.get(); lock != null; lock = lock.older) {
			outer.add(lock.handle);
		}
		return outer;
	}

	/** Return whether the current thread has one of these locks as the hold's handle. */
	static boolean include(Hold hold) {
		for (ThreadLocks lock = NEWEST.get(); lock != null; lock = lock.older) {
			if (lock.handle.isOpenHandleOf(hold)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * What is one lock to a thread, whichever view it uses, and whatever its lease.
	 *
	 * @param holds those of the engine
	 */
	record Monitor(Holds holds, LockKey key, LockMode mode, int permits) {
	}

}
