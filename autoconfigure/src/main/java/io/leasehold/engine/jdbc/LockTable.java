package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * The statements on the lock table of one database. Each commits by itself; all times are
 * microseconds of the database's clock.
 * <p>
 * A key is free if nobody owns it or the owner's lease is over, and no min hold keeps it
 * closed. The row stays when its owner goes, for the sake of the number.
 */
final class LockTable {

	private static final String COLUMNS = "namespace, lock_key, owner, grant_number, granted_at, expires_at, "
			+ "closed_until, waited_until, version";

	private final Dialect dialect;

	private final String name;

	private final String where;

	private final List<String> checks;

	private final String take;

	private final String insert;

	private final String look;

	private final String mark;

	private final String free;

	private final String inspect;

	private final String findIdle;

	private final String removeIdle;

	LockTable(Dialect dialect, JdbcSettings settings) {
		this.dialect = dialect;
		this.name = settings.table();
		this.where = dialect.where(Dialect.lockTimeout(settings.callTimeout()));
		String columns = "id, %s, waiter".formatted(COLUMNS);
		this.checks = List.of(
				sql("INSERT INTO {table} (%1$s) SELECT %1$s FROM {table} WHERE id IS NULL".formatted(columns)),
				sql("UPDATE {table} SET version = version + 1 WHERE id IS NULL"),
				sql("DELETE FROM {table} WHERE id IS NULL"));
		// The owner comes last: MariaDB and MySQL read columns assigned before
		this.take = dialect.returning(sql("""
				UPDATE {table} SET
				grant_number = %s,
				granted_at = CASE WHEN owner = ? THEN granted_at ELSE {now} END,
				expires_at = CASE WHEN owner = ? THEN GREATEST(expires_at, {now} + ?) ELSE {now} + ? END,
				closed_until = CASE WHEN owner = ? THEN closed_until WHEN ? = 0 THEN 0 ELSE {now} + ? END,
				waited_until = CASE WHEN waiter = ? THEN 0 ELSE waited_until END,
				version = version + 1,
				owner = ?
				{where} id = ?
				AND (owner = ? OR ((owner IS NULL OR expires_at <= {now}) AND closed_until <= {now}))""".formatted(
				dialect.telling("CASE WHEN owner = ? THEN grant_number ELSE GREATEST(grant_number + 1, {now}) END"))),
				"grant_number");
		this.insert = sql(dialect.insert("{table}", COLUMNS,
				"?, ?, ?, %s, {now}, {now} + ?, CASE WHEN ? = 0 THEN 0 ELSE {now} + ? END, 0, 1"
					.formatted(dialect.telling("{now}"))));
		this.look = sql("""
				SELECT CASE WHEN owner IS NULL OR expires_at < closed_until THEN closed_until ELSE expires_at END
				- {now}, waited_until - {now} FROM {table} WHERE id = ?""");
		this.mark = sql("""
				UPDATE {table} SET waited_until = {now} + ?, waiter = ?, version = version + 1
				{where} id = ? AND waited_until < {now} + ?""");
		// The end of a lease that is over is left as it is: the key is free already
		String marked = "GREATEST(waited_until - {now}, 0)";
		this.free = sql(dialect.returning("""
				UPDATE {table} SET owner = NULL, expires_at = {now}, version = version + 1%s
				{where} id = ? AND owner = ? AND expires_at > {now}""".formatted(dialect.aside(marked)),
				(settings.channel() != null) ? dialect.notifying(marked, settings.channel()) : marked));
		this.inspect = sql("""
				SELECT owner, grant_number, granted_at, expires_at - {now} FROM {table}
				WHERE id = ? AND owner IS NOT NULL AND expires_at > {now}""");
		String idle = "expires_at < {now} - ? AND closed_until < {now} - ?";
		this.findIdle = sql("SELECT id FROM {table} WHERE namespace = ? AND %s LIMIT ?".formatted(idle));
		this.removeIdle = sql("DELETE FROM {table} WHERE id = ? AND %s".formatted(idle));
	}

	private String sql(String template) {
		return template.replace("{table}", this.name)
			.replace("{now}", this.dialect.now())
			.replace("{where}", this.where);
	}

	/**
	 * Fail if the table, one of its columns or a privilege is missing; change nothing.
	 */
	void check(Session session) throws SQLException {
		for (String check : this.checks) {
			try (PreparedStatement statement = session.connection().prepareStatement(check)) {
				statement.executeUpdate();
			}
		}
	}

	/**
	 * Give a row to a claim if it is free or the claim's already.
	 * @return the number of the grant, or {@code null} if the row is busy or missing
	 */
	@Nullable Long take(Connection connection, RowId id, Claim claim) throws SQLException {
		String owner = claim.owner().token();
		long lease = micros(claim.lease());
		long minHold = micros(claim.minHold());
		try (PreparedStatement statement = this.dialect.prepare(connection, this.take)) {
			bind(statement, owner, owner, owner, lease, lease, owner, minHold, minHold, claim.owner().member().id(),
					owner, id.bytes(), owner);
			return this.dialect.run(statement);
		}
	}

	/**
	 * Insert a row that belongs to a claim.
	 * @return the number of the grant, or {@code null} if there is such a row
	 */
	@Nullable Long insert(Connection connection, RowId id, String namespace, Claim claim) throws SQLException {
		long minHold = micros(claim.minHold());
		try (PreparedStatement statement = this.dialect.prepare(connection, this.insert)) {
			bind(statement, id.bytes(), namespace, claim.key().readable(), claim.owner().token(), micros(claim.lease()),
					minHold, minHold);
			return this.dialect.run(statement);
		}
		catch (SQLException ex) {
			if (this.dialect.isInsertedMeanwhile(ex)) {
				return null;
			}
			throw ex;
		}
	}

	/** Look at a row that could not be taken; {@code null} if there is none. */
	@Nullable Busy look(Connection connection, RowId id) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.look)) {
			bind(statement, (Object) id.bytes());
			try (ResultSet rows = statement.executeQuery()) {
				return rows.next() ? new Busy(rows.getLong(1), rows.getLong(2)) : null;
			}
		}
	}

	/** Leave a mark that somebody waits until then, unless a longer one is there. */
	void mark(Connection connection, RowId id, String waiter, Duration until) throws SQLException {
		try (PreparedStatement statement = this.dialect.prepare(connection, this.mark)) {
			bind(statement, micros(until), waiter, id.bytes(), micros(until));
			statement.executeUpdate();
		}
	}

	/**
	 * Free a row that belongs to an owner.
	 * @return how many microseconds another claim is known to wait, or {@code null} if
	 * the row is not, or no longer, the owner's
	 */
	@Nullable Long free(Connection connection, RowId id, String owner) throws SQLException {
		try (PreparedStatement statement = this.dialect.prepare(connection, this.free)) {
			bind(statement, id.bytes(), owner);
			return this.dialect.run(statement);
		}
	}

	/**
	 * Extend leases, all by one statement; the rest needs another one only where the
	 * database tells no more than how many rows were changed.
	 * @param ids the rows of the renewals, in the same order
	 * @param lease the new lease of all of them
	 * @return the rows that were extended
	 */
	Set<RowId> renew(Connection connection, List<RowId> ids, List<Renewal> renewals, Duration lease)
			throws SQLException {
		// Few lengths make few statements for the server to parse
		int places = Integer.highestOneBit(Math.max(1, 2 * renewals.size() - 1));
		String which = sql("id IN (%s) AND (owner, grant_number) IN (%s) AND expires_at > {now}"
			.formatted(repeat("?", places), repeat("(?, ?)", places)));
		String update = sql(
				"UPDATE {table} SET expires_at = GREATEST(expires_at, {now} + ?), version = version + 1 {where} ")
				+ which;
		List<Object> values = new ArrayList<>(3 * places);
		for (int i = 0; i < places; i++) {
			values.add(ids.get(Math.min(i, ids.size() - 1)).bytes());
		}
		for (int i = 0; i < places; i++) {
			Renewal renewal = renewals.get(Math.min(i, renewals.size() - 1));
			values.add(renewal.claim().owner().token());
			values.add(renewal.number());
		}
		values.add(0, micros(lease));
		if (this.dialect.returnsRows()) {
			return ids(connection, this.dialect.returning(update, "id"), values);
		}
		try (PreparedStatement statement = connection.prepareStatement(update)) {
			bind(statement, values.toArray());
			if (statement.executeUpdate() == ids.size()) {
				return new HashSet<>(ids);
			}
		}
		return ids(connection, sql("SELECT id FROM {table} WHERE ") + which, values.subList(1, values.size()));
	}

	private Set<RowId> ids(Connection connection, String sql, List<?> values) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(sql)) {
			bind(statement, values.toArray());
			try (ResultSet rows = statement.executeQuery()) {
				Set<RowId> result = new HashSet<>();
				while (rows.next()) {
					result.add(new RowId(rows.getBytes(1)));
				}
				return result;
			}
		}
	}

	/** Read who owns a row; {@code null} if nobody does. */
	@Nullable Owned inspect(Connection connection, RowId id) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.inspect)) {
			bind(statement, (Object) id.bytes());
			try (ResultSet rows = statement.executeQuery()) {
				return rows.next() ? new Owned(rows.getString(1), rows.getLong(2), rows.getLong(3), rows.getLong(4))
						: null;
			}
		}
	}

	/**
	 * Remove some of the rows of a namespace that nobody has used for long.
	 * @return how many were found
	 */
	int removeIdle(Connection connection, String namespace, Duration retention, int most) throws SQLException {
		long idle = micros(retention);
		Set<RowId> found = ids(connection, this.findIdle, List.of(namespace, idle, idle, most));
		try (PreparedStatement statement = connection.prepareStatement(this.removeIdle)) {
			for (RowId id : found) {
				bind(statement, id.bytes(), idle, idle);
				statement.executeUpdate();
			}
		}
		return found.size();
	}

	static long micros(Duration duration) {
		return (duration.toNanos() + 999) / 1000;
	}

	private static String repeat(String text, int times) {
		return String.join(", ", Collections.nCopies(times, text));
	}

	private static void bind(PreparedStatement statement, Object... values) throws SQLException {
		for (int i = 0; i < values.length; i++) {
			Object value = values[i];
			if (value instanceof byte[] bytes) {
				statement.setBytes(i + 1, bytes);
			}
			else if (value instanceof Number number) {
				statement.setLong(i + 1, number.longValue());
			}
			else {
				statement.setString(i + 1, (String) value);
			}
		}
	}

	/**
	 * A row that could not be taken.
	 *
	 * @param closedFor microseconds until it is free, unless freed or renewed before
	 * @param markedFor microseconds until the mark of the waiting runs out
	 */
	record Busy(long closedFor, long markedFor) {
	}

	/**
	 * A row that has an owner.
	 *
	 * @param owner token of the owner
	 * @param number number of the grant
	 * @param since microseconds since 1970
	 * @param remaining microseconds until the lease ends
	 */
	record Owned(String owner, long number, long since, long remaining) {
	}

}
