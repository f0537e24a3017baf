package io.leasehold.service;

import java.util.ArrayList;
import java.util.List;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockKey;
import io.leasehold.LockView;
import io.leasehold.service.gate.Hold;
import org.jspecify.annotations.Nullable;

/**
 * Locks that a thread holds through {@link LockView}, newest first. A thread re-enters
 * them until it unlocks them. Each thread has access only to its own; those of a dead
 * thread are unreachable.
 */
final class ThreadLocks {

	private static final ThreadLocal<@Nullable ThreadLocks> NEWEST = new ThreadLocal<>();

	private final LockView view;

	private final Handle handle;

	private @Nullable ThreadLocks older;

	private ThreadLocks(LockView view, Handle handle, @Nullable ThreadLocks older) {
		this.view = view;
		this.handle = handle;
		this.older = older;
	}

	static void add(LockView view, Handle handle) {
		NEWEST.set(new ThreadLocks(view, handle, NEWEST.get()));
	}

	/** Return the newest lock that the current thread holds through a view, or null. */
	static @Nullable Handle newest(LockView view) {
		for (ThreadLocks lock = NEWEST.get(); lock != null; lock = lock.older) {
			if (lock.view == view) {
				return lock.handle;
			}
		}
		return null;
	}

	/** Remove and return the newest lock that the current thread holds through a view. */
	static @Nullable Handle remove(LockView view) {
		ThreadLocks newer = null;
		for (ThreadLocks lock = NEWEST.get(); lock != null; lock = lock.older) {
			if (lock.view == view) {
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

}
