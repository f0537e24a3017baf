package io.leasehold.sample;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.leasehold.LockException;
import io.leasehold.LockKey;
import io.leasehold.engine.LockEngine;
import io.leasehold.sample.shop.StockService;
import io.leasehold.sample.shop.Work;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for a seller that was paused and does not know yet that its lease is over.
 */
class FormerOwnerTests {

	@Test
	void pausedSellerCannotSellAUnitAgain(@TempDir Path data) throws Exception {
		PausedWork paused = new PausedWork();
		try (TwoInstances shop = new TwoInstances(data, paused, new Work())) {
			shop.bean(1, StockService.class).sell(shop.sale(1), "rehearsal");
			long sale = shop.sale(1);
			CompletableFuture<Boolean> former = TwoInstances
				.inThread(() -> shop.bean(0, StockService.class).sell(sale, "former"));
			paused.begun.await();
			shop.bean(1, LockEngine.class).forceRelease(new LockKey("stock:" + sale));
			assertThat(shop.bean(1, StockService.class).sell(sale, "next")).isTrue();
			paused.end.countDown();
			// Stale by the fence; lost, should a renewal have come first
			assertThatThrownBy(former::join).hasCauseInstanceOf(LockException.class);
			assertThat(shop.jdbc()
				.sql("SELECT instance FROM purchase WHERE sale_id = ?")
				.param(sale)
				.query(String.class)
				.list()).containsExactly("next");
		}
	}

	private static final class PausedWork extends Work {

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CountDownLatch end = new CountDownLatch(1);

		@Override
		public void think() {
			this.begun.countDown();
			try {
				this.end.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
