package io.leasehold.transaction;

import javax.sql.DataSource;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.MariaDbTestServer;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

@Tag("full")
class MariaDbRollbackIntegrationTests extends RollbackContract {

	@Override
	DataSource dataSource() {
		return new DriverManagerDataSource(MariaDbTestServer.shared().url());
	}

}
