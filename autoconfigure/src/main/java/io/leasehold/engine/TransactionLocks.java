package io.leasehold.engine;

import java.time.Duration;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * Locks that are part of a database transaction and end with it. Each method refers to
 * the current transaction of the calling thread. Thread-safe.
 */
public interface TransactionLocks {

	/**
	 * Return why no transaction can lock with an access. Never sends a request.
	 * @param access the access
	 * @return a clause such as {@code the database has no shared row locks}; {@code null}
	 * if it is supported, or if the database is not known yet
	 */
	@Nullable String unsupported(Access access);

	/**
	 * Lock a key until the end of the transaction, on the transaction's connection.
	 * @param key the key
	 * @param access the access
	 * @param wait maximum time to wait; zero for one attempt
	 * @return the outcome; a transaction without the lock can continue
	 * @throws io.leasehold.LockBusyException if the database detected a deadlock; the
	 * transaction can only roll back
	 * @throws io.leasehold.LockModeException if the transaction holds the key shared and
	 * requests it exclusively
	 * @throws LockEngineException if the database did not respond or rejected the request
	 */
	Outcome acquire(LockKey key, Access access, Duration wait);

	/**
	 * Return the key by which the connection of these transactions is bound to a thread.
	 * @return such as their data source, or {@code null} if that is not known
	 */
	default @Nullable Object resource() {
		return null;
	}

	/** Return whether a failed request has left a transaction that can only roll back. */
	boolean mustRollBack();

	/**
	 * Outcome of a request.
	 */
	sealed interface Outcome {

		/**
		 * The transaction holds the lock.
		 *
		 * @param reentered whether it held the lock before
		 */
		record Granted(boolean reentered) implements Outcome {
		}

		/** Another transaction held the lock for the whole time. */
		record Busy() implements Outcome {
		}

		/**
		 * The transaction cannot hold the lock, and no request was sent or is of effect.
		 *
		 * @param reason a clause such as {@code its isolation level is REPEATABLE READ}
		 */
		record Refused(String reason) implements Outcome {
		}

	}

}
