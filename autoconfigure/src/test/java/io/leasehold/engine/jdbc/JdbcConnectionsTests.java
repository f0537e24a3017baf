package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.test.contract.Pace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class JdbcConnectionsTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private static final Duration SECOND = Duration.ofSeconds(1);

	private final String url = "jdbc:h2:mem:" + UUID.randomUUID();

	@Test
	void loginTimeoutOfOtherPoolsIsLeftAlone() throws SQLException {
		int before = DriverManager.getLoginTimeout();
		try (JdbcConnections connections = JdbcConnections.open(this.url, null, null, null, 2, TIMEOUT);
				Connection connection = connections.dataSource().getConnection()) {
			assertThat(connection.isValid(1)).isTrue();
			assertThat(DriverManager.getLoginTimeout()).isEqualTo(before);
		}
	}

	@Test
	void userAndPasswordAndDriverAreUsed() throws SQLException {
		try (JdbcConnections connections = JdbcConnections.open(this.url, "org.h2.Driver", "me", "secret", 2, TIMEOUT);
				Connection connection = connections.dataSource().getConnection()) {
			assertThat(connection.getMetaData().getUserName()).isEqualTo("ME");
		}
	}

	@Test
	void firstConnectionMayTakeLongerThanACall() throws SQLException {
		Duration callTimeout = Duration.ofMillis(250);
		try (JdbcConnections connections = JdbcConnections.open(this.url, SlowDriver.class.getName(), null, null, 1,
				callTimeout)) {
			connections.awaitFirst();
			try (Connection connection = connections.dataSource().getConnection()) {
				assertThat(connection.isValid(1)).isTrue();
			}
		}
	}

	@Test
	void databaseThatRefusesIsNotWaitedFor() {
		Pace started = Pace.begin();
		try (JdbcConnections connections = JdbcConnections.open("jdbc:postgresql://127.0.0.1:1/db", null, null, null, 1,
				SECOND)) {
			connections.awaitFirst();
		}
		assertThat(started.elapsed()).isLessThan(started.slack(Duration.ofSeconds(10)));
	}

	@Test
	void missingDriverIsNamedWithoutTheUrlsSecrets() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> JdbcConnections.open("jdbc:nope://host/db?password=secret", null, null, null, 2, TIMEOUT))
			.withMessage("There is no JDBC driver 'jdbc:nope' for the lock engine's database");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> JdbcConnections.open(this.url, "no.such.Driver", null, null, 2, TIMEOUT))
			.withMessageContaining("'no.such.Driver'");
	}

	@Test
	void connectionsAreNeverThoseOfATransaction() {
		DataSource target = new DriverManagerDataSource(this.url);
		assertThat(JdbcConnections.of(new TransactionAwareDataSourceProxy(target)).dataSource()).isSameAs(target);
	}

	@ParameterizedTest
	@CsvSource({ "250, 250", "600, 300", "2000, 1000", "10000, 1000" })
	void idleConnectionIsValidatedWithinHalfOfTheCallAndASecond(int callTimeout, int validationTimeout)
			throws SQLException {
		try (JdbcConnections connections = JdbcConnections.open(this.url, null, null, null, 1,
				Duration.ofMillis(callTimeout))) {
			assertThat(connections.dataSource().unwrap(HikariDataSource.class).getValidationTimeout())
				.isEqualTo(validationTimeout);
		}
	}

	@Test
	void poolIsClosedWithTheConnectionsButNotThatOfAnotherComponent() throws SQLException {
		JdbcConnections pool = JdbcConnections.open(this.url, null, null, null, 1, TIMEOUT);
		HikariDataSource source = pool.dataSource().unwrap(HikariDataSource.class);
		JdbcConnections.of(source).close();
		assertThat(source.isClosed()).isFalse();
		pool.close();
		assertThat(source.isClosed()).isTrue();
	}

	@Test
	void callWithoutAConnectionOccupiesNoLane() {
		try (JdbcConnections connections = JdbcConnections.open("jdbc:postgresql://127.0.0.1:1/db", null, null, null, 1,
				SECOND)) {
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(SQLException.class)
					.isThrownBy(() -> connections.open(CallKind.ACQUIRE, System.nanoTime(), SECOND))
					.withMessageNotContaining("all are in use");
			}
		}
	}

	@Test
	void dataSourceOfSomebodyElseIsGivenBackAsItWas() throws SQLException {
		try (JdbcConnections pool = JdbcConnections.open(this.url, null, null, null, 1, TIMEOUT)) {
			int before;
			try (Connection connection = pool.dataSource().getConnection()) {
				before = connection.getNetworkTimeout();
			}
			try (Session session = JdbcConnections.of(pool.dataSource())
				.open(CallKind.ACQUIRE, System.nanoTime() + TIMEOUT.toNanos(), TIMEOUT)) {
				assertThat(session.connection().getAutoCommit()).isTrue();
			}
			try (Connection connection = pool.dataSource().getConnection()) {
				assertThat(connection.getNetworkTimeout()).isEqualTo(before);
			}
		}
	}

	/** Connects as slowly as one does in a JVM that is busy with its start. */
	static class SlowDriver extends org.h2.Driver {

		@Override
		public Connection connect(String url, Properties info) throws SQLException {
			LockSupport.parkNanos(SECOND.toNanos());
			return super.connect(url, info);
		}

	}

}
