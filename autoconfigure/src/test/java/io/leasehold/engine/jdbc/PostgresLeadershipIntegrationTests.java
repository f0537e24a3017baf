package io.leasehold.engine.jdbc;

import java.util.List;

import io.leasehold.leadership.LeadershipContract;
import io.leasehold.server.PostgresTestServer;
import io.leasehold.test.contract.EngineAddress;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * Leaders that a PostgreSQL database elects.
 */
@Tag("full")
class PostgresLeadershipIntegrationTests extends LeadershipContract {

	private static final DriverManagerDataSource operator = new DriverManagerDataSource(
			PostgresTestServer.shared().url());

	@BeforeAll
	static void createTable() {
		new ResourceDatabasePopulator(new ClassPathResource(LockTableScript.location("postgresql"))).execute(operator);
	}

	@Override
	protected List<Integer> ports() {
		return List.of(PostgresTestServer.shared().port());
	}

	@Override
	protected EngineAddress address(List<Integer> ports) {
		return new EngineAddress(JdbcLockEngineContract.Opener.class,
				List.of(PostgresTestServer.shared().url(ports.get(0))));
	}

	@Override
	protected void empty(String namespace) {
		new JdbcTemplate(operator).update("DELETE FROM leasehold_lock WHERE namespace = ?", namespace);
	}

}
