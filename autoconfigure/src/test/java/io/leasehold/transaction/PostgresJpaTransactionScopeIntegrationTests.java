package io.leasehold.transaction;

import io.leasehold.server.PostgresTestServer;

class PostgresJpaTransactionScopeIntegrationTests extends JpaTransactionScopeContract {

	@Override
	String url() {
		return PostgresTestServer.shared().url();
	}

	@Override
	String lockTimeout() {
		return "SHOW lock_timeout";
	}

}
