package io.leasehold.engine.redis;

import io.leasehold.DistributedLocks;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.redis.LeaseholdRedisAutoConfiguration;
import io.leasehold.load.Allocations;
import io.leasehold.server.RedisTestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Bytes that an uncontended lock and its release allocate in the caller's thread. The
 * limits leave room for code that is not yet optimized.
 */
@Tag("full")
class RedisAllocationIntegrationTests {

	private static final int CALLS = 250;

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LeaseholdAutoConfiguration.class,
				LeaseholdRedisAutoConfiguration.class))
		.withPropertyValues("leasehold.engine=redis", "spring.data.redis.host=127.0.0.1",
				"spring.data.redis.port=" + RedisTestServer.shared().port())
		.withUserConfiguration(OrderService.class);

	@Test
	void lockAndItsReleaseAllocateLittle() {
		this.application.run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			assertThat(Allocations.of(() -> locks.acquire("order:42").close(), CALLS)).isLessThanOrEqualTo(2706);
		});
	}

	@Test
	void callOfAnAnnotatedMethodAllocatesLittle() {
		this.application.run((context) -> {
			OrderService orders = context.getBean(OrderService.class);
			assertThat(Allocations.of(() -> orders.pay(42L), CALLS)).isLessThanOrEqualTo(3086);
		});
	}

	static class OrderService {

		@DistributedLock(key = "'order:' + #id")
		public void pay(Long id) {
		}

	}

}
