package io.leasehold.transaction;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Set;

import io.leasehold.server.OwnDatabase;

/**
 * The contract on {@linkplain OwnDatabase a database of your own}, a relative of
 * PostgreSQL or MySQL whose dialect allows locks in transactions.
 */
class OwnDatabaseTransactionScopeContract extends SharedTransactionScopeContract {

	@Override
	String url() {
		return OwnDatabase.url();
	}

	@Override
	String lockTimeout() {
		return isLikeMySql() ? "SELECT @@SESSION.innodb_lock_wait_timeout" : "SHOW lock_timeout";
	}

	@Override
	boolean savepointsEndLocks() {
		return !isLikeMySql();
	}

	private boolean isLikeMySql() {
		try (Connection connection = DriverManager.getConnection(url())) {
			return Set.of("MySQL", "MariaDB").contains(connection.getMetaData().getDatabaseProductName());
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
