package io.leasehold.transaction;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warning about a lock that is acquired inside an open transaction, logged once for each
 * lock name. Thread-safe.
 */
final class OpenTransactionWarning implements Consumer<String> {

	private static final Log logger = LogFactory.getLog(OpenTransactionWarning.class);

	/** Names are few, unless an application builds them from data. */
	private static final int MOST_NAMES = 1000;

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	@Override
	public void accept(String name) {
		if (this.names.size() < MOST_NAMES && this.names.add(name)) {
			logger.warn(("Lock %s was acquired inside an open transaction: its connection is held while the lock is"
					+ " waited for, and what it read before may be stale. Acquire the lock first, then begin the"
					+ " transaction. Logged once for each lock name")
				.formatted(name.isEmpty() ? "(unnamed)" : name));
		}
	}

}
