package io.leasehold.transaction;

import javax.sql.DataSource;

import io.leasehold.server.MariaDbTestServer;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

class MariaDbFencingGuardIntegrationTests extends MySqlFamilyFencingGuardContract {

	@Override
	DataSource dataSource() {
		return new DriverManagerDataSource(MariaDbTestServer.shared().url());
	}

	@Override
	String platform() {
		return "mariadb";
	}

}
