package io.leasehold.engine.jdbc;

import java.sql.SQLException;

import io.leasehold.LockEngineException;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.server.PostgresTestServer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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

	@Test
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

	@Test
	void readOnlyDatabaseIsToldSo() {
		try (JdbcLockEngine replica = new JdbcLockEngine(
				connect(url() + "&options=-c%20default_transaction_read_only=on", 2, CALL), settings(CALL),
				MonotonicClock.SYSTEM)) {
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> replica.tryAcquire(claim("a")))
				.withMessageContaining("lock 'a': it is read-only")
				.matches((ex) -> !ex.isRetryable());
		}
	}

}
