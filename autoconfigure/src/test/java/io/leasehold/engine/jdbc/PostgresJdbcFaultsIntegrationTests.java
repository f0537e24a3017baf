package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.server.PostgresTestServer;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The engine on PostgreSQL when the network, other sessions or the server disturb it.
 */
@Tag("full")
class PostgresJdbcFaultsIntegrationTests extends LateJdbcRequestsTests {

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
	String sessionsOf(String user) {
		return "SELECT COUNT(*) FROM pg_stat_activity WHERE usename = '%s'".formatted(user);
	}

	@Override
	String setUpOperator() {
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
	String revokeUpdates(String user) {
		return "REVOKE UPDATE ON leasehold_lock FROM " + user;
	}

	@Override
	String refuseLogin(String user) {
		return "ALTER ROLE %s NOLOGIN".formatted(user);
	}

	@Override
	String allowLogin(String user) {
		return "ALTER ROLE %s LOGIN".formatted(user);
	}

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
	void missingPrivilegesAreReportedWithWhatToGrant() throws SQLException {
		String user = newUser();
		execute("CREATE ROLE %s LOGIN".formatted(user));
		try {
			assertAllPrivilegesAreNeeded(user, url().replace("user=postgres", "user=" + user));
		}
		finally {
			execute("DROP OWNED BY %1$s; DROP ROLE %1$s".formatted(user));
		}
	}

	/**
	 * A commit that waits for a replica beyond the time-out of its call is released
	 * behind it, and not believed to have failed.
	 */
	@Test
	@Fault(104)
	void commitThatOutlastsItsCallIsReleasedBehindIt() throws Exception {
		List<Claim> claims = List.of(claim("used"), shared("shared"), claim("unused"));
		use(claim("used"), claim("shared"));
		try (JdbcLockEngine remote = engineOf(url(), CALL)) {
			remote.start();
			try {
				stallCommits(remote);
				CompletableFuture.allOf(claims.stream().map((claim) -> later(() -> {
					assertUnknown(() -> remote.tryAcquire(claim));
					assertUnknown(() -> remote.release(claim));
					return null;
				})).toArray(CompletableFuture[]::new)).join();
			}
			finally {
				execute("ALTER SYSTEM RESET synchronous_standby_names");
				execute("SELECT pg_reload_conf()");
			}
			for (Claim claim : claims) {
				releasedAtLast(remote, claim);
			}
		}
		for (Claim claim : claims) {
			assertThat(this.engine.inspect(claim.key())).isEmpty();
			granted(claim(claim.key().value()));
		}
	}

	/** Let all commits wait for a replica that does not exist. */
	private void stallCommits(JdbcLockEngine engine) throws SQLException {
		execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
		execute("SELECT pg_reload_conf()");
		await().untilAsserted(() -> assertUnknown(() -> {
			Claim probe = claim("probe");
			assertThat(engine.tryAcquire(probe)).isInstanceOf(AcquisitionOutcome.Granted.class);
			engine.release(probe);
		}));
	}

}
