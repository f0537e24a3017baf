package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;

import org.junit.jupiter.api.Tag;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.load.EngineLoad;
import io.leasehold.server.PostgresTestServer;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

@Tag("full")
class PostgresLoadIntegrationTests extends EngineLoad {

	private final String url = PostgresTestServer.shared().url();

	private final JdbcTemplate operator = new JdbcTemplate(new DriverManagerDataSource(this.url));

	private final String namespace = "load-" + UUID.randomUUID();

	private JdbcLockEngine engine;

	@Override
	protected LockEngine open(Member member) throws SQLException {
		try (Connection connection = DriverManager.getConnection(this.url)) {
			ScriptUtils.executeSqlScript(connection, new ClassPathResource(LockTableScript.location("postgresql")));
		}
		Duration callTimeout = Duration.ofSeconds(3);
		JdbcSettings settings = new JdbcSettings(this.namespace, JdbcSettings.DEFAULT_TABLE, callTimeout,
				Duration.ofMillis(5), Duration.ofMillis(100), RETENTION, true);
		this.engine = new JdbcLockEngine(JdbcConnections.open(this.url, null, null, null, 4, callTimeout), settings,
				MonotonicClock.SYSTEM);
		this.engine.start();
		return this.engine;
	}

	@Override
	protected int manyKeys() {
		return 500;
	}

	/** Nothing of a claim is kept here. */
	@Override
	protected int claims() {
		return 0;
	}

	/** After what the engine does about once an hour. */
	@Override
	protected long stored() {
		this.engine.removeIdle();
		return this.operator.queryForObject("SELECT count(*) FROM leasehold_lock WHERE namespace = ?", Long.class,
				this.namespace);
	}

}
