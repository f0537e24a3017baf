package io.leasehold;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Makes a lock the {@linkplain HeldLock#current() current} one of a thread, for a
 * framework that runs a method under it. To be closed by the thread that opened it.
 */
public final class HeldLockScope implements AutoCloseable {

	private static final ThreadLocal<@Nullable HeldLockScope> CURRENT = new ThreadLocal<>();

	private final HeldLock lock;

	private final @Nullable Runnable beforeCommit;

	private final @Nullable HeldLockScope outer;

	private HeldLockScope(HeldLock lock, @Nullable Runnable beforeCommit, @Nullable HeldLockScope outer) {
		this.lock = lock;
		this.beforeCommit = beforeCommit;
		this.outer = outer;
	}

	/**
	 * Open a scope in the current thread.
	 * @param lock the lock that becomes current
	 * @return the scope, to be closed when the method ends
	 */
	public static HeldLockScope open(HeldLock lock) {
		return enter(new HeldLockScope(lock, null, CURRENT.get()));
	}

	/**
	 * Open a scope in the current thread, with something to do before commits.
	 * @param lock the lock that becomes current
	 * @param beforeCommit done as the last act of each transaction that the thread
	 * commits inside the scope; rolls it back by throwing
	 * @return the scope, to be closed when the method ends
	 */
	public static HeldLockScope open(HeldLock lock, Runnable beforeCommit) {
		return enter(new HeldLockScope(lock, beforeCommit, CURRENT.get()));
	}

	private static HeldLockScope enter(HeldLockScope scope) {
		CURRENT.set(scope);
		return scope;
	}

	/**
	 * Return the locks under which the current thread runs.
	 * @return the locks, innermost first
	 */
	public static List<HeldLock> held() {
		HeldLockScope scope = CURRENT.get();
		if (scope == null) {
			return List.of();
		}
		List<HeldLock> locks = new ArrayList<>(2);
		for (; scope != null; scope = scope.outer) {
			locks.add(scope.lock);
		}
		return locks;
	}

	/**
	 * Refuse to go on if any lock was lost under which the current thread runs, however
	 * far out it was taken. Does nothing in a thread without a lock.
	 * @throws LockLostException if one was lost
	 */
	public static void throwIfAnyLost() {
		for (HeldLockScope scope = CURRENT.get(); scope != null; scope = scope.outer) {
			scope.lock.throwIfLost();
		}
	}

	/**
	 * Do what the current thread's scopes want done before a commit.
	 */
	public static void beforeCommit() {
		for (HeldLockScope scope = CURRENT.get(); scope != null; scope = scope.outer) {
			if (scope.beforeCommit != null) {
				scope.beforeCommit.run();
			}
		}
	}

	static HeldLock innermost() {
		HeldLockScope scope = CURRENT.get();
		if (scope == null) {
			throw new IllegalStateException("No lock is held: HeldLock.current() needs a method annotated with"
					+ " @DistributedLock to be running in this thread, called through its Spring proxy. One that"
					+ " leasehold.enabled or leasehold.when-unavailable lets run without its lock has none");
		}
		return scope.lock;
	}

	@Override
	public void close() {
		CURRENT.set(this.outer); // the outermost leaves an empty entry for the next one
	}

}
