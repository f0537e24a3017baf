package io.leasehold;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Section of code that a thread runs under a lock. Inside the scope the lock is the
 * {@linkplain HeldLock#current() current} one of the thread, and the thread re-enters it:
 * acquiring its key again succeeds at once. The annotation and
 * {@link DistributedLocks#call} open a scope themselves. Close a scope in the thread that
 * opened it, in the reverse order of opening.
 */
public final class HeldLockScope implements AutoCloseable {

	private static final ThreadLocal<@Nullable HeldLockScope> CURRENT = new ThreadLocal<>();

	private final HeldLock lock;

	private final @Nullable Consumer<Object> beforeCommit;

	private final @Nullable Runnable onClose;

	private final @Nullable HeldLockScope outer;

	private boolean closed;

	private HeldLockScope(HeldLock lock, @Nullable Consumer<Object> beforeCommit, @Nullable Runnable onClose) {
		this.lock = lock;
		this.beforeCommit = beforeCommit;
		this.onClose = onClose;
		this.outer = CURRENT.get();
	}

	/**
	 * Open a scope in the current thread.
	 * @param lock the lock that becomes current
	 * @return the scope, to be closed by the same thread
	 */
	public static HeldLockScope open(HeldLock lock) {
		return enter(new HeldLockScope(lock, null, null));
	}

	/**
	 * Open a scope in the current thread, with a check before commits.
	 * @param lock the lock that becomes current
	 * @param beforeCommit called last in each transaction that the thread commits inside
	 * the scope, with the transaction manager's object for it, such as Spring's
	 * {@code TransactionExecution}; an exception rolls the transaction back
	 * @return the scope, to be closed by the same thread
	 */
	public static HeldLockScope open(HeldLock lock, Consumer<Object> beforeCommit) {
		return enter(new HeldLockScope(lock, beforeCommit, null));
	}

	/**
	 * Open a scope in the current thread, with a check before commits and a final action.
	 * @param lock the lock that becomes current
	 * @param beforeCommit see {@link #open(HeldLock, Consumer)}
	 * @param onClose run when the scope is closed, before the lock is released
	 * @return the scope, to be closed by the same thread
	 */
	public static HeldLockScope open(HeldLock lock, Consumer<Object> beforeCommit, Runnable onClose) {
		return enter(new HeldLockScope(lock, beforeCommit, onClose));
	}

	private static HeldLockScope enter(HeldLockScope scope) {
		CURRENT.set(scope);
		return scope;
	}

	/** Return the locks of the current thread's scopes, innermost first. */
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
	 * Return whether any lock of the current thread's scopes matches. Allocates nothing.
	 * @param condition tested for each lock, innermost first, until one matches
	 * @return whether a lock matched, {@code false} in a thread without a scope
	 */
	public static boolean anyMatch(Predicate<? super HeldLock> condition) {
		for (HeldLockScope scope = CURRENT.get(); scope != null; scope = scope.outer) {
			if (condition.test(scope.lock)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Throw an exception if any lock of the current thread's scopes was lost. Has no
	 * effect in a thread without a scope.
	 * @throws LockLostException if a lock was lost
	 */
	public static void throwIfAnyLost() {
		for (HeldLockScope scope = CURRENT.get(); scope != null; scope = scope.outer) {
			scope.lock.throwIfLost();
		}
	}

	/**
	 * Run the checks of the current thread's scopes before a commit, innermost first.
	 * @param transaction the transaction manager's object for the transaction
	 */
	public static void beforeCommit(Object transaction) {
		for (HeldLockScope scope = CURRENT.get(); scope != null; scope = scope.outer) {
			if (scope.beforeCommit != null) {
				scope.beforeCommit.accept(transaction);
			}
		}
	}

	static HeldLock innermost() {
		HeldLockScope scope = CURRENT.get();
		if (scope == null) {
			throw new IllegalStateException(
					"No lock is held: HeldLock.current() requires that the thread runs a method annotated with"
							+ " @DistributedLock, called through its Spring proxy. A method that runs without its lock because"
							+ " of leasehold.enabled or leasehold.when-unavailable has none");
		}
		return scope.lock;
	}

	/**
	 * End the scope, and those that were opened inside it and not closed. A second call
	 * has no effect.
	 */
	@Override
	public void close() {
		if (this.closed) {
			return;
		}
		this.closed = true;
		if (isInEffect()) {
			CURRENT.set(this.outer); // the outermost leaves an empty entry to be reused
		}
		if (this.onClose != null) {
			this.onClose.run();
		}
	}

	private boolean isInEffect() {
		HeldLockScope scope = CURRENT.get();
		while (scope != null && scope != this) {
			scope = scope.outer;
		}
		return scope == this;
	}

}
