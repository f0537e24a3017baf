package io.leasehold.transaction;

import javax.sql.DataSource;
import javax.sql.XADataSource;

import io.leasehold.server.PostgresTestServer;
import org.postgresql.xa.PGXADataSource;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

class PostgresJtaIntegrationTests extends JtaContract {

	@Override
	XADataSource xaDataSource() {
		PGXADataSource dataSource = new PGXADataSource();
		dataSource.setUrl(PostgresTestServer.shared().url());
		return dataSource;
	}

	@Override
	DataSource observing(XADataSource database) {
		return new DriverManagerDataSource(PostgresTestServer.shared().url());
	}

	@Override
	String platform() {
		return "postgresql";
	}

}
