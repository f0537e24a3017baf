package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.util.UUID;

import io.leasehold.LockEngineException;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.test.PostgresTestServer;
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
	void userWithoutPrivilegesIsToldWhatToGrant() throws SQLException {
		String user = "u" + UUID.randomUUID().toString().substring(0, 8);
		execute("CREATE ROLE %s LOGIN".formatted(user));
		try (JdbcLockEngine poor = new JdbcLockEngine(connect(url().replace("user=postgres", "user=" + user), 2, CALL),
				settings(CALL), MonotonicClock.SYSTEM)) {
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(poor::start)
				.withMessageContaining("may not use table 'leasehold_lock'. Grant SELECT, INSERT, UPDATE and DELETE")
				.matches((ex) -> !ex.isRetryable());
		}
		finally {
			execute("DROP ROLE " + user);
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
