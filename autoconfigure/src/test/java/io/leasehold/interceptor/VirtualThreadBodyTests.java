package io.leasehold.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for methods whose result is a stage, on the JDKs that have virtual threads.
 */
class VirtualThreadBodyTests {

	@Test
	@Fault(127)
	void bodiesRunInVirtualThreadsIfTheApplicationHasThem() {
		Locked.runner(StageThreadsTests.Orders.class)
			.withPropertyValues("spring.threads.virtual.enabled=true")
			.run((context) -> assertThat(groupOf(context.getBean(StageThreadsTests.Orders.class)))
				.isEqualTo("VirtualThreads"));
	}

	@Test
	@Fault(127)
	void bodiesRunInPlatformThreadsOtherwise() {
		Locked.runner(StageThreadsTests.Orders.class)
			.run((context) -> assertThat(groupOf(context.getBean(StageThreadsTests.Orders.class)))
				.isNotEqualTo("VirtualThreads"));
	}

	/** All virtual threads, and no others, belong to a group of this name. */
	private static String groupOf(StageThreadsTests.Orders orders) throws Exception {
		return orders
			.stage(1, () -> CompletableFuture.completedFuture(Thread.currentThread().getThreadGroup().getName()))
			.get(20, TimeUnit.SECONDS);
	}

}
