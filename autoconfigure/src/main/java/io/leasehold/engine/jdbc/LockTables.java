package io.leasehold.engine.jdbc;

import io.leasehold.engine.Access;

/**
 * The lock table and that of its holders, in the dialect of one database.
 *
 * @param exclusive grants to one exclusive owner
 * @param shared grants to concurrent holders
 * @param upkeep maintenance of the tables
 */
record LockTables(Dialect dialect, LockTable rows, ExclusiveGrants exclusive, SharedGrants shared, Upkeep upkeep,
		DatabaseClock clock) {

	static LockTables of(Dialect dialect, JdbcSettings settings) {
		Sql sql = new Sql(dialect, settings);
		LockTable rows = new LockTable(sql, settings.namespace());
		return new LockTables(dialect, rows, new ExclusiveGrants(sql, rows), new SharedGrants(sql, rows),
				new Upkeep(sql), new DatabaseClock(sql));
	}

	Grants grants(Access access) {
		return access.equals(Access.EXCLUSIVE) ? this.exclusive : this.shared;
	}

}
