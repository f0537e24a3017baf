package io.leasehold.engine.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys.Kept;
import io.leasehold.engine.Owner;
import io.leasehold.engine.jdbc.Sql.Change;
import org.jspecify.annotations.Nullable;

import static io.leasehold.engine.jdbc.Sql.micros;

/**
 * Rows that a minimum hold keeps locked without an owner. The claim token of the former
 * owner stays in the row. After a release, it follows a space, so that it equals no claim
 * token.
 */
record KeptRows(Sql sql, LockTable table) {

	/** Condition that the row has an owner who did not release it. */
	static final String NOT_RELEASED = "owner > '!'"; // no token begins with a space

	private static final String RELEASED_OWNER = "CONCAT(' ', owner)";

	/** Assignments of the owner's release. */
	static final String RELEASE = "owner = CASE WHEN closed_until > {now} THEN %s END, lock_delay = 0"
		.formatted(RELEASED_OWNER);

	/**
	 * Assignments of a forced release, in an order for databases that evaluate one after
	 * the other. A row that is already kept changes neither its owner nor its time.
	 */
	static final String FORCED_RELEASE = """
			owner = CASE WHEN closed_until <= {now} THEN NULL
			WHEN %s AND expires_at + lock_delay > {now} THEN %s ELSE owner END,
			expires_at = CASE WHEN closed_until <= {now} OR expires_at + lock_delay > {now} THEN {now} ELSE expires_at END,
			lock_delay = 0"""
		.formatted(NOT_RELEASED, RELEASED_OWNER);

	private static final String KEPT = "closed_until > {now} "
			+ "AND (owner IS NULL OR owner < '!' OR expires_at + lock_delay <= {now})";

	/** Return the last owner of a row, or {@code null} if the row is not kept. */
	@Nullable Kept find(Session session, RowId id) throws SQLException {
		List<Kept> found = this.sql.query(session, """
				SELECT owner, grant_number, granted_at, expires_at, closed_until - {now} AS closed_for,
				CASE WHEN %s THEN 0 ELSE 1 END AS released
				FROM {table} WHERE id = ? AND %s""".formatted(NOT_RELEASED, KEPT), (row, index) -> kept(row), id.bytes());
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

	/**
	 * End the minimum hold of a row without an owner, and notify the waiters.
	 * @return its last owner, or {@code null} if the row is not kept
	 */
	@Nullable Kept open(Session session, RowId id) throws SQLException {
		Change open = this.sql.freeing("""
				UPDATE {table} SET owner = NULL, closed_until = 0, version = version + 1, expires_at = {now}%%s
				WHERE id = ? AND %s""".formatted(KEPT));
		return change(session, id, () -> this.sql.number(session, open, id.bytes()) != null);
	}

	/**
	 * Keep a row without an owner by another one, which has released it, and for another
	 * time from now on. Its waiters are not notified.
	 * @return its last owner until then, or {@code null} if the row is not kept
	 */
	@Nullable Kept replace(Session session, RowId id, Owner owner, Duration duration) throws SQLException {
		Change replace = this.sql.change("""
				UPDATE {table} SET owner = ?, granted_at = {now}, expires_at = {now}, lock_delay = 0,
				closed_until = {now} + ?, version = version + 1 WHERE id = ? AND %s""".formatted(KEPT));
		return change(session, id,
				() -> this.sql.update(session, replace, " " + owner.token(), micros(duration), id.bytes()) > 0);
	}

	/**
	 * Lock a row, and change it if it is kept.
	 * @param change returns whether the row was still kept
	 * @return its last owner before the change, or {@code null} if it was not changed
	 */
	private @Nullable Kept change(Session session, RowId id, Session.Steps<Boolean> change) throws SQLException {
		return this.sql.<@Nullable Kept>inTransaction(session, () -> {
			Kept kept = (this.table.lock(session, List.of(id.bytes())) > 0) ? find(session, id) : null;
			return (kept != null && change.run()) ? kept : null;
		});
	}

}
