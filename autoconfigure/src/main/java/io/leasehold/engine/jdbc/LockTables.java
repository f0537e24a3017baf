package io.leasehold.engine.jdbc;

import io.leasehold.engine.Access;
import org.jspecify.annotations.Nullable;

/**
 * The lock table and that of its holders, in the dialect of one database.
 *
 * @param exclusive grants to one exclusive owner
 * @param shared grants to concurrent holders
 * @param upkeep maintenance of the tables
 * @param holdTimes by which waiting claims poll, {@code null} if they are notified
 * @param inTransactions locks that are part of a caller's transaction
 */
record LockTables(Dialect dialect, LockTable rows, ExclusiveGrants exclusive, SharedGrants shared, Upkeep upkeep,
		DatabaseClock clock, @Nullable HoldTimes holdTimes, ConnectionLocks inTransactions) {

	static LockTables of(Dialect dialect, JdbcSettings settings, boolean notified) {
		Sql sql = new Sql(dialect, settings);
		LockTable rows = new LockTable(sql, settings.namespace());
		return new LockTables(dialect, rows, new ExclusiveGrants(sql, rows), new SharedGrants(sql, rows),
				new Upkeep(sql, rows), new DatabaseClock(sql),
				notified ? null : new HoldTimes(settings.pollNearRelease()), dialect.connectionLocks(settings.table()));
	}

	Grants grants(Access access) {
		return access.equals(Access.EXCLUSIVE) ? this.exclusive : this.shared;
	}

}
