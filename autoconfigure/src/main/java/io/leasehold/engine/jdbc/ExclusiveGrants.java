package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.util.Set;

import io.leasehold.engine.Claim;
import io.leasehold.engine.jdbc.Sql.Change;
import org.jspecify.annotations.Nullable;

import static io.leasehold.engine.jdbc.Sql.micros;

/**
 * Grants of rows to one exclusive owner. Each step is a single statement that commits by
 * itself, except {@link #renew} on H2.
 */
class ExclusiveGrants implements Grants {

	/** Assignments of a renewal. */
	static final String EXTEND = "expires_at = GREATEST(expires_at, {now} + ?), version = version + 1";

	final Sql sql;

	final LockTable table;

	private final Change take;

	private final Change free;

	ExclusiveGrants(Sql sql, LockTable table) {
		this.sql = sql;
		this.table = table;
		this.take = take(sql, "", "CASE WHEN ? = 0 THEN 0 ELSE {now} + ? END", "");
		// An expired lease keeps its end, because the key is already free
		this.free = sql.freeing("""
				UPDATE {table} SET %s, version = version + 1, expires_at = {now}%%s
				WHERE id = ? AND owner = ? AND expires_at > {now}""".formatted(LockTable.RELEASE));
	}

	/**
	 * Create the update that grants a free row.
	 * @param reserving summand of the greatest number of the key
	 * @param closedUntil value of the column of the same name
	 * @param own summand of the number that is returned
	 */
	static Change take(Sql sql, String reserving, String closedUntil, String own) {
		return sql.returning(sql.change("""
				UPDATE {table} SET
				grant_number = %s%s,
				granted_at = {now},
				expires_at = {now} + ?,
				lock_delay = ?,
				closed_until = %s,
				turn_until = 0,
				waited_until = CASE WHEN waiter = ? THEN 0 ELSE waited_until END,
				version = version + 1,
				owner = ?
				WHERE id = ? AND %s AND shared_until = 0 AND %s AND %s""".formatted(
				sql.dialect().returning("GREATEST(grant_number + 1, {now})"), reserving, closedUntil, LockTable.UNOWNED,
				LockTable.TURN, LockTable.IN_TIME)), "grant_number" + own);
	}

	@Override
	public @Nullable Long take(Session session, RowId id, Claim claim, long latest) throws SQLException {
		long minHold = micros(claim.minHold());
		return this.sql.number(session, this.take, micros(claim.lease()), micros(claim.lockDelay()),
				Long.signum(minHold), minHold, claim.owner().memberId(), claim.owner().token(), id.bytes(),
				claim.access().code(), latest);
	}

	@Override
	public @Nullable Long insert(Session session, RowId id, Claim claim, long latest) throws SQLException {
		return this.table.insert(session, id, claim.key(), claim, latest);
	}

	@Override
	public final @Nullable Long free(Session session, RowId id, String owner) throws SQLException {
		return this.sql.number(session, this.free, id.bytes(), owner);
	}

	@Override
	public Set<String> renew(Session session, RenewalBatch batch) throws SQLException {
		return this.sql.dialect().undoesFailures() ? extend(session, batch)
				: this.sql.inTransaction(session, () -> extend(session, batch));
	}

	private Set<String> extend(Session session, RenewalBatch batch) throws SQLException {
		return this.sql.extend(session, "{table}", "id", EXTEND, batch);
	}

}
