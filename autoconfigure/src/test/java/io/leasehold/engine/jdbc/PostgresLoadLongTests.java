package io.leasehold.engine.jdbc;

import java.time.Duration;

/**
 * The same on a large scale.
 */
class PostgresLoadLongTests extends PostgresLoadIntegrationTests {

	@Override
	protected int manyLocks() {
		return 20_000;
	}

	@Override
	protected int manyKeys() {
		return 200_000;
	}

	@Override
	protected Duration lease() {
		return Duration.ofSeconds(30);
	}

}
