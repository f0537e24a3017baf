package io.leasehold.transaction;

import io.leasehold.server.MySqlTestServer;
import org.junit.jupiter.api.Tag;

@Tag("full")
class MySqlReactiveReleaseIntegrationTests extends ReactiveReleaseContract {

	@Override
	String url() {
		return "r2dbc:mysql://root@127.0.0.1:%d/test".formatted(MySqlTestServer.shared().port());
	}

}
