package io.leasehold.transaction;

import javax.sql.DataSource;

import io.leasehold.server.PostgresTestServer;
import org.junit.jupiter.api.Tag;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

@Tag("full")
class PostgresInsideCommitIntegrationTests extends InsideCommitContract {

	@Override
	DataSource database() {
		return new DriverManagerDataSource(PostgresTestServer.shared().url());
	}

}
