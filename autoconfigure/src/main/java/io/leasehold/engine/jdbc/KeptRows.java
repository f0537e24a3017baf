package io.leasehold.engine.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.Owner;
import org.jspecify.annotations.Nullable;

import static io.leasehold.engine.jdbc.Sql.micros;

/**
 * Rows that a minimum hold keeps locked without an owner. The claim token of the former
 * owner stays in the row. After a release, it follows a space, so that it equals no claim
 * token. Thread-safe.
 */
record KeptRows(LockDatabase database) implements KeptKeys {

	private static final String KEPT = "closed_until > {now} "
			+ "AND (owner IS NULL OR owner < '!' OR expires_at + lock_delay <= {now})";

	private static final String FIND = """
			SELECT owner, grant_number, granted_at, expires_at, closed_until - {now} AS closed_for,
			CASE WHEN %s THEN 0 ELSE 1 END AS released
			FROM {table} WHERE id = ? AND %s""".formatted(LockTable.NOT_RELEASED, KEPT);

	/** Frees the row, and notifies the waiters. */
	private static final String OPEN = """
			UPDATE {table} SET owner = NULL, closed_until = 0, version = version + 1, expires_at = {now}%%s
			WHERE id = ? AND %s""".formatted(KEPT);

	/** Keeps the row by another owner, which has released it. */
	private static final String REPLACE = """
			UPDATE {table} SET owner = ?, granted_at = {now}, expires_at = {now}, lock_delay = 0,
			closed_until = {now} + ?, version = version + 1 WHERE id = ? AND %s""".formatted(KEPT);

	@Override
	public @Nullable Kept find(LockKey key) {
		return this.database.<@Nullable Kept>call(CallKind.ACQUIRE, "inspect", key,
				(session, tables) -> find(session, tables.sql(), this.database.id(key)));
	}

	private static @Nullable Kept find(Session session, Sql sql, RowId id) throws SQLException {
		List<Kept> found = sql.query(session, FIND, (row, index) -> kept(row), id.bytes());
		return found.isEmpty() ? null : found.get(0);
	}

	/** Versions before this class removed the owner. */
	private static Kept kept(ResultSet row) throws SQLException {
		String owner = row.getString("owner");
		Holder last = Holder.of((owner != null) ? owner.strip() : "", row.getLong("grant_number"),
				time(row.getLong("granted_at")), null);
		return new Kept(last, row.getBoolean("released") ? time(row.getLong("expires_at")) : null,
				micros(row.getLong("closed_for")));
	}

	private static Instant time(long micros) {
		return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
	}

	@Override
	public @Nullable Kept open(LockKey key) {
		return change("end the minimum hold of", key,
				(session, sql, id) -> sql.number(session, sql.freeing(OPEN), id.bytes()) != null);
	}

	@Override
	public @Nullable Kept replace(LockKey key, Owner owner, Duration duration) {
		return change("replace the minimum hold of", key, (session, sql,
				id) -> sql.update(session, sql.change(REPLACE), " " + owner.token(), micros(duration), id.bytes()) > 0);
	}

	/**
	 * Lock a row, and change it if it is kept.
	 * @return its last owner before the change, or {@code null} if it was not changed
	 */
	private @Nullable Kept change(String action, LockKey key, RowChange change) {
		RowId id = this.database.id(key);
		return this.database.<@Nullable Kept>call(CallKind.ACQUIRE, action, key,
				(session, tables) -> tables.sql().<@Nullable Kept>inTransaction(session, () -> {
					boolean exists = tables.rows().lock(session, List.of(id.bytes())) > 0;
					Kept kept = exists ? find(session, tables.sql(), id) : null;
					return (kept != null && change.run(session, tables.sql(), id)) ? kept : null;
				}));
	}

	/** Change of a kept row, which returns whether the row was still kept. */
	private interface RowChange {

		boolean run(Session session, Sql sql, RowId id) throws SQLException;

	}

}
