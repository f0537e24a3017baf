package io.leasehold.transaction;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.MariaDbTestServer;

@Tag("full")
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
