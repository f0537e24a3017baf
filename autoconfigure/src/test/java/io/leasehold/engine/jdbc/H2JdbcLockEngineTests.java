package io.leasehold.engine.jdbc;

import java.util.UUID;

/**
 * The engine on H2 in memory.
 */
class H2JdbcLockEngineTests extends CrowdedJdbcLockEngineTests {

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
	String setTimeZoneOfSession() {
		return "SET TIME ZONE '%s'";
	}

}
