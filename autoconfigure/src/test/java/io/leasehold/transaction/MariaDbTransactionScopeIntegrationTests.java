package io.leasehold.transaction;

import io.leasehold.server.MariaDbTestServer;

class MariaDbTransactionScopeIntegrationTests extends MySqlFamilyTransactionScopeContract {

	@Override
	String url() {
		return MariaDbTestServer.shared().url();
	}

}
