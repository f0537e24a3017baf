package io.leasehold.engine.redis;

import java.time.Duration;

/**
 * The same on a large scale.
 */
class RedisLoadLongTests extends RedisLoadIntegrationTests {

	@Override
	protected int manyLocks() {
		return 20_000;
	}

	@Override
	protected int manyKeys() {
		return 1_000_000;
	}

	@Override
	protected Duration lease() {
		return Duration.ofSeconds(10);
	}

}
