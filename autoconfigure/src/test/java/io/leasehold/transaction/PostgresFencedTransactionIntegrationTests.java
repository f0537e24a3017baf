package io.leasehold.transaction;

import javax.sql.DataSource;

import io.leasehold.server.PostgresTestServer;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

class PostgresFencedTransactionIntegrationTests extends FencedTransactionContract {

	@Override
	DataSource dataSource() {
		return new DriverManagerDataSource(PostgresTestServer.shared().url());
	}

	@Override
	String platform() {
		return "postgresql";
	}

}
