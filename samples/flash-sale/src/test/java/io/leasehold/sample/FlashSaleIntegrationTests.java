package io.leasehold.sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.apache.curator.test.TestingServer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;
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
			eventually().until(() -> one.state().path("instances").size() == 2);
			one.startSale(600, 16, true);
			eventually().until(() -> soldBy(one, one.name()) > 20 && soldBy(one, other.name()) > 20);
			other.kill();
			eventually().until(() -> !one.state().path("sale").path("running").asBoolean());
			JsonNode sale = one.state().path("sale");
			assertThat(sale.path("sold").asInt()).isEqualTo(600);
			assertThat(sale.path("oversold").asInt()).isZero();
		}
	}

	@Test
	void metersAreScraped() throws Exception {
		try (ShopProcess shop = ShopProcess.start(this.data)) {
			shop.startSale(20, 4, true);
			eventually().until(() -> soldBy(shop, shop.name()) == 20);
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
			eventually().until(() -> !shop.state().path("sale").path("running").asBoolean());
			assertThat(shop.state().path("sale").path("sold").asInt()).isEqualTo(50);
			assertThat(shop.state().path("sale").path("oversold").asInt()).isZero();
			assertThat(shop.get("/actuator/metrics/leasehold.hold")).contains("StockService.sell");
		}
	}

	@Test
	void profileSwitchesToRedis() throws Exception {
		RedisServer redis = redis(freePort());
		redis.start();
		try (ShopProcess shop = shopOn(redis)) {
			shop.startSale(50, 8, true);
			eventually().until(() -> !shop.state().path("sale").path("running").asBoolean());
			assertThat(shop.state().path("engine").asString()).isEqualTo("redis");
			assertThat(shop.state().path("sale").path("sold").asInt()).isEqualTo(50);
			assertThat(shop.get("/actuator/prometheus")).contains("leasehold_hold_seconds_count{engine=\"redis\"");
		}
		finally {
			redis.stop();
		}
	}

	@Test
	void profileSwitchesToZooKeeper() throws Exception {
		try (TestingServer zooKeeper = new TestingServer();
				ShopProcess shop = ShopProcess.start(this.data, "--spring.profiles.active=zookeeper",
						"--leasehold.zookeeper.connect-string=" + zooKeeper.getConnectString())) {
			shop.startSale(50, 8, true);
			eventually().until(() -> !shop.state().path("sale").path("running").asBoolean());
			assertThat(shop.state().path("engine").asString()).isEqualTo("zookeeper");
			assertThat(shop.state().path("sale").path("sold").asInt()).isEqualTo(50);
			assertThat(shop.get("/actuator/prometheus")).contains("leasehold_hold_seconds_count{engine=\"zookeeper\"");
		}
	}

	@Test
	void buyersComeBackWhenRedisDoes() throws Exception {
		RedisServer redis = redis(freePort());
		redis.start();
		try (ShopProcess shop = shopOn(redis)) {
			shop.startSale(300, 8, true);
			eventually().until(() -> soldBy(shop, shop.name()) > 20);
			redis.stop();
			eventually().until(() -> shop.state().path("holder").asString().contains("does not answer"));
			eventually().until(() -> shop.get("/api/state").contains("unavailable="));
			redis.start();
			eventually().until(() -> !shop.state().path("sale").path("running").asBoolean());
			assertThat(shop.state().path("sale").path("sold").asInt()).isEqualTo(300);
			assertThat(shop.state().path("sale").path("oversold").asInt()).isZero();
		}
		finally {
			redis.stop();
		}
	}

	private static RedisServer redis(int port) throws IOException {
		return RedisServer.builder().port(port).setting("bind 127.0.0.1").setting("save \"\"").build();
	}

	private ShopProcess shopOn(RedisServer redis) throws Exception {
		return ShopProcess.start(this.data, "--spring.profiles.active=redis",
				"--spring.data.redis.port=" + redis.ports().get(0));
	}

	private static int soldBy(ShopProcess observer, String instance) {
		for (JsonNode shop : observer.state().path("instances")) {
			if (shop.path("name").asString().equals(instance)) {
				return shop.path("sold").asInt();
			}
		}
		return 0;
	}

	/**
	 * An instance whose database has just died with another one may answer an error once.
	 */
	private static ConditionFactory eventually() {
		return Awaitility.await()
			.atMost(Duration.ofSeconds(90))
			.pollInterval(Duration.ofMillis(100))
			.ignoreExceptionsInstanceOf(IllegalStateException.class);
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

}
