package io.leasehold.service;

import java.time.Duration;

import io.leasehold.LockBusyException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Messages for a caller that waits for a lock that its own thread holds: an error in the
 * application, unless another thread is going to close the handle.
 */
final class SelfWait {

	private static final Log logger = LogFactory.getLog(SelfWait.class);

	private SelfWait() {
	}

	/** Log that a caller begins to wait for itself. */
	static void warn(Acquisition caller, Hold own) {
		logger.warn("Lock '%s' (%s) is awaited by %s (engine: %s). %s".formatted(caller.key, caller.options.name(),
				reason(caller, own), engine(own), remedy(caller, own)));
	}

	/** Return the exception for a caller that waited for itself in vain. */
	static LockBusyException failure(Acquisition caller, Hold own, Duration waited) {
		return new LockBusyException("Lock '%s' could not be acquired within %d ms by %s (engine: %s). %s"
			.formatted(caller.key, waited.toMillis(), reason(caller, own), engine(own), remedy(caller, own)),
				caller.key, waited);
	}

	private static String reason(Acquisition caller, Hold own) {
		return "'%s', which %s".formatted(caller.asker(),
				own.isPermit() ? "holds a permit of it already" : "holds it already, by a handle that is still open");
	}

	private static String remedy(Acquisition caller, Hold own) {
		if (own.isPermit() && caller.access.isPermit()) {
			return "Permits are not re-entered: close the first one before, or acquire all permits in one call";
		}
		if (!caller.options.reentrant()) {
			return "The options exclude re-entry: close the handle before, or set reentrant to true";
		}
		return "A handle is only re-entered inside a scope: open one with HeldLockScope.open(handle),"
				+ " acquire the lock with DistributedLocks.call, or close the handle before";
	}

	private static String engine(Hold own) {
		return own.gate.coordinator.engine().name();
	}

}
