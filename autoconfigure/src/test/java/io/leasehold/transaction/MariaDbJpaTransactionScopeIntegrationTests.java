package io.leasehold.transaction;

import io.leasehold.server.MariaDbTestServer;

class MariaDbJpaTransactionScopeIntegrationTests extends JpaTransactionScopeContract {

	@Override
	String url() {
		return MariaDbTestServer.shared().url();
	}

	@Override
	String lockTimeout() {
		return "SELECT @@SESSION.innodb_lock_wait_timeout";
	}

}
