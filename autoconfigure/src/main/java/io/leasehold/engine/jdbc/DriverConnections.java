package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.util.ClassUtils;

/**
 * Source of connections that are opened with the current credentials and set up for their
 * database. It does not pass the pool's login timeout to {@link DriverManager}, where it
 * would apply to all pools; the driver's properties contain it. Thread-safe.
 */
final class DriverConnections extends SimpleDriverDataSource {

	private final String url;

	private final Supplier<JdbcLogin> login;

	private final Duration callTimeout;

	private volatile int loginTimeout;

	/**
	 * Create a source.
	 * @param driver name of the driver's class, or {@code null} to find it by the URL
	 * @param login the current credentials
	 * @throws IllegalArgumentException if there is no driver for the URL
	 */
	DriverConnections(String url, @Nullable String driver, Supplier<JdbcLogin> login, Duration callTimeout) {
		this(driver(url, driver), url, properties(url, callTimeout), login, callTimeout);
	}

	private DriverConnections(Driver driver, String url, Properties properties, Supplier<JdbcLogin> login,
			Duration callTimeout) {
		super(driver, url, properties);
		this.url = url;
		this.login = login;
		this.callTimeout = callTimeout;
	}

	/**
	 * Return a source of connections that receive notifications without delay, if the
	 * driver can load {@link NotificationSockets}. A socket factory in the URL has
	 * precedence.
	 */
	DriverConnections forNotifications() {
		Properties properties = properties(this.url, this.callTimeout);
		Driver driver = Objects.requireNonNull(getDriver());
		if (isOfPostgres() && loads(driver, NotificationSockets.class)) {
			properties.setProperty("socketFactory", NotificationSockets.class.getName());
		}
		return new DriverConnections(driver, this.url, properties, this.login, this.callTimeout);
	}

	boolean isOfPostgres() {
		return this.url.startsWith("jdbc:postgresql:");
	}

	private static boolean loads(Driver driver, Class<?> type) {
		try {
			return Class.forName(type.getName(), false, driver.getClass().getClassLoader()) == type;
		}
		catch (ClassNotFoundException | LinkageError ex) {
			return false;
		}
	}

	@Override
	protected Connection getConnectionFromDriver(Properties properties) throws SQLException {
		JdbcLogin present = this.login.get();
		if (present.username() != null) {
			properties.setProperty("user", present.username());
		}
		if (present.password() != null) {
			properties.setProperty("password", present.password());
		}
		Connection connection = super.getConnectionFromDriver(properties);
		try {
			setUp(connection);
			return NetworkTimeouts.orIgnored(connection);
		}
		catch (SQLException | RuntimeException | Error ex) {
			JdbcUtils.closeConnection(connection);
			throw ex;
		}
	}

	private void setUp(Connection connection) throws SQLException {
		Dialect dialect = Dialects.find(connection);
		if (dialect != null) {
			execute(connection, dialect.setLockTimeout(Dialect.lockTimeout(this.callTimeout)));
			execute(connection, dialect.setUp(this.callTimeout));
		}
	}

	private static void execute(Connection connection, @Nullable String sql) throws SQLException {
		if (sql != null) {
			try (Statement statement = connection.createStatement()) {
				statement.execute(sql);
			}
		}
	}

	@Override
	public void setLoginTimeout(int timeout) {
		this.loginTimeout = timeout;
	}

	@Override
	public int getLoginTimeout() {
		return this.loginTimeout;
	}

	private static Properties properties(String url, Duration callTimeout) {
		Properties properties = timeouts(url, callTimeout);
		if (url.startsWith("jdbc:mariadb:")) {
			// The server takes longer to parse our statements than to run them
			properties.setProperty("useServerPrepStmts", "true");
		}
		return properties;
	}

	/** Return the driver's timeouts for connecting and for responses. */
	private static Properties timeouts(String url, Duration callTimeout) {
		Properties properties = new Properties();
		if (url.startsWith("jdbc:postgresql:")) {
			String seconds = Long.toString(Math.max(1, Dialect.seconds(callTimeout)));
			properties.setProperty("connectTimeout", seconds);
			properties.setProperty("loginTimeout", seconds);
			properties.setProperty("socketTimeout", seconds);
		}
		else if (url.startsWith("jdbc:mariadb:") || url.startsWith("jdbc:mysql:")) {
			properties.setProperty("connectTimeout", Long.toString(callTimeout.toMillis()));
			properties.setProperty("socketTimeout", Long.toString(callTimeout.toMillis()));
		}
		return properties;
	}

	private static Driver driver(String url, @Nullable String driver) {
		try {
			if (driver == null) {
				return DriverManager.getDriver(url);
			}
			return (Driver) BeanUtils.instantiateClass(ClassUtils.forName(driver, null));
		}
		catch (SQLException | ClassNotFoundException | LinkageError ex) {
			throw new IllegalArgumentException("There is no JDBC driver '%s' for the lock engine's database"
				.formatted((driver != null) ? driver : url.replaceFirst("^(jdbc:\\w+).*", "$1")), ex);
		}
	}

}
