package io.leasehold.transaction;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.MySqlTestServer;

@Tag("full")
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
