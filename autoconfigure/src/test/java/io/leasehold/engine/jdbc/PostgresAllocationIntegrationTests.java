package io.leasehold.engine.jdbc;

import io.leasehold.DistributedLocks;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.jdbc.LeaseholdJdbcAutoConfiguration;
import io.leasehold.load.Allocations;
import io.leasehold.server.PostgresTestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Bytes that an uncontended lock and its release allocate in the caller's thread,
 * including the driver and the pool. The limit leaves room for code that is not yet
 * optimized.
 */
@Tag("full")
class PostgresAllocationIntegrationTests {

	private static final int CALLS = 100;

	@Test
	void lockAndItsReleaseAllocateLittle() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
					LeaseholdAutoConfiguration.class, LeaseholdJdbcAutoConfiguration.class))
			.withPropertyValues("leasehold.engine=jdbc", "leasehold.jdbc.initialize-schema=always",
					"spring.datasource.url=" + PostgresTestServer.shared().url())
			.run((context) -> {
				DistributedLocks locks = context.getBean(DistributedLocks.class);
				assertThat(Allocations.of(() -> locks.acquire("order:42").close(), CALLS)).isLessThanOrEqualTo(7256);
			});
	}

}
