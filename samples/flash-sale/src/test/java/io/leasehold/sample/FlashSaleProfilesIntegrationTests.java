package io.leasehold.sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the sample's profiles, each with a real store.
 */
class FlashSaleProfilesIntegrationTests {

	@TempDir
	Path data;

	@Test
	void profileSwitchesToZooKeeper() throws Exception {
		try (TestingServer zooKeeper = new TestingServer(freePort());
				ShopProcess shop = ShopProcess.start(this.data, "--spring.profiles.active=zookeeper",
						"--leasehold.zookeeper.connect-string=" + zooKeeper.getConnectString())) {
			shop.sells("zookeeper");
		}
	}

	@Test
	void profileSwitchesToRedisAndBuyersComeBackWhenItDoes() throws Exception {
		RedisServer redis = redis(freePort());
		redis.start();
		try (ShopProcess shop = ShopProcess.start(this.data, "--spring.profiles.active=redis",
				"--spring.data.redis.port=" + redis.ports().get(0))) {
			shop.sells("redis");
			shop.startSale(300, 8, true);
			ShopProcess.eventually().until(() -> shop.sale().path("sold").asInt() > 20);
			redis.stop();
			ShopProcess.eventually().until(() -> {
				// If Redis stopped after all units had been sold
				if (!shop.sale().path("running").asBoolean()) {
					shop.startSale(300, 8, true);
				}
				return shop.state().path("holder").asString().contains("does not respond");
			});
			ShopProcess.eventually().until(() -> shop.get("/api/state").contains("unavailable="));
			redis.start();
			ShopProcess.eventually().until(() -> !shop.sale().path("running").asBoolean());
			assertThat(shop.sale().path("sold").asInt()).isEqualTo(300);
			assertThat(shop.sale().path("oversold").asInt()).isZero();
		}
		finally {
			redis.stop();
		}
	}

	private static RedisServer redis(int port) throws IOException {
		return RedisServer.builder().port(port).setting("bind 127.0.0.1").setting("save \"\"").build();
	}

	/**
	 * A port outside the range for clients, which could use it while the server is down.
	 */
	static int freePort() {
		while (true) {
			int port = ThreadLocalRandom.current().nextInt(12_768, 32_768);
			try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
				return socket.getLocalPort();
			}
			catch (IOException ex) {
				// in use: try the next one
			}
		}
	}

}
