package io.leasehold.engine.jdbc;

import io.leasehold.test.contract.Terms;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What the engine does on MySQL and MariaDB, each of whose drivers may talk to either.
 */
abstract class MySqlFamilyJdbcLockEngineTests extends LateJdbcRequestsTests {

	/** As the first connection of a driver that was not used before may take. */
	private static final Duration PATIENT_CALL = Duration.ofSeconds(5);

	@Override
	final String setTimeZone() {
		return "SET GLOBAL time_zone = '-11:00'";
	}

	@Override
	final String resetTimeZone() {
		return "SET GLOBAL time_zone = 'SYSTEM'";
	}

	@Override
	final String waitingSessions() {
		return "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";
	}

	@Override
	final String sessionsOf(String user) {
		return "SELECT COUNT(*) FROM information_schema.processlist WHERE user = '%s'".formatted(user);
	}

	@Override
	final String setTimeZoneOfSession() {
		return "SET time_zone = '%s'";
	}

	/** Name of the session's variable that bounds waiting for a row. */
	abstract String lockTimeoutVariable();

	/** The dialect follows the database, not the driver. */
	@Test
	void sessionsOfEitherDriverAreSetUpForTheDatabase() throws SQLException {
		for (String url : urlsOfEitherDriver()) {
			try (JdbcConnections either = connect(url, 1, Duration.ofSeconds(4));
					Connection connection = either.dataSource().getConnection();
					Statement statement = connection.createStatement();
					ResultSet rows = statement.executeQuery("SELECT @@SESSION." + lockTimeoutVariable())) {
				assertThat(rows.next()).isTrue();
				assertThat(rows.getDouble(1)).as(url).isEqualTo(3);
			}
		}
	}

	/** The database derives the name of the foreign key from that of the table. */
	@Test
	void tablesWithTheLongestNameAreCreated() throws SQLException {
		String table = "t".repeat(JdbcSettings.LONGEST_NAME);
		assertThat(settings(table, PATIENT_CALL).table()).isEqualTo(table);
		try (Connection connection = this.connections.dataSource().getConnection()) {
			String script = LockTableScript.read(Dialects.of(connection).platform(), table);
			ScriptUtils.executeSqlScript(connection, new ByteArrayResource(script.getBytes(StandardCharsets.UTF_8)));
			try (Statement statement = connection.createStatement()) {
				statement.execute("DROP TABLE %s_holder, %s".formatted(table, table));
			}
		}
	}

	/** A table that is being changed is waited for no longer than a row. */
	@Test
	void waitOfATransactionForTheTableIsBounded() throws SQLException {
		String url = urlsOfEitherDriver().get(0);
		try (Connection changing = DriverManager.getConnection(url);
				Connection waiting = DriverManager.getConnection(url);
				Statement statement = waiting.createStatement()) {
			Session.execute(changing, "LOCK TABLES leasehold_lock WRITE");
			Session.execute(waiting, "SET SESSION lock_wait_timeout = 3600");
			RowId row = RowId.inTransactions("test", new LockKey("order"));
			assertThat(new MySqlRowLocks(JdbcSettings.DEFAULT_TABLE, "LOCK IN SHARE MODE").acquire(waiting, row, false,
					Duration.ofSeconds(1)))
				.isEqualTo(ConnectionLocks.Result.BUSY);
			try (ResultSet timeout = statement.executeQuery("SELECT @@SESSION.lock_wait_timeout")) {
				assertThat(timeout.next()).isTrue();
				assertThat(timeout.getInt(1)).isEqualTo(3600);
			}
		}
	}

	/** No message could recall them, whatever the driver. */
	@Test
	void locksDoNotLinger() {
		for (String url : urlsOfEitherDriver()) {
			try (JdbcLockEngine started = engineOf(url, PATIENT_CALL)) {
				started.start();
				assertThat(started.capabilities()).as(url).isNotEmpty().doesNotContain(Capability.LINGER);
				assertThat(started.receivesRecalls()).isFalse();
			}
		}
	}

	/** The timeout of an idle session is short only during a transaction. */
	@Test
	void timeoutOfAnIdleSessionIsRestored() throws SQLException {
		try (Connection connection = connection(); Statement statement = connection.createStatement()) {
			statement.execute("SET SESSION wait_timeout = 1234");
			JdbcLockEngine single = new JdbcLockEngine(
					JdbcConnections.of(new SingleConnectionDataSource(connection, true)), settings(PATIENT_CALL),
					MonotonicClock.SYSTEM);
			assertThat(single.tryAcquire(shared("a"))).isInstanceOf(AcquisitionOutcome.Granted.class);
			assertThat(idleTimeout(statement)).isEqualTo(1234);
		}
	}

	@Test
	void timeoutOfAnIdleSessionIsRestoredAfterAFailedTransaction() throws SQLException {
		try (Connection connection = connection(); Statement statement = connection.createStatement()) {
			statement.execute("SET SESSION wait_timeout = 1234");
			StatementLog statements = new StatementLog(new SingleConnectionDataSource(connection, true));
			JdbcLockEngine single = new JdbcLockEngine(JdbcConnections.of(statements), settings(PATIENT_CALL),
					MonotonicClock.SYSTEM);
			statements.before("INTO leasehold_lock_holder", () -> {
				throw new IllegalStateException("failed step");
			});
			assertThatIllegalStateException().isThrownBy(() -> single.tryAcquire(shared("a")))
				.withMessage("failed step");
			assertThat(idleTimeout(statement)).isEqualTo(1234);
		}
	}

	private static int idleTimeout(Statement statement) throws SQLException {
		try (ResultSet rows = statement.executeQuery("SELECT @@SESSION.wait_timeout")) {
			assertThat(rows.next()).isTrue();
			return rows.getInt(1);
		}
	}

	/**
	 * A request that leaves a lease as long as it is counts as done, whatever drivers
	 * count.
	 */
	@Test
	@Fault(48)
	void locksWorkWithEitherDriverWhateverItCounts() {
		for (String url : urlsOfEitherDriver()) {
			worksWith(url + "&useAffectedRows=false");
			worksWith(url + "&useAffectedRows=true");
		}
	}

	private void worksWith(String url) {
		try (JdbcLockEngine either = engineOf(url, PATIENT_CALL)) {
			either.start();
			for (Access access : List.of(Access.EXCLUSIVE, Access.SHARED)) {
				Claim claim = claim(url, access);
				AcquisitionOutcome.Granted granted = (AcquisitionOutcome.Granted) either.tryAcquire(claim);
				Claim again = new Claim(claim.key(), claim.owner(),
						Terms.of(access, SHORT, Duration.ZERO, Duration.ZERO), false, claim.since());
				assertThat(either.tryAcquire(again)).as(url).isInstanceOf(AcquisitionOutcome.Granted.class);
				assertThat(either.tryAcquire(claim(url, Access.permits(1)))).as(url)
					.isInstanceOf(AcquisitionOutcome.Busy.class);
				assertThat(renew(either, claim, granted.number(), SHORT)).as(url)
					.isInstanceOf(RenewalOutcome.Renewed.class);
				assertThat(either.release(claim)).as(url).isEqualTo(ReleaseOutcome.RELEASED);
			}
			granted(claim(url));
		}
	}

	/**
	 * A session that cuts off what is too long, as it may be configured, cuts off no key.
	 */
	@Test
	@Fault({ 67, 68 })
	void sessionsThatTruncateTruncateNoKey() throws SQLException {
		for (String url : urlsOfEitherDriver()) {
			try (JdbcLockEngine lenient = engineOf(url + "&sessionVariables=sql_mode=''", PATIENT_CALL)) {
				lenient.start();
				String begin = "\u0001".repeat(LockKey.MAX_BYTES - 1);
				for (String key : List.of(begin + "a", begin + "b", begin + "A", begin, begin + " ")) {
					Claim claim = claim(key);
					assertThat(lenient.tryAcquire(claim)).as(url).isInstanceOf(AcquisitionOutcome.Granted.class);
					assertThat(lenient.tryAcquire(claim(key))).as(url).isInstanceOf(AcquisitionOutcome.Busy.class);
				}
				assertThat(rows()).isEqualTo(5);
				execute("DELETE FROM leasehold_lock WHERE namespace = '%s'".formatted(this.namespace));
			}
		}
	}

	@Test
	@Fault(49)
	void missingPrivilegesAreReportedWithWhatToGrant() throws SQLException {
		String user = newUser();
		execute("CREATE USER " + user);
		try {
			assertAllPrivilegesAreNeeded(user, url().replace("user=root", "user=" + user));
		}
		finally {
			execute("DROP USER " + user);
		}
	}

	@Override
	final String newOrdinaryUser() throws SQLException {
		String user = newUser();
		execute("CREATE USER " + user);
		execute("GRANT SELECT, INSERT, UPDATE, DELETE ON test.* TO " + user);
		return user;
	}

	@Override
	final String revokeUpdates(String user) {
		return "REVOKE UPDATE ON test.* FROM " + user;
	}

	@Override
	final String refuseLogin(String user) {
		return "ALTER USER %s IDENTIFIED BY 'other'".formatted(user);
	}

	@Override
	final String allowLogin(String user) {
		return "ALTER USER %s IDENTIFIED BY ''".formatted(user);
	}

	@Override
	final void makeReadOnly() throws SQLException {
		execute("SET GLOBAL read_only = 1");
	}

	@Override
	final void makeWritable() throws SQLException {
		execute("SET GLOBAL read_only = 0");
	}

	private List<String> urlsOfEitherDriver() {
		return Stream.of("jdbc:mysql:", "jdbc:mariadb:")
			.map((scheme) -> url().replaceFirst("^jdbc:\\w+:", scheme))
			.toList();
	}

}
