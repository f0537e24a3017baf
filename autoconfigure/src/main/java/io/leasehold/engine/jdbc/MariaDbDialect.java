package io.leasehold.engine.jdbc;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Dialect of MariaDB, which differs from MySQL in its timeouts.
 */
final class MariaDbDialect extends MySqlDialect {

	static final String PRODUCT = "MariaDB";

	@Override
	String product() {
		return PRODUCT;
	}

	@Override
	String platform() {
		return "mariadb";
	}

	@Override
	String setLockTimeout(Duration lockTimeout) {
		return "SET SESSION max_statement_time = %d.%03d".formatted(lockTimeout.toSeconds(),
				lockTimeout.toMillisPart());
	}

	@Override
	String setUp(Duration idle) {
		return "SET SESSION idle_transaction_timeout = %d".formatted(seconds(idle));
	}

	@Override
	@Nullable String closeWhenIdle(Duration idle) {
		return null;
	}

}
