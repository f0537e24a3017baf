package io.leasehold;

import org.jspecify.annotations.Nullable;

/**
 * Makes a lock the {@linkplain HeldLock#current() current} one of a thread, for a
 * framework that runs a method under it. To be closed by the thread that opened it.
 */
public final class HeldLockScope implements AutoCloseable {

	private static final ThreadLocal<HeldLockScope> CURRENT = new ThreadLocal<>();

	private final HeldLock lock;

	private final @Nullable HeldLockScope outer;

	private HeldLockScope(HeldLock lock, @Nullable HeldLockScope outer) {
		this.lock = lock;
		this.outer = outer;
	}

	/**
	 * Open a scope in the current thread.
	 * @param lock the lock that becomes current
	 * @return the scope, to be closed when the method ends
	 */
	public static HeldLockScope open(HeldLock lock) {
		HeldLockScope scope = new HeldLockScope(lock, CURRENT.get());
		CURRENT.set(scope);
		return scope;
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
		if (this.outer != null) {
			CURRENT.set(this.outer);
		}
		else {
			CURRENT.remove();
		}
	}

}
