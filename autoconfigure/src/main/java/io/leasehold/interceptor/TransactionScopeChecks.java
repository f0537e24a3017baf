package io.leasehold.interceptor;

import java.util.LinkedHashMap;
import java.util.Map;

import io.leasehold.LockOptions;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.service.TransactionScopedLocks;

/**
 * Checks of annotations whose locks end with the caller's transaction.
 */
final class TransactionScopeChecks {

	private TransactionScopeChecks() {
	}

	static void check(LockAnnotation annotation, LockOptions options, TransactionScopedLocks locks) {
		attributes(annotation.values()).forEach((attribute, written) -> {
			if (written) {
				throw annotation.invalid(
						"has scope TRANSACTION and %s, which only a lease can have".formatted(attribute),
						"Remove the attribute, or use scope METHOD.");
			}
		});
		if (MethodChecks.endsLater(annotation)) {
			throw annotation.invalid("has scope TRANSACTION, but its result may end after the transaction",
					"Return the plain result, or use scope METHOD.");
		}
		String problem = locks.unsupported(options);
		if (problem != null) {
			throw annotation.invalid("has scope TRANSACTION, which its engine does not support: " + problem,
					"Use engine jdbc with the application's own database, or scope METHOD.");
		}
	}

	private static Map<String, Boolean> attributes(DistributedLock values) {
		Map<String, Boolean> written = new LinkedHashMap<>();
		written.put("lease", !values.lease().isEmpty());
		written.put("permits", !values.permits().isEmpty());
		written.put("minHold", !values.minHold().isEmpty());
		written.put("maxHold", !values.maxHold().isEmpty());
		written.put("lockDelay", !values.lockDelay().isEmpty());
		written.put("linger", !values.linger().isEmpty());
		written.put("fenced", values.fenced());
		return written;
	}

}
