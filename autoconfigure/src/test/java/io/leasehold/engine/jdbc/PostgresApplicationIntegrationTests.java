package io.leasehold.engine.jdbc;

import io.leasehold.autoconfigure.ApplicationContract;
import io.leasehold.server.Ports;
import io.leasehold.server.PostgresTestServer;
import org.junit.jupiter.api.Tag;

import org.springframework.boot.builder.SpringApplicationBuilder;

/**
 * The contract of applications, kept with {@link JdbcLockEngine} in the database that
 * they keep their own data in.
 */
@Tag("full")
class PostgresApplicationIntegrationTests extends ApplicationContract {

	@Override
	protected void connect(SpringApplicationBuilder application) {
		connect(application, PostgresTestServer.shared().port()).properties("leasehold.jdbc.initialize-schema=always");
	}

	@Override
	protected void connectToNothing(SpringApplicationBuilder application) {
		connect(application, Ports.free()).properties("leasehold.jdbc.initialize-schema=never",
				"spring.datasource.hikari.connection-timeout=2000");
	}

	private static SpringApplicationBuilder connect(SpringApplicationBuilder application, int port) {
		return application.properties("leasehold.engine=jdbc",
				"spring.datasource.url=" + PostgresTestServer.shared().url(port));
	}

}
