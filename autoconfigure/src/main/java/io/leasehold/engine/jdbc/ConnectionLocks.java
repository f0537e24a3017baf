package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Locks of one database that a connection holds until the end of its transaction.
 * Thread-safe.
 */
interface ConnectionLocks {

	/** Return whether each key needs a row that was committed before. */
	boolean needRows();

	/** Return why the database has no such locks, or {@code null} if it has them. */
	default @Nullable String unsupported(boolean shared) {
		return null;
	}

	/**
	 * Request a lock.
	 * @param wait maximum time to wait; zero for one attempt
	 * @return the result; in each case the transaction can continue
	 * @throws SQLException if the transaction must be rolled back
	 */
	Result acquire(Connection connection, RowId id, boolean shared, Duration wait) throws SQLException;

	/**
	 * Result of a request.
	 */
	enum Result {

		GRANTED, BUSY,

		/** The row of the key does not exist. */
		MISSING,

		/**
		 * The isolation level of the transaction hides the changes of the former holder.
		 */
		STALE,

		/**
		 * The server accepts no changes, as a replica. Its locks exclude nobody on the
		 * primary.
		 */
		READ_ONLY

	}

}
