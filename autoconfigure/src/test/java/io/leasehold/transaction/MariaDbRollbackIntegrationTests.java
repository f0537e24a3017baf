package io.leasehold.transaction;

import javax.sql.DataSource;

import io.leasehold.server.MariaDbTestServer;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

class MariaDbRollbackIntegrationTests extends RollbackContract {

	@Override
	DataSource dataSource() {
		return new DriverManagerDataSource(MariaDbTestServer.shared().url());
	}

}
