package io.leasehold.sample;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the sample as its users run it: processes of the packaged jar.
 */
class FlashSaleIntegrationTests {

	@TempDir
	Path data;

	/** The second one: the first serves the H2 file to both, whose end is H2's affair. */
	@Test
	void killedInstanceLeavesTheSaleToTheOther() throws Exception {
		try (ShopProcess one = ShopProcess.start(this.data); ShopProcess other = ShopProcess.start(this.data)) {
			ShopProcess.eventually().until(() -> one.state().path("instances").size() == 2);
			one.startSale(400, 16, true);
			ShopProcess.eventually().until(() -> {
				boolean bothSell = one.soldBy(one.name()) > 20 && one.soldBy(other.name()) > 20;
				if (!bothSell && !one.sale().path("running").asBoolean()) {
					one.startSale(400, 16, true); // one of them came too late
				}
				return bothSell;
			});
			other.kill();
			ShopProcess.eventually().until(() -> !one.sale().path("running").asBoolean());
			JsonNode sale = one.sale();
			assertThat(sale.path("sold").asInt()).isEqualTo(400);
			assertThat(sale.path("oversold").asInt()).isZero();
		}
	}

	@Test
	void metersAreScraped() throws Exception {
		try (ShopProcess shop = ShopProcess.start(this.data)) {
			shop.startSale(20, 4, true);
			ShopProcess.eventually().until(() -> shop.soldBy(shop.name()) == 20);
			assertThat(shop.get("/actuator/metrics/leasehold.hold")).contains("StockService.sell").contains("jdbc");
			assertThat(shop.get("/actuator/prometheus")).contains("leasehold_hold_seconds_count{engine=\"jdbc\"")
				.contains("leasehold_acquire_seconds_count")
				.contains("leasehold_held")
				.contains("leasehold_waiting");
		}
	}

	@Test
	void instanceThatWasProcessedAheadOfTimeSells() throws Exception {
		try (ShopProcess shop = ShopProcess.start(this.data, List.of("-Dspring.aot.enabled=true"))) {
			assertThat(shop.log()).contains("AOT-processed");
			shop.startSale(50, 8, true);
			ShopProcess.eventually().until(() -> !shop.sale().path("running").asBoolean());
			assertThat(shop.sale().path("sold").asInt()).isEqualTo(50);
			assertThat(shop.sale().path("oversold").asInt()).isZero();
			assertThat(shop.get("/actuator/metrics/leasehold.hold")).contains("StockService.sell");
		}
	}

}
