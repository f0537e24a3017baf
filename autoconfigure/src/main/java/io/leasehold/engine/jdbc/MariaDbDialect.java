package io.leasehold.engine.jdbc;

import java.time.Duration;

/**
 * MariaDB, which differs from MySQL in what ends a statement that waits.
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
	String setUp(Duration lockTimeout) {
		return "SET SESSION max_statement_time = %d.%03d".formatted(lockTimeout.toSeconds(),
				lockTimeout.toMillisPart());
	}

}
