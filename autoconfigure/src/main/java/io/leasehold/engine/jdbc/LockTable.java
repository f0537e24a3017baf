package io.leasehold.engine.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.Owner;
import io.leasehold.engine.jdbc.Sql.Change;
import io.leasehold.engine.support.KeyNames;
import org.jspecify.annotations.Nullable;

import static io.leasehold.engine.jdbc.Sql.micros;

/**
 * Rows of the lock table, one for each key with any access. Each statement commits by
 * itself unless it runs in a transaction. All times are microseconds of the database's
 * clock.
 * <p>
 * A row outlives its holders to preserve the grant number.
 */
final class LockTable {

	/** Condition that the key has no exclusive owner and no minimum hold. */
	static final String UNOWNED = "(owner IS NULL OR expires_at + lock_delay <= {now}) AND closed_until <= {now}";

	/** Condition that no access has the turn, or that this one has it. */
	static final String TURN = "(turn_until <= {now} OR turn_access = ?)";

	/** Condition that a request is not late. */
	static final String IN_TIME = "{now} < ?";

	/** End of the time for which the place of holder <code>h</code> is taken. */
	static final String PLACE_END = "GREATEST(h.expires_at + h.lock_delay, h.closed_until)";

	/** Condition on holders <code>h</code> of a row: their place is taken. */
	static final String PLACE_TAKEN = "h.lock_id = id AND %s > {now}".formatted(PLACE_END);

	/** Number of the exclusive owner's grant, before the numbers that it reserves. */
	private static final String OWN_NUMBER = "grant_number - CASE WHEN closed_until < 0 THEN %s ELSE 0 END"
		.formatted(Granted.RESERVED);

	/** Mark of the exclusive owner's grant if it lingers, otherwise zero. */
	private static final String RECALL_MARK = "CASE WHEN owner IS NOT NULL AND expires_at > {now} "
			+ "AND closed_until <= -%s THEN -closed_until ELSE 0 END".formatted(GrantReports.LEAST_MARK);

	/** Columns that describe the exclusive owner. */
	static final String HOLDER = "owner, %s AS own_number, granted_at, expires_at - {now} AS remaining, "
		.formatted(OWN_NUMBER)
			+ "CASE WHEN closed_until < 0 THEN 1 ELSE 0 END AS reserves, %s AS recall_mark".formatted(RECALL_MARK);

	/** Condition that the row has an owner who did not release it. */
	static final String NOT_RELEASED = "owner > '!'"; // no token begins with a space

	/** Claim token after a release in a minimum hold: it equals none. */
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

	private static final String COLUMNS = "namespace, lock_key, owner, grant_number, granted_at, expires_at, "
			+ "lock_delay, closed_until, shared_until, turn_until, waited_until, version";

	private final Sql sql;

	private final Change insert;

	private final String find;

	LockTable(Sql sql) {
		this.sql = sql;
		Dialect dialect = sql.dialect();
		this.insert = new Change(sql.of(dialect.insert("{table}", COLUMNS,
				"?, ?, ?, %s, {now}, {now} + ?, ?, CASE WHEN ? = 0 THEN 0 ELSE {now} + ? END, 0, 0, 0, 1"
					.formatted(dialect.returning("{now}")),
				IN_TIME + dialect.waiting())));
		this.find = sql
			.of("""
					SELECT CASE WHEN owner IS NULL THEN 0 ELSE expires_at + lock_delay END - {now} AS owned_for,
					closed_until - {now} AS closed_for,
					CASE WHEN shared_until = 0 THEN 0 ELSE 1 END AS has_holders,
					shared_until - {now} AS shared_for, shared_access,
					(SELECT COUNT(*) FROM {holders} h WHERE %1$s) AS places,
					(SELECT MIN(%2$s) FROM {holders} h WHERE %1$s) - {now} AS place_for,
					turn_until - {now} AS turn_for, turn_access, waited_until - {now} AS marked_for,
					CASE WHEN waiter = ? THEN 1 ELSE 0 END AS marks_claim,
					CASE WHEN owner = ? AND expires_at > {now} THEN %3$s ELSE
					(SELECT MAX(h.grant_number) FROM {holders} h WHERE h.lock_id = id AND h.owner = ? AND h.expires_at > {now}) END
					AS own_number, %4$s AS recall_mark
					FROM {table} WHERE id = ?"""
				.formatted(PLACE_TAKEN, PLACE_END, OWN_NUMBER, RECALL_MARK));
	}

	/**
	 * Insert a row.
	 * @param claim the claim that is granted the row, or {@code null} for none
	 * @param latest time after which the request is late
	 * @return the grant number, or {@code null} if the row exists or the request is late
	 */
	@Nullable Long insert(Session session, RowId id, LockKey key, @Nullable Claim claim, long latest) throws SQLException {
		String owner = (claim != null) ? claim.owner().token() : null;
		long lease = (claim != null) ? micros(claim.lease()) : 0;
		long lockDelay = (claim != null) ? micros(claim.lockDelay()) : 0;
		long minHold = (claim != null) ? micros(claim.minHold()) : 0;
		try {
			return this.sql.number(session, this.insert, id.bytes(), this.sql.settings().namespace(),
					KeyNames.ascii(key), owner, lease, lockDelay, Long.signum(minHold), minHold, latest);
		}
		catch (SQLException ex) {
			if (this.sql.dialect().isInsertedMeanwhile(ex)) {
				return null;
			}
			throw ex;
		}
	}

	/** Read a row that could not be acquired; {@code null} if there is none. */
	@Nullable LockRow find(Session session, RowId id, Owner owner) throws SQLException {
		List<LockRow> rows = this.sql.query(session, this.find,
				(row, index) -> new LockRow(row.getLong("owned_for"), row.getLong("closed_for"),
						row.getBoolean("has_holders"), row.getLong("shared_for"), access(row, "shared_access"),
						row.getInt("places"), row.getLong("place_for"), row.getLong("turn_for"),
						access(row, "turn_access"), row.getLong("marked_for"), row.getBoolean("marks_claim"),
						row.getLong("own_number"), row.getLong("recall_mark")),
				owner.memberId(), owner.token(), owner.token(), id.bytes());
		return rows.isEmpty() ? null : rows.get(0);
	}

	private static Access access(ResultSet row, String column) throws SQLException {
		String code = row.getString(column);
		return (code != null) ? Access.parse(code) : Access.EXCLUSIVE;
	}

	/**
	 * Lock rows for the rest of a transaction.
	 * @param ids bytes of their ids
	 * @return how many there are
	 */
	int lock(Session session, List<Object> ids) throws SQLException {
		return this.sql.update(session, this.sql
			.first("UPDATE {table} SET version = version + 1 WHERE id IN (%s)".formatted(Sql.repeat("?", ids.size()))),
				ids.toArray());
	}

	/**
	 * Run the steps of a transaction after all requests that the database currently
	 * executes for a row, even if one of them inserts it.
	 */
	<T extends @Nullable Object> T afterRequests(Session session, RowId id, LockKey key, Session.Steps<T> steps)
			throws SQLException {
		return this.sql.inTransaction(session, () -> {
			if (lock(session, List.of(id.bytes())) == 0) {
				insert(session, id, key, null, Long.MAX_VALUE);
				lock(session, List.of(id.bytes()));
			}
			return steps.run();
		});
	}

	/** Insert a row without an owner if it is missing, without waiting for its lock. */
	void insertMissing(Session session, RowId id, LockKey key) throws SQLException {
		List<Boolean> found = this.sql.query(session, "SELECT 1 FROM {table} WHERE id = ?", (row, index) -> true,
				id.bytes());
		if (found.isEmpty()) {
			insert(session, id, key, null, Long.MAX_VALUE);
		}
	}

	/**
	 * Return the rows that no session has locked at the moment.
	 * @param ids bytes of their ids
	 */
	Set<RowId> unlocked(Session session, List<Object> ids) throws SQLException {
		return new HashSet<>(this.sql.query(session,
				this.sql.dialect()
					.skippingLocked("SELECT id FROM {table} WHERE id IN (%s)".formatted(Sql.repeat("?", ids.size()))),
				(row, index) -> new RowId(row.getBytes(1)), ids.toArray()));
	}

	/**
	 * Mark for a time that a claim waits, unless there is a longer mark.
	 * @return whether the row was marked
	 */
	boolean mark(Session session, RowId id, String waiter, Duration until) throws SQLException {
		Change mark = this.sql.change("""
				UPDATE {table} SET waited_until = {now} + ?, waiter = ?, version = version + 1
				WHERE id = ? AND waited_until < {now} + ?""");
		return this.sql.update(session, mark, micros(until), waiter, id.bytes(), micros(until)) > 0;
	}

	/**
	 * Mark for a time that a claim waits, and give its access the turn after the present
	 * holders, unless another access has it.
	 */
	void takeTurn(Session session, RowId id, String waiter, Access access, Duration until) throws SQLException {
		Change take = this.sql.change("""
				UPDATE {table} SET turn_until = {now} + ?, turn_access = ?,
				waited_until = GREATEST(waited_until, {now} + ?), waiter = ?, version = version + 1
				WHERE id = ? AND %s""".formatted(TURN));
		this.sql.update(session, take, micros(until), access.code(), micros(until), waiter, id.bytes(), access.code());
	}

	/** Remove the marks of a waiter that gives up its turn. */
	void leaveTurn(Session session, RowId id, String waiter) throws SQLException {
		Change leave = this.sql.change("""
				UPDATE {table} SET turn_until = 0, waited_until = 0, version = version + 1
				WHERE id = ? AND waiter = ? AND turn_until > {now}""");
		this.sql.update(session, leave, id.bytes(), waiter);
	}

	/** Return the holders of a row in the order of their grant numbers. */
	List<Holder> inspect(Session session, RowId id) throws SQLException {
		return this.sql.query(session, """
				SELECT %s
				FROM {table} WHERE id = ? AND %s AND expires_at > {now}
				UNION ALL SELECT owner, grant_number, granted_at, expires_at - {now}, 0, 0 FROM {holders}
				WHERE lock_id = ? AND expires_at > {now} ORDER BY own_number""".formatted(HOLDER, NOT_RELEASED),
				(row, index) -> holder(row), id.bytes(), id.bytes());
	}

	/** Read a holder from its columns. */
	static Holder holder(ResultSet row) throws SQLException {
		Instant since = Instant.EPOCH.plus(row.getLong("granted_at"), ChronoUnit.MICROS);
		return Holder.of(row.getString("owner"), row.getLong("own_number"), since, micros(row.getLong("remaining")))
			.withReserved(row.getBoolean("reserves") ? Granted.RESERVED : 0, row.getLong("recall_mark") > 0);
	}

	/**
	 * Request the release of a lingering grant from its owner.
	 * @param mark {@linkplain GrantReports#mark mark} of the grant
	 * @return whether the database can notify the owner
	 */
	boolean recall(Session session, long mark) throws SQLException {
		return this.sql.publish(session, GrantReports.recalled(mark));
	}

}
