package io.leasehold.transaction;

import io.leasehold.server.PostgresTestServer;
import org.junit.jupiter.api.Tag;

@Tag("full")
class PostgresReactiveFencingIntegrationTests extends ReactiveFencingContract {

	@Override
	String url() {
		return "r2dbc:postgresql://postgres@127.0.0.1:%d/postgres".formatted(PostgresTestServer.shared().port());
	}

	@Override
	String platform() {
		return "postgresql";
	}

}
