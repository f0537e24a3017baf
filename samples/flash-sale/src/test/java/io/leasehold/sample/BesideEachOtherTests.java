package io.leasehold.sample;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.leasehold.sample.shop.OrderService;
import io.leasehold.sample.shop.PriceList;
import io.leasehold.sample.shop.Work;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for locks with concurrent holders, on either of two instances.
 */
class BesideEachOtherTests {

	private static final Meeting three = new Meeting();

	private static TwoInstances shop;

	@BeforeAll
	static void start(@TempDir Path data) {
		shop = new TwoInstances(data, three, three);
	}

	@AfterAll
	static void stop() {
		shop.close();
	}

	@Test
	void providerIsAskedByThreeAtATime() {
		List<Long> orders = Stream.generate(shop.bean(0, OrderService.class)::create).limit(12).toList();
		assertThat(TwoInstances.atOnce(12, (i) -> shop.bean(i, OrderService.class).pay(orders.get(i))))
			.containsOnly(true);
		assertThat(three.most).hasValue(3);
	}

	@Test
	void quotesAreMadeBesideEachOther() {
		shop.jdbc().sql("INSERT INTO price (article, cents) VALUES ('cup', 500)").update();
		assertThat(TwoInstances.atOnce(3, (i) -> shop.bean(i, PriceList.class).quote(List.of("cup"))))
			.containsExactly(500, 500, 500);
	}

	/**
	 * Goes on when three have come.
	 */
	private static final class Meeting extends Work {

		private final CyclicBarrier barrier = new CyclicBarrier(3);

		private final AtomicInteger present = new AtomicInteger();

		private final AtomicInteger most = new AtomicInteger();

		@Override
		public void think() {
			call();
		}

		@Override
		public void call() {
			this.most.accumulateAndGet(this.present.incrementAndGet(), Math::max);
			try {
				this.barrier.await(60, TimeUnit.SECONDS);
			}
			catch (BrokenBarrierException | InterruptedException | TimeoutException ex) {
				throw new IllegalStateException("Alone here, or with one other", ex);
			}
			finally {
				this.present.decrementAndGet();
			}
		}

	}

}
