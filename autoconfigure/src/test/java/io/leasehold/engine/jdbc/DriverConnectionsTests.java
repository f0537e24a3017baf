package io.leasehold.engine.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.entry;

/**
 * Tests for {@link DriverConnections}.
 */
class DriverConnectionsTests {

	private static final Duration CALL = Duration.ofMillis(2500);

	private static final JdbcLogin NO_LOGIN = new JdbcLogin(null, null);

	@Test
	void postgresTimesOutInWholeSeconds() throws SQLException {
		assertThat(properties("jdbc:postgresql://host/db", NO_LOGIN)).containsOnly(entry("connectTimeout", "3"),
				entry("loginTimeout", "3"), entry("socketTimeout", "3"));
	}

	@Test
	void mySqlTimesOutInMilliseconds() throws SQLException {
		assertThat(properties("jdbc:mysql://host/db", NO_LOGIN)).containsOnly(entry("connectTimeout", "2500"),
				entry("socketTimeout", "2500"));
	}

	@Test
	void mariaDbTimesOutInMillisecondsAndPreparesStatements() throws SQLException {
		assertThat(properties("jdbc:mariadb://host/db", NO_LOGIN)).containsOnly(entry("connectTimeout", "2500"),
				entry("socketTimeout", "2500"), entry("useServerPrepStmts", "true"));
	}

	@Test
	void otherDriversHaveNoProperties() throws SQLException {
		assertThat(properties("jdbc:h2:mem:db", NO_LOGIN)).isEmpty();
	}

	@Test
	void credentialsAreThoseOfTheMoment() throws SQLException {
		AtomicReference<JdbcLogin> login = new AtomicReference<>(new JdbcLogin("me", "old"));
		DriverConnections source = source("jdbc:h2:mem:db", login);
		source.getConnection().close();
		login.set(new JdbcLogin("me", "new"));
		assertThat(connect(source)).containsOnly(entry("user", "me"), entry("password", "new"));
		login.set(new JdbcLogin("you", null));
		assertThat(connect(source)).containsOnly(entry("user", "you"));
	}

	@Test
	void connectionWaitsForARowLessThanTheCall() throws SQLException {
		try (Connection connection = source("jdbc:h2:mem:db", new AtomicReference<>(NO_LOGIN)).getConnection();
				Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery("SELECT LOCK_TIMEOUT()")) {
			assertThat(rows.next()).isTrue();
			assertThat(rows.getInt(1)).isEqualTo(1875);
		}
	}

	/** The first call reports it by its name. */
	@Test
	void databaseThatIsNotSupportedIsConnected() throws SQLException {
		try (Connection connection = source("jdbc:exotic:db", new AtomicReference<>(NO_LOGIN)).getConnection()) {
			assertThat(connection.isValid(1)).isTrue();
		}
	}

	/** A pool would discard a connection that rejects the call. */
	@Test
	void networkTimeoutsThatADriverDoesNotHaveAreIgnored() throws SQLException {
		DriverConnections source = new DriverConnections("jdbc:hsqldb:mem:db", null, () -> new JdbcLogin("SA", ""),
				CALL);
		try (Connection connection = source.getConnection()) {
			connection.setNetworkTimeout(Runnable::run, 10);
			assertThat(connection.getNetworkTimeout()).isZero();
			assertThat(connection.isValid(1)).isTrue();
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> connection.prepareStatement("nothing"));
		}
	}

	@Test
	void connectionIsClosedIfItsSetUpFailsInAnyWay() {
		DriverConnections source = source("jdbc:broken:db", new AtomicReference<>(NO_LOGIN));
		assertThatIllegalStateException().isThrownBy(source::getConnection).withMessage("broken");
		assertThat(RecordingDriver.opened).satisfies((connection) -> assertThat(connection.isClosed()).isTrue());
	}

	private static Map<Object, Object> properties(String url, JdbcLogin login) throws SQLException {
		return connect(source(url, new AtomicReference<>(login)));
	}

	private static Map<Object, Object> connect(DriverConnections source) throws SQLException {
		source.getConnection().close();
		return RecordingDriver.properties;
	}

	private static DriverConnections source(String url, AtomicReference<JdbcLogin> login) {
		return new DriverConnections(url, RecordingDriver.class.getName(), login::get, CALL);
	}

	/** Records properties, and opens a database in memory whatever the URL. */
	static class RecordingDriver extends org.h2.Driver {

		private static volatile Properties properties = new Properties();

		private static volatile Connection opened;

		@Override
		public Connection connect(String url, Properties info) throws SQLException {
			properties = (Properties) info.clone();
			Connection connection = super.connect("jdbc:h2:mem:", new Properties());
			opened = connection;
			if (url.startsWith("jdbc:broken:")) {
				return proxy(Connection.class, connection, "createStatement", (statement) -> {
					throw new IllegalStateException("broken");
				});
			}
			return url.startsWith("jdbc:exotic:") ? exotic(connection) : connection;
		}

		private static Connection exotic(Connection target) {
			return proxy(Connection.class, target, "getMetaData", (metaData) -> proxy(DatabaseMetaData.class, metaData,
					"getDatabaseProductName", (name) -> "Exotic"));
		}

		private static <T> T proxy(Class<T> type, Object target, String name, UnaryOperator<Object> change) {
			return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
					(proxy, method, arguments) -> {
						Object result = method.invoke(target, arguments);
						return method.getName().equals(name) ? change.apply(result) : result;
					}));
		}

	}

}
