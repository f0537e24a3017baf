package io.leasehold.transaction;

import io.leasehold.server.MariaDbTestServer;
import org.junit.jupiter.api.Tag;

@Tag("full")
class MariaDbReactiveFencingIntegrationTests extends ReactiveFencingContract {

	@Override
	String url() {
		return "r2dbc:mariadb://root@127.0.0.1:%d/test".formatted(MariaDbTestServer.shared().port());
	}

	@Override
	String platform() {
		return "mariadb";
	}

}
