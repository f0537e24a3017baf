package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class JdbcConnectionsTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

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

	@Test
	void dataSourceOfSomebodyElseIsGivenBackAsItWas() throws SQLException {
		try (JdbcConnections pool = JdbcConnections.open(this.url, null, null, null, 1, TIMEOUT)) {
			int before;
			try (Connection connection = pool.dataSource().getConnection()) {
				before = connection.getNetworkTimeout();
			}
			try (Session session = JdbcConnections.of(pool.dataSource()).open(System.nanoTime() + TIMEOUT.toNanos())) {
				assertThat(session.connection().getAutoCommit()).isTrue();
			}
			try (Connection connection = pool.dataSource().getConnection()) {
				assertThat(connection.getNetworkTimeout()).isEqualTo(before);
			}
		}
	}

}
