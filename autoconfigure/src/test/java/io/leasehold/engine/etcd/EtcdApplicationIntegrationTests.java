package io.leasehold.engine.etcd;

import org.junit.jupiter.api.Tag;

import io.leasehold.autoconfigure.ApplicationContract;
import io.leasehold.server.EtcdTestServer;
import io.leasehold.server.Ports;

import org.springframework.boot.builder.SpringApplicationBuilder;

/**
 * The contract of applications, kept with {@link EtcdLockEngine}.
 */
@Tag("full")
class EtcdApplicationIntegrationTests extends ApplicationContract {

	@Override
	protected void connect(SpringApplicationBuilder application) {
		connect(application, EtcdTestServer.shared().url());
	}

	@Override
	protected void connectToNothing(SpringApplicationBuilder application) {
		connect(application, "http://127.0.0.1:" + Ports.free());
	}

	private static void connect(SpringApplicationBuilder application, String endpoint) {
		application.properties("leasehold.engine=etcd", "leasehold.etcd.endpoints=" + endpoint);
	}

}
