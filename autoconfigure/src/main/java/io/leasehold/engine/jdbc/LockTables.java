package io.leasehold.engine.jdbc;

import io.leasehold.engine.Access;
import io.leasehold.engine.Claim;
import org.jspecify.annotations.Nullable;

/**
 * The lock table and that of its holders, in the dialect of one database, and its
 * notifications.
 *
 * @param exclusive grants to one exclusive owner
 * @param lingering grants to one exclusive owner that linger
 * @param shared grants to concurrent holders
 * @param upkeep maintenance of the tables
 * @param extraPolls of waiting claims, {@code null} if they are notified
 * @param inTransactions locks that are part of a caller's transaction, {@code null} if
 * there are none
 * @param wakeUps source of notifications, {@code null} if there is none
 */
record LockTables(Sql sql, LockTable rows, ExclusiveGrants exclusive, LingeringGrants lingering, SharedGrants shared,
		Upkeep upkeep, DatabaseClock clock, @Nullable ExtraPolls extraPolls, @Nullable ConnectionLocks inTransactions,
		@Nullable WakeUps wakeUps) {

	static LockTables of(Dialect dialect, JdbcSettings settings, @Nullable WakeUps wakeUps) {
		Sql sql = new Sql(dialect, settings);
		LockTable rows = new LockTable(sql);
		return new LockTables(sql, rows, new ExclusiveGrants(sql, rows), new LingeringGrants(sql, rows),
				new SharedGrants(sql, rows), new Upkeep(sql, rows), new DatabaseClock(sql),
				(wakeUps != null) ? null : new ExtraPolls(settings.shortestExtraPoll()),
				Dialects.connectionLocks(dialect, settings.table()), wakeUps);
	}

	Grants grants(Claim claim) {
		if (claim.lingers()) {
			return this.lingering;
		}
		return claim.access().equals(Access.EXCLUSIVE) ? this.exclusive : this.shared;
	}

}
