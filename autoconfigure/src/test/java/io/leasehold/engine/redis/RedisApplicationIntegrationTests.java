package io.leasehold.engine.redis;

import io.leasehold.autoconfigure.ApplicationContract;
import io.leasehold.server.Ports;
import io.leasehold.server.RedisTestServer;

import org.springframework.boot.builder.SpringApplicationBuilder;

/**
 * The contract of applications, kept with {@link RedisLockEngine}.
 */
class RedisApplicationIntegrationTests extends ApplicationContract {

	@Override
	protected void connect(SpringApplicationBuilder application) {
		connect(application, RedisTestServer.shared().port());
	}

	@Override
	protected void connectToNothing(SpringApplicationBuilder application) {
		connect(application, Ports.free());
	}

	private static void connect(SpringApplicationBuilder application, int port) {
		application.properties("leasehold.engine=redis", "spring.data.redis.host=127.0.0.1",
				"spring.data.redis.port=" + port);
	}

}
