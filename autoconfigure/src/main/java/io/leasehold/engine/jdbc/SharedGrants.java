package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.util.List;
import java.util.Set;

import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.jdbc.Sql.Change;
import org.jspecify.annotations.Nullable;

import static io.leasehold.engine.jdbc.Sql.micros;

/**
 * Grants to concurrent holders of the same access, in a separate table. Each step is one
 * transaction that locks the key's row first. The row stores until when the last place is
 * taken: zero only without holders, even expired ones, so that none of them can return
 * while an owner of another access holds the key.
 */
final class SharedGrants implements Grants {

	private static final String PLACES = "(SELECT COUNT(*) FROM {holders} h WHERE %s)".formatted(LockTable.PLACE_TAKEN);

	private static final String LAST_END = "COALESCE((SELECT MAX(%s) FROM {holders} h WHERE h.lock_id = id), 0)"
		.formatted(LockTable.PLACE_END);

	private static final String HOLD = """
			INSERT INTO {holders} (owner, lock_id, grant_number, granted_at, expires_at, lock_delay, closed_until)
			SELECT ?, id, grant_number, {now}, {now} + ?, ?, CASE WHEN ? = 0 THEN 0 ELSE {now} + ? END
			FROM {table} WHERE id = ? AND %s < ?
			AND NOT EXISTS (SELECT 1 FROM {holders} h WHERE h.lock_id = id AND h.owner = ? AND h.expires_at > {now})"""
		.formatted(PLACES);

	private static final String END = "UPDATE {holders} SET expires_at = {now}, lock_delay = 0 WHERE lock_id = ?";

	private static final String SWEEP = "DELETE FROM {holders} "
			+ "WHERE lock_id = ? AND GREATEST(expires_at + lock_delay, closed_until) <= {now}";

	private final Sql sql;

	private final LockTable table;

	private final Change open;

	private final Change settle;

	SharedGrants(Sql sql, LockTable table) {
		this.sql = sql;
		this.table = table;
		Dialect dialect = sql.dialect();
		// An expired owner must not find its row again. Without an owner, the end of
		// the lease is the time since which the key is idle
		this.open = sql.returning(sql.first("""
				UPDATE {table} SET
				grant_number = %s,
				expires_at = {now},
				lock_delay = 0,
				shared_until = GREATEST(shared_until, {now} + ?),
				shared_access = ?,
				turn_until = 0,
				waited_until = CASE WHEN waiter = ? THEN 0 ELSE waited_until END,
				version = version + 1,
				owner = NULL
				WHERE id = ? AND %s AND (shared_until = 0 OR shared_access = ?) AND %s AND %s < ? AND %s""".formatted(
				dialect.returning("GREATEST(grant_number + 1, {now})"), LockTable.UNOWNED, LockTable.TURN, PLACES,
				LockTable.IN_TIME)), "grant_number");
		this.settle = settle("owner = NULL, expires_at = {now}");
	}

	private Change settle(String release) {
		return this.sql.freeing("""
				UPDATE {table} SET %s, version = version + 1,
				shared_until = %s%%s
				WHERE id = ?""".formatted(release, LAST_END));
	}

	@Override
	public @Nullable Long take(Session session, RowId id, Claim claim, long latest) throws SQLException {
		long lease = micros(claim.lease());
		long delay = micros(claim.lockDelay());
		long minHold = micros(claim.minHold());
		String access = claim.access().code();
		int limit = claim.access().limit();
		String owner = claim.owner().token();
		return this.sql.<@Nullable Long>inTransaction(session, () -> {
			Long number = this.sql.number(session, this.open, Math.max(lease + delay, minHold), access,
					claim.owner().memberId(), id.bytes(), access, access, limit, latest);
			// Counted again: the update may have counted before it obtained its lock
			boolean held = number != null && this.sql.update(session, HOLD, owner, lease, delay, Long.signum(minHold),
					minHold, id.bytes(), limit, owner) > 0;
			return held ? number : null;
		});
	}

	@Override
	public @Nullable Long insert(Session session, RowId id, Claim claim, long latest) throws SQLException {
		this.table.insert(session, id, claim.key(), null, latest);
		return take(session, id, claim, latest);
	}

	@Override
	public @Nullable Long free(Session session, RowId id, String owner) throws SQLException {
		return this.sql.<@Nullable Long>inTransaction(session, () -> {
			boolean ended = this.table.lock(session, List.of(id.bytes())) > 0
					&& this.sql.update(session, END + " AND owner = ? AND expires_at > {now}", id.bytes(), owner) > 0;
			return ended ? settle(session, id, this.settle) : null;
		});
	}

	/**
	 * Revoke all grants of a row, to one owner or many, notify their holders and return
	 * them.
	 */
	List<Holder> freeAll(Session session, RowId id) throws SQLException {
		return this.sql.inTransaction(session, () -> {
			if (this.table.lock(session, List.of(id.bytes())) == 0) {
				return List.of();
			}
			List<Holder> holders = this.table.inspect(session, id);
			this.sql.update(session, END + " AND expires_at + lock_delay > {now}", id.bytes());
			settle(session, id, settle(LockTable.FORCED_RELEASE));
			for (Holder revoked : holders) {
				this.sql.publish(session, GrantReports.revoked(revoked.number(), id));
			}
			return holders;
		});
	}

	void sweep(Session session, RowId id) throws SQLException {
		this.sql.inTransaction(session, () -> {
			this.table.lock(session, List.of(id.bytes()));
			this.sql.update(session, SWEEP, id.bytes());
			return this.sql.update(session, refresh(1), id.bytes());
		});
	}

	private static String refresh(int rows) {
		return "UPDATE {table} SET shared_until = %s WHERE id IN (%s)".formatted(LAST_END, Sql.repeat("?", rows));
	}

	private @Nullable Long settle(Session session, RowId id, Change settling) throws SQLException {
		this.sql.update(session, SWEEP, id.bytes());
		return this.sql.number(session, settling, id.bytes());
	}

	@Override
	public Set<String> renew(Session session, RenewalBatch batch) throws SQLException {
		return this.sql.inTransaction(session, () -> {
			this.table.lock(session, batch.rows());
			Set<String> owners = this.sql.extend(session, "{holders}", "lock_id",
					"expires_at = GREATEST(expires_at, {now} + ?)", batch);
			this.sql.update(session, refresh(batch.places()), batch.rows().toArray());
			return owners;
		});
	}

}
