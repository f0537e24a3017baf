package io.leasehold.transaction;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.leasehold.engine.support.KeyNames;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * Statements on the fence table, each on a given connection. Thread-safe.
 *
 * @param lockTimeout how long a comparison waits for the row, in whole seconds
 */
record FenceTable(Duration lockTimeout) {

	static final String RAISE = """
			UPDATE leasehold_fence SET token = ?, announced_at = CURRENT_TIMESTAMP WHERE id = ? AND token <= ?""";

	static final String INSERT = """
			INSERT INTO leasehold_fence (id, engine, namespace, lock_key, token, announced_at)
			VALUES (?, ?, ?, ?, ?, CURRENT_TIMESTAMP)""";

	/** Locks the row and reads its last committed token in any isolation level. */
	static final String READ = "SELECT token FROM leasehold_fence WHERE id = ? FOR UPDATE";

	/** Fails if the table or one of its columns does not exist. */
	static final String CHECK = "SELECT id, engine, namespace, lock_key, token, announced_at FROM leasehold_fence"
			+ " WHERE token < 0";

	static final String MISSING = "it was announced, but its row no longer exists, as after a longer time than"
			+ " leasehold.fencing.retention";

	static final String FIND_IDLE = "SELECT id FROM leasehold_fence WHERE announced_at < ?";

	static final String REMOVE_IDLE = "DELETE FROM leasehold_fence WHERE id = ? AND announced_at < ?";

	static final int FOUND_AT_ONCE = 1000;

	/**
	 * Greatest difference between the local times of two instances, whose columns have no
	 * time zone.
	 */
	static final Duration ZONES = Duration.ofHours(26);

	/** SQL state of a database that rejects a row lock in a read-only transaction. */
	static final String READ_ONLY = "25006";

	/** SQL state of a transaction that was undone because of a concurrent one. */
	private static final String UNDONE = "40001";

	/**
	 * Store a token and commit. If another owner inserts the row concurrently, update
	 * that row. On MySQL and MariaDB, two such transactions can be in a deadlock, which
	 * the database ends by undoing one of them; that one is repeated.
	 */
	void announce(Fence fence, Connection connection) throws SQLException {
		JdbcOperations own = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
		while (own.update(RAISE, fence.token(), fence.id(), fence.token()) == 0) {
			Long known = token(fence, connection, 0);
			if (known != null && known > fence.token()) {
				throw fence.stale("a later owner has announced token " + known);
			}
			// Some drivers count no row that has its values already
			boolean announced = known != null && known == fence.token();
			if (announced || known == null && insert(own, fence, connection)) {
				break;
			}
		}
		if (!connection.getAutoCommit()) {
			connection.commit();
		}
	}

	private static boolean insert(JdbcOperations own, Fence fence, Connection connection) throws SQLException {
		try {
			own.update(INSERT, fence.id(), fence.engine(), fence.namespace(), KeyNames.ascii(fence.key()),
					fence.token());
			return true;
		}
		catch (DataAccessException ex) {
			if (!(ex instanceof DuplicateKeyException) && !isUndone(ex)) {
				throw ex;
			}
			if (!connection.getAutoCommit()) {
				connection.rollback();
			}
			return false;
		}
	}

	/**
	 * Remove tokens that were announced before the retention. A statement for all of them
	 * would lock each row of the table on MySQL. Therefore each is removed by its key and
	 * committed.
	 * @return how many were removed
	 */
	int removeIdle(Connection connection, Duration retention) throws SQLException {
		JdbcTemplate own = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
		own.setMaxRows(FOUND_AT_ONCE);
		Timestamp now = Objects.requireNonNull(own.queryForObject("SELECT CURRENT_TIMESTAMP", Timestamp.class));
		Timestamp idle = Timestamp.from(now.toInstant().minus(retention).minus(ZONES));
		int removed = 0;
		List<byte[]> found;
		do {
			found = own.queryForList(FIND_IDLE, byte[].class, idle);
			for (byte[] id : found) {
				removed += own.update(REMOVE_IDLE, id, idle);
				if (!connection.getAutoCommit()) {
					connection.commit();
				}
			}
		}
		while (found.size() == FOUND_AT_ONCE);
		return removed;
	}

	/** Return whether the database has undone the transaction, as for a deadlock. */
	private static boolean isUndone(DataAccessException failure) {
		return failure.getCause() instanceof SQLException cause && UNDONE.equals(cause.getSQLState());
	}

	/**
	 * Compare a token on the connection that is about to commit. The row stays locked
	 * until the end of the transaction, so the token cannot be raised meanwhile.
	 */
	void compare(Fence fence, Connection connection) throws SQLException {
		Long known = token(fence, connection, (int) this.lockTimeout.toSeconds());
		if (known == null) {
			throw fence.stale(MISSING);
		}
		if (known != fence.token()) {
			throw fence.stale("the announced token is now %s".formatted(known));
		}
	}

	/**
	 * Compare a token in a transaction that is declared read-only. If the database
	 * enforces that, it rejects the row lock, and there is nothing to fence. The rollback
	 * clears the failed statement, so that the commit succeeds.
	 */
	void compareReadOnly(Fence fence, Connection connection) throws SQLException {
		try {
			compare(fence, connection);
		}
		catch (SQLException ex) {
			if (!READ_ONLY.equals(ex.getSQLState())) {
				throw ex;
			}
			connection.rollback();
		}
	}

	/** Read a token with a separate timeout: the transaction's may have expired. */
	private static @Nullable Long token(Fence fence, Connection connection, int seconds) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(READ)) {
			int usual = statement.getQueryTimeout();
			statement.setQueryTimeout(seconds);
			statement.setBytes(1, fence.id());
			try (ResultSet rows = statement.executeQuery()) {
				return rows.next() ? rows.getLong(1) : null;
			}
			finally {
				statement.setQueryTimeout(usual); // H2 keeps it for the connection
			}
		}
	}

}
