package io.leasehold.load;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Memory that uncontended locks of the local engine take: bytes allocated by a call, and
 * heap of a held lock. The limits also hold for code that is not yet optimized, and after
 * another test has created a mock: Mockito instruments {@link Object#hashCode()}, which
 * then allocates.
 */
class LocalAllocationTests {

	private static final int CALLS = 20_000;

	private static final int HELD = 100_000;

	private static final long HELD_LOCK = 612;

	/** Other threads of the process can only add to what a round measures. */
	private static final int MOST_ROUNDS = 10;

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LeaseholdAutoConfiguration.class, LeaseholdLocalAutoConfiguration.class))
		// No renewal is measured
		.withPropertyValues("leasehold.engine=local", "leasehold.lease=1h")
		.withUserConfiguration(OrderService.class);

	@Test
	void lockAndItsReleaseAllocateLittle() {
		this.application.run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			assertThat(Allocations.of(() -> locks.acquire("order:42").close(), CALLS)).isLessThanOrEqualTo(1016);
		});
	}

	@Test
	void callOfAnAnnotatedMethodAllocatesLittle() {
		this.application.run((context) -> {
			OrderService orders = context.getBean(OrderService.class);
			assertThat(Allocations.of(orders::pay, CALLS)).isLessThanOrEqualTo(1256);
		});
	}

	/** It is looked up by the first call only. */
	@Test
	void propertyInAKeyAllocatesLittle() {
		this.application.run((context) -> {
			OrderService orders = context.getBean(OrderService.class);
			Order order = new Order("42");
			assertThat(Allocations.of(() -> orders.ship(order), CALLS)).isLessThanOrEqualTo(3160);
		});
	}

	@Test
	void heldLockTakesLittle() {
		this.application.run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			long least = Long.MAX_VALUE;
			for (int round = 0; round < MOST_ROUNDS && least > HELD_LOCK; round++) {
				least = Math.min(least, heapOfAHeldLock(locks));
			}
			assertThat(least).isLessThanOrEqualTo(HELD_LOCK);
		});
	}

	/** The first round also counts tables that grow. */
	private static long heapOfAHeldLock(DistributedLocks locks) {
		List<HeldLock> held = new ArrayList<>(HELD);
		long before = heap();
		for (int i = 0; i < HELD; i++) {
			held.add(locks.acquire("order:" + i));
		}
		long taken = heap() - before;
		held.forEach(HeldLock::close);
		return taken / HELD;
	}

	private static long heap() {
		for (int i = 0; i < 3; i++) {
			System.gc();
		}
		return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
	}

	record Order(String id) {
	}

	static class OrderService {

		@DistributedLock(key = "'order'")
		public void pay() {
		}

		@DistributedLock(key = "'order:' + #order.id")
		public void ship(Order order) {
		}

	}

}
