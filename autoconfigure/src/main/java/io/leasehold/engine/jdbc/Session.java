package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;

import io.leasehold.engine.support.Deadlines;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Connection for the duration of one call. Query timeouts do not end a call whose
 * response is lost in the network, so each statement runs under a network timeout of the
 * call's remaining time.
 */
final class Session implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(Session.class);

	/** Not zero, which would mean no limit. */
	private static final Duration SHORTEST_WAIT = Duration.ofMillis(1);

	private final Connection connection;

	private final long deadline;

	private final Duration longestWait;

	private final @Nullable Duration usualWait;

	private final Runnable leave;

	private final int networkTimeout;

	private @Nullable Duration setWait;

	/** Statements that restore the connection's settings. */
	private final Set<String> restoring = new LinkedHashSet<>();

	/**
	 * Create a session.
	 * @param leave run after the connection was closed
	 * @param deadline reading of {@link System#nanoTime()} at which the call ends
	 * @param longestWait maximum wait of a change for rows that others have locked
	 * @param usualWait the connection's setting for that wait, or {@code null} if it must
	 * not be changed
	 */
	Session(Connection connection, Runnable leave, long deadline, Duration longestWait, @Nullable Duration usualWait)
			throws SQLException {
		this.connection = connection;
		this.leave = leave;
		this.deadline = deadline;
		this.longestWait = longestWait;
		this.usualWait = usualWait;
		try {
			if (!connection.getAutoCommit()) {
				connection.setAutoCommit(true);
			}
			this.networkTimeout = connection.getNetworkTimeout();
		}
		catch (SQLException | RuntimeException | Error ex) {
			connection.close();
			throw ex;
		}
	}

	/** Return the connection for another statement. */
	Connection connection() throws SQLException {
		long left = left().toMillis();
		if (left < 1) {
			throw new SQLTimeoutException("The call timeout expired before the next statement");
		}
		this.connection.setNetworkTimeout(Runnable::run, (int) left);
		return this.connection;
	}

	/** Return the time until the call ends. */
	Duration left() {
		return Duration.ofNanos(Deadlines.left(this.deadline));
	}

	/**
	 * Return how long a change may wait for a locked row: the database times out before
	 * the call does.
	 */
	Duration lockTimeout() {
		Duration most = Dialect.lockTimeout(left());
		Duration wait = (most.compareTo(this.longestWait) < 0) ? most : this.longestWait;
		return (wait.compareTo(SHORTEST_WAIT) > 0) ? wait : SHORTEST_WAIT;
	}

	/**
	 * Limit the wait of changes for rows to that of this call, if the connection's
	 * setting is longer.
	 */
	void limitWaiting(Dialect dialect) throws SQLException {
		Duration usual = this.usualWait;
		if (usual == null) {
			return;
		}
		Duration present = (this.setWait != null) ? this.setWait : usual;
		Duration wanted = lockTimeout();
		if (wanted.toNanos() < present.toNanos() * 7 / 8) {
			String setting = dialect.setLockTimeout(wanted);
			if (setting != null && !setting.equals(dialect.setLockTimeout(present))) {
				change(setting, Objects.requireNonNull(dialect.setLockTimeout(usual)));
				this.setWait = wanted;
			}
		}
	}

	/**
	 * Change a setting of the connection until the session is closed, unless it was
	 * changed before.
	 * @param restoring statement that restores it
	 */
	void changeOnce(String setting, String restoring) throws SQLException {
		if (!this.restoring.contains(restoring)) {
			change(setting, restoring);
		}
	}

	private void change(String setting, String restoring) throws SQLException {
		connection(); // throws if no time is left, before anything is changed
		this.restoring.add(restoring);
		execute(setting);
	}

	void execute(String sql) throws SQLException {
		execute(connection(), sql);
	}

	static void execute(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

	/**
	 * Run several steps as one transaction, or as a part of the present one.
	 * @return the result of the steps; if it is {@code null}, they are rolled back
	 */
	<T extends @Nullable Object> T inTransaction(Steps<T> steps) throws SQLException {
		if (!connection().getAutoCommit()) {
			return steps.run();
		}
		this.connection.setAutoCommit(false);
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
		catch (SQLException | RuntimeException | Error ex) {
			undo(ex);
			throw ex;
		}
	}

	private void undo(Throwable reason) {
		try {
			this.connection.rollback();
			this.connection.setAutoCommit(true);
		}
		catch (SQLException ex) {
			reason.addSuppressed(ex); // broken: the database rolls back
		}
	}

	/** Close the connection. A failure is only logged, because the work is done. */
	@Override
	public void close() {
		try (Connection ended = this.connection) {
			if (!ended.isClosed()) {
				restore();
				ended.setNetworkTimeout(Runnable::run, this.networkTimeout);
			}
		}
		catch (SQLException ex) {
			logger.debug("Could not return a connection", ex);
		}
		finally {
			this.leave.run();
		}
	}

	private void restore() throws SQLException {
		try {
			for (String setting : this.restoring) {
				execute(setting);
			}
		}
		catch (SQLException ex) {
			this.connection.abort(Runnable::run); // not usable with another setting
			// H2 does not implement abort. Other drivers fail here at once
			for (String setting : this.restoring) {
				execute(this.connection, setting);
			}
		}
	}

	/** Steps of a transaction. */
	interface Steps<T extends @Nullable Object> {

		T run() throws SQLException;

	}

}
