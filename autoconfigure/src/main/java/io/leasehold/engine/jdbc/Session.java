package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A connection for the time of one call. Query timeouts do not end a call whose answer
 * the network has swallowed, so each statement runs under a network timeout of what the
 * call has left.
 */
final class Session implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(Session.class);

	private static final long MILLI = 1_000_000;

	private final Connection connection;

	private final long deadline;

	private final int networkTimeout;

	Session(Connection connection, long deadline) throws SQLException {
		this.connection = connection;
		this.deadline = deadline;
		try {
			if (!connection.getAutoCommit()) {
				connection.setAutoCommit(true);
			}
			this.networkTimeout = connection.getNetworkTimeout();
		}
		catch (SQLException | RuntimeException ex) {
			connection.close();
			throw ex;
		}
	}

	/** Return the connection for one more statement. */
	Connection connection() throws SQLException {
		long left = (this.deadline - System.nanoTime()) / MILLI;
		if (left <= 0) {
			throw new SQLTimeoutException("No time is left for another statement");
		}
		this.connection.setNetworkTimeout(Runnable::run, (int) left);
		return this.connection;
	}

	/**
	 * Do several steps as one transaction.
	 * @return what the steps return; if that is {@code null}, they are undone
	 */
	<T> @Nullable T inTransaction(Steps<T> steps) throws SQLException {
		connection().setAutoCommit(false);
		try {
			T result = steps.run();
			if (result != null) {
				connection().commit();
			}
			else {
				connection().rollback();
			}
			this.connection.setAutoCommit(true);
			return result;
		}
		catch (SQLException | RuntimeException ex) {
			undo(ex);
			throw ex;
		}
	}

	private void undo(Exception reason) {
		try {
			this.connection.rollback();
			this.connection.setAutoCommit(true);
		}
		catch (SQLException ex) {
			reason.addSuppressed(ex); // broken: the database undoes it by itself
		}
	}

	/** Give the connection back; that it is broken by now does not undo what was done. */
	@Override
	public void close() {
		try (Connection ended = this.connection) {
			if (!ended.isClosed()) {
				ended.setNetworkTimeout(Runnable::run, this.networkTimeout);
			}
		}
		catch (SQLException ex) {
			logger.debug("A connection could not be given back", ex);
		}
	}

	/** Steps of a transaction. */
	interface Steps<T> {

		@Nullable T run() throws SQLException;

	}

}
