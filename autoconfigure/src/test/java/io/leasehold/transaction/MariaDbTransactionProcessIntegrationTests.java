package io.leasehold.transaction;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.MariaDbTestServer;

@Tag("full")
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
