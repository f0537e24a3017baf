package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import static io.leasehold.engine.jdbc.Sql.micros;

/**
 * Maintenance of the tables: the check at startup, and the removal of idle rows with
 * their holders.
 */
record Upkeep(Sql sql, LockTable rows) {

	private static final String IDLE = "expires_at + lock_delay < {now} - ? AND closed_until < {now} - ? "
			+ "AND shared_until < {now} - ?";

	private static final String LOCK_COLUMNS = "id, namespace, lock_key, owner, grant_number, granted_at, expires_at, "
			+ "lock_delay, closed_until, shared_until, shared_access, turn_until, turn_access, waited_until, waiter, "
			+ "version";

	private static final String HOLDER_COLUMNS = "lock_id, grant_number, owner, granted_at, expires_at, lock_delay, "
			+ "closed_until";

	/** Fail if a table, one of its columns or a privilege is missing; change nothing. */
	void check(Session session) throws SQLException {
		check(session, "{table}", "id", LOCK_COLUMNS);
		check(session, "{holders}", "lock_id", HOLDER_COLUMNS);
	}

	private void check(Session session, String table, String id, String columns) throws SQLException {
		String nothing = "FROM %s WHERE %s IS NULL".formatted(table, id);
		this.sql.update(session, "INSERT INTO %1$s (%2$s) SELECT %2$s %3$s".formatted(table, columns, nothing));
		this.sql.update(session, "UPDATE %1$s SET expires_at = 0 WHERE %2$s IS NULL".formatted(table, id));
		this.sql.update(session, "DELETE " + nothing);
	}

	/**
	 * Remove some idle rows of the namespace by one statement, because a commit for each
	 * may take longer than a call. Rows that a transaction has locked are not idle.
	 * @return how many were removed
	 */
	int removeIdle(Session session, int most) throws SQLException {
		long idle = micros(this.sql.settings().fencingRetention());
		List<Object> found = this.sql.query(session,
				"SELECT id FROM {table} WHERE namespace = ? AND %s LIMIT ?".formatted(IDLE),
				(row, index) -> row.getBytes(1), this.sql.settings().namespace(), idle, idle, idle, most);
		Set<RowId> unlocked = found.isEmpty() ? Set.of() : this.rows.unlocked(session, found);
		if (!unlocked.isEmpty()) {
			List<Object> values = new ArrayList<>(List.of(idle, idle, idle));
			unlocked.forEach((row) -> values.add(row.bytes()));
			this.sql.update(session,
					"DELETE FROM {table} WHERE %s AND id IN (%s)".formatted(IDLE, Sql.repeat("?", unlocked.size())),
					values.toArray());
		}
		return unlocked.size();
	}

}
