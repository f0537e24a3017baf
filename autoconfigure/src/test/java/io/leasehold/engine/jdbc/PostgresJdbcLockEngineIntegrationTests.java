package io.leasehold.engine.jdbc;

import java.sql.SQLException;

import io.leasehold.server.PostgresTestServer;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

/**
 * The engine on PostgreSQL.
 */
class PostgresJdbcLockEngineIntegrationTests extends NetworkedJdbcLockEngineTests {

	@Override
	int port() {
		return PostgresTestServer.shared().port();
	}

	@Override
	String url(int port) {
		return PostgresTestServer.shared().url(port);
	}

	@Override
	String platform() {
		return "postgresql";
	}

	@Override
	String setTimeZone() {
		return "ALTER ROLE postgres SET timezone = 'Pacific/Kiritimati'";
	}

	@Override
	String resetTimeZone() {
		return "ALTER ROLE postgres RESET timezone";
	}

	@Override
	String waitingSessions() {
		return "SELECT COUNT(*) FROM pg_locks WHERE NOT granted";
	}

	@Override
	String setTimeZoneOfSession() {
		return "SET TIME ZONE '%s'";
	}

	@Override
	String leaveDeadlocksToOthers() {
		return "SET LOCAL deadlock_timeout = '1min'";
	}

	@Override
	String newOrdinaryUser() throws SQLException {
		String user = newUser();
		execute("CREATE ROLE %1$s LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO %1$s"
			.formatted(user));
		return user;
	}

	/** For sessions that exist, too, but not for those that say otherwise. */
	@Override
	void makeReadOnly() throws SQLException {
		execute("ALTER SYSTEM SET default_transaction_read_only = on");
		execute("SELECT pg_reload_conf()");
	}

	@Override
	void makeWritable() throws SQLException {
		execute("ALTER SYSTEM RESET default_transaction_read_only");
		execute("SELECT pg_reload_conf()");
	}

	@Test
	@Fault(49)
	void userWithoutAllPrivilegesIsToldWhatToGrant() throws SQLException {
		String user = newUser();
		execute("CREATE ROLE %s LOGIN".formatted(user));
		try {
			assertAllPrivilegesAreNeeded(user, url().replace("user=postgres", "user=" + user));
		}
		finally {
			execute("DROP OWNED BY %1$s; DROP ROLE %1$s".formatted(user));
		}
	}

}
