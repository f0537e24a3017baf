package io.leasehold.transaction;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.MySqlTestServer;

@Tag("full")
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
