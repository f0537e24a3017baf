package io.leasehold.service.gate;

import java.time.Duration;

import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockModeException;
import io.leasehold.engine.Access;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Exceptions and warnings for callers that do not acquire their lock. A caller that waits
 * for a lock that its thread holds is a programming error, unless another thread closes
 * the handle.
 */
public final class Refusals {

	private static final Log logger = LogFactory.getLog(Refusals.class);

	private Refusals() {
	}

	/**
	 * Create the exception for a caller whose wait time has passed.
	 * @param failure failure of the last request, {@code null} if the store responded
	 * @param own the hold of the caller that it cannot re-enter, or {@code null}
	 */
	static RuntimeException timeout(Waiter waiter, String engine, long now, @Nullable LockEngineException failure,
			@Nullable Hold own) {
		Duration time = Duration.ofNanos(now - waiter.start());
		if (failure != null) {
			return new LockEngineException(waiter.key(),
					"Lock '%s' could not be requested within %s ms (engine: %s): %s".formatted(waiter.key(),
							time.toMillis(), engine, failure.getMessage()),
					failure);
		}
		if (own == null) {
			return new LockBusyException(waiter.key(),
					"Lock '%s' could not be acquired within %s ms: another owner held it (engine: %s)"
						.formatted(waiter.key(), time.toMillis(), engine),
					time);
		}
		return new LockBusyException(waiter.key(), "Lock '%s' could not be acquired within %s ms by %s (engine: %s). %s"
			.formatted(waiter.key(), time.toMillis(), reason(waiter, own), engine, remedy(waiter, own)), time);
	}

	/** Create the exception for a caller that would wait for its own transaction. */
	static LockBusyException suspended(Waiter waiter, String engine) {
		return new LockBusyException(waiter.key(),
				("Lock '%s' was not acquired by '%s': a transaction that this thread has suspended"
						+ " holds it until that transaction ends (engine: %s). Acquire the lock before that"
						+ " transaction, or join the transaction instead of REQUIRES_NEW, NOT_SUPPORTED or another manager")
					.formatted(waiter.key(), waiter.threadName(), engine),
				Duration.ZERO);
	}

	/** Create the exception for a caller of a service that shuts down. */
	static LockEngineException shutdown(LockKey key) {
		return new LockEngineException(key,
				"Lock '%s' could not be acquired: the application is shutting down".formatted(key), null, false);
	}

	public static void warnOfSelfWait(Waiter waiter, Hold own, String engine) {
		logger.warn("Lock '%s' (%s) is awaited by %s (engine: %s). %s".formatted(waiter.key(), waiter.options().name(),
				reason(waiter, own), engine, remedy(waiter, own)));
	}

	/** Create the exception for a permit count that differs from the holders' one. */
	static LockModeException contradiction(LockKey key, Access wanted, Access held, String engine) {
		return new LockModeException(key,
				"Lock '%s' is requested with %s, but is held with %s (engine: %s): use one number of permits wherever this key is acquired"
					.formatted(key, wanted, held, engine));
	}

	/** Create the exception for a shared holder that requests the lock exclusively. */
	static LockModeException upgrade(LockKey key, Access wanted, Access held, String engine) {
		return new LockModeException(key,
				"Lock '%s' is requested as %s, but its caller holds it as %s: release that hold first (engine: %s)"
					.formatted(key, wanted, held, engine));
	}

	private static String reason(Waiter waiter, Hold own) {
		return "'%s', which %s".formatted(waiter.threadName(), own.isPermit() ? "holds a permit of it already"
				: "holds it already, through a handle that is still open or until its transaction ends");
	}

	private static String remedy(Waiter waiter, Hold own) {
		if (own.isPermit() && waiter.access.isPermit()) {
			return "Permits are not re-entered: close the first permit first, or acquire all permits in one call";
		}
		if (!waiter.options().reentrant()) {
			return "The options exclude re-entry: close the handle first, or set reentrant to true";
		}
		return "A handle is only re-entered inside a scope: open one with HeldLockScope.open(handle),"
				+ " acquire the lock with DistributedLocks.call, or close the handle first";
	}

}
