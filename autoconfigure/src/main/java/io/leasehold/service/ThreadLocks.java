package io.leasehold.service;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
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

	private static final ThreadLocal<@Nullable Deque<Held>> HELD = new ThreadLocal<>();

	private ThreadLocks() {
	}

	static void add(Monitor monitor, Handle handle) {
		Deque<Held> held = HELD.get();
		if (held == null) {
			held = new ArrayDeque<>(2);
			HELD.set(held);
		}
		held.addFirst(new Held(monitor, handle));
	}

	private static Collection<Held> held() {
		Deque<Held> held = HELD.get();
		return (held != null) ? held : List.of();
	}

	/** Return the newest lock that the current thread holds of a monitor, or null. */
	static @Nullable Handle newest(Monitor monitor) {
		for (Held lock : held()) {
			if (lock.monitor.equals(monitor)) {
				return lock.handle;
			}
		}
		return null;
	}

	/** Remove and return the newest lock that the current thread holds of a monitor. */
	static @Nullable Handle remove(Monitor monitor) {
		Handle newest = newest(monitor);
		if (newest != null) {
			held().removeIf((lock) -> lock.handle == newest);
			if (held().isEmpty()) {
				HELD.remove();
			}
		}
		return newest;
	}

	/** Throw an exception if the current thread lost the key and has not unlocked it. */
	static void throwIfLost(Holds holds, LockKey key) {
		for (Held lock : held()) {
			if (lock.handle.isLostHandleOf(holds, key)) {
				lock.handle.throwIfLost();
			}
		}
	}

	/** Return the locks of the current thread: those of its scopes, then these. */
	static List<HeldLock> outer() {
		List<HeldLock> outer = new ArrayList<>(HeldLockScope.held());
		held().forEach((lock) -> outer.add(lock.handle));
		return outer;
	}

	/** Return whether the current thread has one of these locks as the hold's handle. */
	static boolean include(Hold hold) {
		return held().stream().anyMatch((lock) -> lock.handle.isOpenHandleOf(hold));
	}

	/**
	 * What is one lock to a thread, whichever view it uses, and whatever its lease.
	 *
	 * @param holds those of the engine
	 */
	record Monitor(Holds holds, LockKey key, LockMode mode, int permits) {
	}

	/** Lock of a thread. */
	private record Held(Monitor monitor, Handle handle) {
	}

}
