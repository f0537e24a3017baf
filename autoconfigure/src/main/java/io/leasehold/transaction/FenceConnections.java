package io.leasehold.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Connections to the fenced database on which fences are announced or compared.
 * Thread-safe.
 */
final class FenceConnections {

	private static final Log logger = LogFactory.getLog(FenceConnections.class);

	private final DataSource dataSource;

	private final JdbcTemplate translating;

	FenceConnections(DataSource dataSource) {
		this.dataSource = dataSource;
		this.translating = new JdbcTemplate(dataSource);
	}

	/**
	 * Return whether the current thread runs in a transaction that has not ended. An
	 * ended one stays bound to the thread while synchronizations run after the commit.
	 */
	boolean isTransactionOpen() {
		boolean active = TransactionSynchronizationManager.isActualTransactionActive();
		if (!TransactionSynchronizationManager.isSynchronizationActive()) {
			return !active && TransactionSynchronizationManager.hasResource(this.dataSource);
		}
		GuardedTransaction current = GuardedTransaction.current();
		return active && (current == null || !current.isCommitted());
	}

	/**
	 * Return whether a transaction belongs to this database: it is about to commit the
	 * connection that is bound to the thread.
	 */
	boolean isCommittedBy(Object transaction) {
		return isCommitted(this.dataSource, transaction);
	}

	/** Return whether a transaction commits the connection of the thread. */
	static boolean isCommitted(Object dataSource, Object transaction) {
		return transaction instanceof DefaultTransactionStatus status
				&& status.getTransaction() instanceof JdbcTransactionObjectSupport jdbc && jdbc.hasConnectionHolder()
				&& jdbc.getConnectionHolder() == TransactionSynchronizationManager.getResource(dataSource);
	}

	/** Run an action on a connection of the pool, never on that of a transaction. */
	void withOwn(String task, Action action) {
		try (Connection connection = this.dataSource.getConnection()) {
			action.run(connection);
		}
		catch (SQLException ex) {
			throw translated(task, ex);
		}
	}

	void withBound(String task, Action action) {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			action.run(connection);
		}
		catch (SQLException ex) {
			throw translated(task, ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

	/**
	 * Set a savepoint in an ended transaction, whose clean-up would commit later
	 * statements without a comparison. Return an action that rolls back to it.
	 */
	Runnable undoingWhatJoins() {
		if (!TransactionSynchronizationManager.hasResource(this.dataSource)) {
			return () -> {
			};
		}
		Savepoint[] end = new Savepoint[1];
		withBound("Mark the end of a transaction", (connection) -> {
			if (!connection.getAutoCommit()) {
				end[0] = connection.setSavepoint();
			}
		});
		return () -> rollBack(end[0]);
	}

	private void rollBack(@Nullable Savepoint end) {
		if (end != null) {
			try {
				withBound("Roll back to the end of a transaction", (connection) -> connection.rollback(end));
			}
			catch (DataAccessException ex) {
				logger.warn("Statements that joined a completed transaction could not be rolled back", ex);
			}
		}
	}

	private DataAccessException translated(String task, SQLException ex) {
		DataAccessException translated = this.translating.getExceptionTranslator().translate(task, FenceTable.READ, ex);
		return (translated != null) ? translated : new UncategorizedSQLException(task, FenceTable.READ, ex);
	}

	interface Action {

		void run(Connection connection) throws SQLException;

	}

}
