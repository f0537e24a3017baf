package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

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

}
