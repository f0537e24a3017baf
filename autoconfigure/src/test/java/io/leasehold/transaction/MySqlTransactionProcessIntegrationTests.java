package io.leasehold.transaction;

import io.leasehold.server.MySqlTestServer;

class MySqlTransactionProcessIntegrationTests extends TransactionProcessContract {

	@Override
	String url() {
		return MySqlTestServer.shared().url();
	}

	@Override
	String idleLimit() {
		return "SET SESSION wait_timeout = 1";
	}

}
