package io.leasehold.transaction;

import io.leasehold.server.MariaDbTestServer;
import org.junit.jupiter.api.Tag;

@Tag("full")
class MariaDbReactiveCommitIntegrationTests extends ReactiveCommitContract {

	@Override
	String url() {
		return "r2dbc:mariadb://root@127.0.0.1:%d/test".formatted(MariaDbTestServer.shared().port());
	}

}
