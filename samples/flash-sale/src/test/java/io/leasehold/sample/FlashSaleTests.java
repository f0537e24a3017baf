package io.leasehold.sample;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.leasehold.sample.shop.CheckoutService;
import io.leasehold.sample.shop.NightlyReport;
import io.leasehold.sample.shop.OrderService;
import io.leasehold.sample.shop.StockService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the services of the shop, with two instances in one JVM.
 */
class FlashSaleTests {

	@TempDir
	Path data;

	private List<ConfigurableApplicationContext> instances;

	private JdbcClient jdbc;

	@BeforeEach
	void start() {
		this.instances = List.of(instance(), instance());
		this.jdbc = this.instances.get(0).getBean(JdbcClient.class);
	}

	@AfterEach
	void stop() {
		this.instances.forEach(ConfigurableApplicationContext::close);
	}

	@Test
	void nothingIsOversoldUnderTheLock() {
		sell(40, true);
		assertThat(count("purchase")).isEqualTo(40);
		assertThat(this.jdbc.sql("SELECT token FROM purchase ORDER BY id").query(Long.class).list()).isSorted()
			.doesNotHaveDuplicates();
	}

	@Test
	void unitsAreOversoldWithoutTheLock() {
		sell(40, false);
		assertThat(count("purchase")).isGreaterThan(40);
	}

	@Test
	void orderIsPaidOnceAtMost() {
		for (int n = 0; n < 5; n++) {
			long order = bean(0, OrderService.class).create();
			List<CompletableFuture<Boolean>> attempts = IntStream.range(0, 6)
				.mapToObj((i) -> CompletableFuture.supplyAsync(() -> (i < 5)
						? bean(i % 2, OrderService.class).pay(order) : bean(1, OrderService.class).cancel(order)))
				.toList();
			assertThat(attempts.stream().filter(CompletableFuture::join)).hasSize(1);
			assertThat(bean(0, OrderService.class).payments(order)).isEqualTo(attempts.get(5).join() ? 0 : 1);
		}
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
		assertThat(count("report")).isOne();
	}

	private void sell(int units, boolean lock) {
		long sale = this.jdbc.sql(
				"SELECT id FROM FINAL TABLE (INSERT INTO sale (units, left_over, buyers, locked, ended) VALUES (?, ?, 8, ?, CURRENT_TIMESTAMP))")
			.params(units, units, lock)
			.query(Long.class)
			.single();
		List<CompletableFuture<Void>> buyers = IntStream.range(0, 8)
			.mapToObj((i) -> CompletableFuture.runAsync(
					() -> buyUntilSoldOut(bean(i % 2, StockService.class), sale, lock),
					(task) -> new Thread(task).start()))
			.toList();
		buyers.forEach(CompletableFuture::join);
	}

	private static void buyUntilSoldOut(StockService stock, long sale, boolean lock) {
		while (lock ? stock.sell(sale, "test") : stock.sellWithoutLock(sale, "test")) {
			Thread.onSpinWait();
		}
	}

	private int count(String table) {
		return this.jdbc.sql("SELECT COUNT(*) FROM " + table).query(Integer.class).single();
	}

	private <T> T bean(int instance, Class<T> type) {
		return this.instances.get(instance).getBean(type);
	}

	private ConfigurableApplicationContext instance() {
		return new SpringApplicationBuilder(FlashSaleApplication.class).run("--server.port=0", "--shop.report.cron=-",
				"--spring.datasource.url=jdbc:h2:file:%s/shop;AUTO_SERVER=TRUE;WRITE_DELAY=0".formatted(this.data));
	}

}
