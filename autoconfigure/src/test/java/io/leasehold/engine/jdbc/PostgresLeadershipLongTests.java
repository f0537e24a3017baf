package io.leasehold.engine.jdbc;

import java.util.List;

import io.leasehold.leadership.LeadershipSoak;
import io.leasehold.server.PostgresTestServer;
import io.leasehold.test.contract.EngineAddress;

import org.junit.jupiter.api.BeforeAll;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * Leaders that a PostgreSQL database elects for a long time.
 */
class PostgresLeadershipLongTests extends LeadershipSoak {

	@BeforeAll
	static void createTable() {
		new ResourceDatabasePopulator(new ClassPathResource(LockTableScript.location("postgresql")))
			.execute(new DriverManagerDataSource(PostgresTestServer.shared().url()));
	}

	@Override
	protected int port() {
		return PostgresTestServer.shared().port();
	}

	@Override
	protected EngineAddress address(int port) {
		return new EngineAddress(JdbcLockEngineContract.Opener.class, List.of(PostgresTestServer.shared().url(port)));
	}

}
