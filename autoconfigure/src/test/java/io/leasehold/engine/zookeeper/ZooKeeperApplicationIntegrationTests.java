package io.leasehold.engine.zookeeper;

import org.junit.jupiter.api.Tag;

import io.leasehold.autoconfigure.ApplicationContract;
import io.leasehold.server.Ports;
import io.leasehold.server.ZooKeeperTestServer;

import org.springframework.boot.builder.SpringApplicationBuilder;

/**
 * The contract of applications, kept with {@link ZooKeeperLockEngine}.
 */
@Tag("full")
class ZooKeeperApplicationIntegrationTests extends ApplicationContract {

	@Override
	protected void connect(SpringApplicationBuilder application) {
		connect(application, ZooKeeperTestServer.shared());
	}

	@Override
	protected void connectToNothing(SpringApplicationBuilder application) {
		connect(application, "127.0.0.1:" + Ports.free());
	}

	private static void connect(SpringApplicationBuilder application, String servers) {
		application.properties("leasehold.engine=zookeeper", "leasehold.zookeeper.connect-string=" + servers);
	}

}
