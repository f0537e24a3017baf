package io.leasehold.transaction;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.MariaDbTestServer;

@Tag("full")
class MariaDbTransactionScopeIntegrationTests extends MySqlFamilyTransactionScopeContract {

	@Override
	String url() {
		return MariaDbTestServer.shared().url();
	}

}
