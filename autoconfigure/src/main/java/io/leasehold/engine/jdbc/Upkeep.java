package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import static io.leasehold.engine.jdbc.Sql.micros;

/**
 * Maintenance of the tables: the check at startup, and the removal of idle rows with
 * their holders.
 */
final class Upkeep {

	private static final String IDLE = "expires_at + lock_delay < {now} - ? AND closed_until < {now} - ? "
			+ "AND shared_until < {now} - ?";

	private static final String LOCK_COLUMNS = "id, namespace, lock_key, owner, grant_number, granted_at, expires_at, "
			+ "lock_delay, closed_until, shared_until, shared_access, turn_until, turn_access, waited_until, waiter, "
			+ "version";

	private static final String HOLDER_COLUMNS = "lock_id, grant_number, owner, granted_at, expires_at, lock_delay, "
			+ "closed_until";

	private final Sql sql;

	private final LockTable rows;

	private final List<String> checks;

	private final String findIdle;

	private final String removeIdle;

	Upkeep(Sql sql, LockTable rows) {
		this.sql = sql;
		this.rows = rows;
		this.checks = List.of(insertNothing("{table}", LOCK_COLUMNS, "id"),
				sql.of("UPDATE {table} SET version = version + 1 WHERE id IS NULL"),
				sql.of("DELETE FROM {table} WHERE id IS NULL"), insertNothing("{holders}", HOLDER_COLUMNS, "lock_id"),
				sql.of("UPDATE {holders} SET expires_at = 0 WHERE lock_id IS NULL"),
				sql.of("DELETE FROM {holders} WHERE lock_id IS NULL"));
		this.findIdle = sql.of("SELECT id FROM {table} WHERE namespace = ? AND %s LIMIT ?".formatted(IDLE));
		this.removeIdle = sql.of("DELETE FROM {table} WHERE %s AND id IN (%%s)".formatted(IDLE));
	}

	private String insertNothing(String table, String columns, String id) {
		return this.sql
			.of("INSERT INTO %1$s (%2$s) SELECT %2$s FROM %1$s WHERE %3$s IS NULL".formatted(table, columns, id));
	}

	/** Fail if a table, one of its columns or a privilege is missing; change nothing. */
	void check(Session session) throws SQLException {
		for (String check : this.checks) {
			this.sql.update(session, check);
		}
	}

	/**
	 * Remove some idle rows of a namespace by one statement, because a commit for each
	 * may take longer than a call. Rows that a transaction has locked are not idle.
	 * @return how many were removed
	 */
	int removeIdle(Session session, String namespace, Duration retention, int most) throws SQLException {
		long idle = micros(retention);
		List<Object> found = this.sql.query(session, this.findIdle, (row, index) -> row.getBytes(1), namespace, idle,
				idle, idle, most);
		Set<RowId> unlocked = found.isEmpty() ? Set.of() : this.rows.unlocked(session, found);
		if (!unlocked.isEmpty()) {
			List<Object> values = new ArrayList<>(List.of(idle, idle, idle));
			unlocked.forEach((row) -> values.add(row.bytes()));
			this.sql.update(session, this.removeIdle.formatted(Sql.repeat("?", unlocked.size())), values.toArray());
		}
		return unlocked.size();
	}

}
