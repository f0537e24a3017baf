package io.leasehold.transaction;

import io.leasehold.server.MySqlTestServer;

class MySqlJpaTransactionScopeIntegrationTests extends JpaTransactionScopeContract {

	@Override
	String url() {
		return MySqlTestServer.shared().url();
	}

	@Override
	String lockTimeout() {
		return "SELECT @@SESSION.innodb_lock_wait_timeout";
	}

}
