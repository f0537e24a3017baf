package io.leasehold.engine.jdbc;

import java.util.UUID;

import org.junit.jupiter.api.Tag;

/**
 * The engine on H2 in memory when other sessions stand in its way.
 */
@Tag("full")
class H2JdbcFaultsTests extends CrowdedJdbcLockEngineTests {

	private final String url = "jdbc:h2:mem:" + UUID.randomUUID();

	@Override
	String url() {
		return this.url;
	}

	@Override
	String platform() {
		return "h2";
	}

	@Override
	String waitingSessions() {
		return "SELECT COUNT(*) FROM information_schema.sessions WHERE blocker_id IS NOT NULL";
	}

	@Override
	String setUpOperator() {
		return "SET LOCK_TIMEOUT 60000";
	}

	@Override
	String setTimeZoneOfSession() {
		return "SET TIME ZONE '%s'";
	}

}
