package io.leasehold.engine.jdbc;

import io.leasehold.engine.Access;

/**
 * The lock table and that of its holders, in the words of one database.
 *
 * @param dialect the dialect of the database
 * @param rows the rows
 * @param exclusive grants of rows to one owner alone
 * @param shared grants of places beside others
 * @param upkeep what keeps the tables in order
 * @param clock the clock of the database
 */
record LockTables(Dialect dialect, LockTable rows, ExclusiveGrants exclusive, SharedGrants shared, Upkeep upkeep,
		DatabaseClock clock) {

	static LockTables of(Dialect dialect, JdbcSettings settings) {
		Sql sql = new Sql(dialect, settings);
		LockTable rows = new LockTable(sql, settings.namespace());
		return new LockTables(dialect, rows, new ExclusiveGrants(sql, rows), new SharedGrants(sql, rows),
				new Upkeep(sql), new DatabaseClock(sql));
	}

	/** The grants of an access. */
	Grants grants(Access access) {
		return access.equals(Access.EXCLUSIVE) ? this.exclusive : this.shared;
	}

}
