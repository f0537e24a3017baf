package io.leasehold.transaction;

import io.leasehold.server.PostgresTestServer;

class PostgresTransactionProcessIntegrationTests extends TransactionProcessContract {

	@Override
	String url() {
		return PostgresTestServer.shared().url();
	}

	@Override
	String idleLimit() {
		return "SET LOCAL idle_in_transaction_session_timeout = 1000";
	}

}
