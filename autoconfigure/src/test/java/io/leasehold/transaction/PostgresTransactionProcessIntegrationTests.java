package io.leasehold.transaction;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.PostgresTestServer;

@Tag("full")
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
