package io.leasehold.engine.memcached;

import org.junit.jupiter.api.Tag;

import io.leasehold.autoconfigure.ApplicationContract;
import io.leasehold.server.MemcachedTestServer;
import io.leasehold.server.Ports;

import org.springframework.boot.builder.SpringApplicationBuilder;

/**
 * The contract of applications, kept with {@link MemcachedStore}.
 */
@Tag("full")
class MemcachedApplicationIntegrationTests extends ApplicationContract {

	@Override
	protected void connect(SpringApplicationBuilder application) {
		connect(application, MemcachedTestServer.shared().address());
	}

	@Override
	protected void connectToNothing(SpringApplicationBuilder application) {
		connect(application, "127.0.0.1:" + Ports.free());
	}

	private static void connect(SpringApplicationBuilder application, String server) {
		application.properties("leasehold.engine=memcached", "leasehold.memcached.servers=" + server);
	}

}
