package io.leasehold.transaction;

import io.leasehold.server.MariaDbTestServer;

class MariaDbTransactionProcessIntegrationTests extends TransactionProcessContract {

	@Override
	String url() {
		return MariaDbTestServer.shared().url();
	}

	@Override
	String idleLimit() {
		return "SET SESSION idle_transaction_timeout = 1";
	}

}
