package io.leasehold.sample;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.leasehold.sample.shop.CartService;
import io.leasehold.sample.shop.CheckoutService;
import io.leasehold.sample.shop.NightlyReport;
import io.leasehold.sample.shop.OrderService;
import io.leasehold.sample.shop.PriceList;
import io.leasehold.sample.shop.StockService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the services of the shop, with two instances in one JVM.
 */
class FlashSaleTests {

	private static TwoInstances shop;

	@BeforeAll
	static void start(@TempDir Path data) {
		shop = new TwoInstances(data);
	}

	@AfterAll
	static void stop() {
		shop.close();
	}

	@Test
	void nothingIsOversoldUnderTheLock() {
		assertThat(sell(40, true)).hasSize(40).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void unitsAreOversoldWithoutTheLock() {
		assertThat(sell(40, false)).hasSizeGreaterThan(40);
	}

	@Test
	void orderIsPaidOnceAtMost() {
		for (int n = 0; n < 5; n++) {
			long order = bean(0, OrderService.class).create();
			List<Boolean> moved = TwoInstances.atOnce(6, (i) -> (i < 5) ? bean(i, OrderService.class).pay(order)
					: bean(1, OrderService.class).cancel(order));
			assertThat(moved).containsOnlyOnce(true);
			assertThat(bean(0, OrderService.class).payments(order)).isEqualTo(moved.get(5) ? 0 : 1);
		}
	}

	@Test
	void cartsThatNameTheSameArticlesInOppositeOrdersAreFilledAsLongAsThereAreAny() {
		bean(0, CartService.class).stock("cup", 20);
		bean(0, CartService.class).stock("tea", 20);
		Map<String, Integer> cart = new TreeMap<>(Map.of("cup", 2, "tea", 1));
		Map<String, Integer> opposite = new TreeMap<>(cart).descendingMap();
		List<Boolean> filled = TwoInstances.atOnce(16,
				(i) -> bean(i, CartService.class).fill((i / 2 % 2 == 0) ? cart : opposite));
		assertThat(filled).filteredOn(Boolean::booleanValue).hasSize(10);
		assertThat(bean(0, CartService.class).unitsOf("cup")).isZero();
		assertThat(bean(0, CartService.class).unitsOf("tea")).isEqualTo(10);
	}

	@Test
	void cartIsFilledAsAWholeOrNotAtAll() {
		bean(0, CartService.class).stock("pot", 5);
		assertThat(bean(0, CartService.class).fill(Map.of("pot", 1, "sold out", 1))).isFalse();
		assertThat(bean(0, CartService.class).unitsOf("pot")).isEqualTo(5);
	}

	@Test
	void quoteIsMadeByOnePriceListAlone() {
		publish(500);
		List<Integer> quotes = TwoInstances.atOnce(40, (i) -> {
			if (i % 8 == 0) {
				publish((i % 16 == 0) ? 1000 : 500);
			}
			return bean(i, PriceList.class).quote(List.of("cup", "pot", "tea"));
		});
		assertThat(quotes).isSubsetOf(1500, 3000);
	}

	@Test
	void secondSubmitIsRefusedOnEveryInstance() {
		assertThat(bean(0, CheckoutService.class).submit("ada")).contains("accepted");
		assertThat(bean(0, CheckoutService.class).submit("ada")).contains("Already submitted");
		assertThat(bean(1, CheckoutService.class).submit("ada")).contains("Already submitted");
		assertThat(bean(1, CheckoutService.class).submit("grace")).contains("accepted");
	}

	@Test
	void nightlyReportRunsOnOneInstance() {
		bean(0, NightlyReport.class).run();
		bean(1, NightlyReport.class).run();
		assertThat(shop.jdbc().sql("SELECT units FROM report").query(Integer.class).list()).hasSize(1);
	}

	private static void publish(int cents) {
		bean(0, PriceList.class).publish(Map.of("cup", cents, "pot", cents, "tea", cents));
	}

	/** Sell what there is and more, and return the token of each purchase. */
	private static List<Long> sell(int units, boolean lock) {
		long sale = shop.sale(units);
		TwoInstances.atOnce(8, (i) -> buyUntilSoldOut(bean(i, StockService.class), sale, lock));
		return shop.jdbc()
			.sql("SELECT token FROM purchase WHERE sale_id = ? ORDER BY id")
			.param(sale)
			.query(Long.class)
			.list();
	}

	private static boolean buyUntilSoldOut(StockService stock, long sale, boolean lock) {
		while (lock ? stock.sell(sale, "test") : stock.sellWithoutLock(sale, "test")) {
			Thread.onSpinWait();
		}
		return true;
	}

	private static <T> T bean(int instance, Class<T> type) {
		return shop.bean(instance, type);
	}

}
