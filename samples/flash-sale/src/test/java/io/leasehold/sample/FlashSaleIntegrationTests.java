package io.leasehold.sample;

import java.nio.file.Path;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the sample as its users run it: processes of the packaged jar.
 */
class FlashSaleIntegrationTests {

	private static ShopProcess shop;

	@TempDir
	static Path data;

	@BeforeAll
	static void start() throws Exception {
		shop = ShopProcess.startProcessedAheadOfTime(data);
	}

	@AfterAll
	static void stop() {
		shop.close();
	}

	@Test
	void instanceThatWasProcessedAheadOfTimeSells() throws Exception {
		assertThat(shop.log()).contains("AOT-processed");
		shop.sells("jdbc");
		assertThat(shop.sale().path("oversold").asInt()).isZero();
	}

	@Test
	void metersAreScraped() {
		shop.sells("jdbc");
		assertThat(shop.get("/actuator/metrics/leasehold.hold")).contains("StockService.sell").contains("jdbc");
		assertThat(shop.get("/actuator/prometheus")).contains("leasehold_hold_seconds_count{engine=\"jdbc\"")
			.contains("leasehold_acquire_seconds_count")
			.contains("leasehold_held")
			.contains("leasehold_waiting");
	}

	/** The second one: the first serves the H2 file to both, whose end is H2's affair. */
	@Test
	void killedInstanceLeavesTheSaleToTheOther() throws Exception {
		try (ShopProcess other = ShopProcess.start(data)) {
			ShopProcess.eventually().until(() -> shop.state().path("instances").size() == 2);
			shop.startSale(400, 16, true);
			ShopProcess.eventually().until(() -> {
				boolean bothSell = shop.soldBy(shop.name()) > 20 && shop.soldBy(other.name()) > 20;
				if (!bothSell && !shop.sale().path("running").asBoolean()) {
					shop.startSale(400, 16, true); // one of them came too late
				}
				return bothSell;
			});
			other.kill();
			ShopProcess.eventually().until(() -> !shop.sale().path("running").asBoolean());
			JsonNode sale = shop.sale();
			assertThat(sale.path("sold").asInt()).isEqualTo(400);
			assertThat(sale.path("oversold").asInt()).isZero();
		}
	}

}
