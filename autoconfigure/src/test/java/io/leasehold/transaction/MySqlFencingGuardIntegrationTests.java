package io.leasehold.transaction;

import javax.sql.DataSource;

import io.leasehold.server.MySqlTestServer;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

class MySqlFencingGuardIntegrationTests extends MySqlFamilyFencingGuardContract {

	@Override
	DataSource dataSource() {
		return new DriverManagerDataSource(MySqlTestServer.shared().url());
	}

	@Override
	String platform() {
		return "mysql";
	}

}
