package io.leasehold.sample;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests for the sample's profile for etcd, with a real server.
 */
class FlashSaleEtcdIntegrationTests {

	@TempDir
	Path data;

	/** The engine retries until the server is ready. */
	@Test
	void profileSwitchesToEtcd() throws Exception {
		String clients = "http://127.0.0.1:" + FlashSaleProfilesIntegrationTests.freePort();
		String peers = "http://127.0.0.1:" + FlashSaleProfilesIntegrationTests.freePort();
		Process etcd = new ProcessBuilder("etcd", "--data-dir=" + this.data.resolve("etcd"),
				"--listen-client-urls=" + clients, "--advertise-client-urls=" + clients, "--listen-peer-urls=" + peers,
				"--initial-advertise-peer-urls=" + peers, "--initial-cluster=default=" + peers)
			.redirectErrorStream(true)
			.redirectOutput(this.data.resolve("etcd.log").toFile())
			.start();
		try (ShopProcess shop = ShopProcess.start(this.data, "--spring.profiles.active=etcd",
				"--leasehold.etcd.endpoints=" + clients)) {
			shop.sells("etcd");
		}
		finally {
			etcd.destroyForcibly().onExit().join();
		}
	}

}
