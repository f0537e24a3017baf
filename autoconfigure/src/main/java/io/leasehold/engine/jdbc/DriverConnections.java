package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;
import java.util.function.Supplier;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.util.PropertyElf;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.beans.BeanUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.util.ClassUtils;

/**
 * Source of connections that are opened with the current credentials, lead where those of
 * another pool lead, and are set up for their database. It does not pass the pool's login
 * timeout on, because {@link DriverManager} would apply it to all pools. Thread-safe.
 */
final class DriverConnections extends DelegatingDataSource {

	private final DataSource target;

	private final HikariConfig place;

	private final Supplier<JdbcLogin> login;

	private final Duration callTimeout;

	/**
	 * Create a source.
	 * @param driver name of the driver's class, or {@code null} to find it by the URL
	 * @param login the current credentials
	 * @throws IllegalArgumentException if there is no driver for the URL
	 */
	DriverConnections(String url, @Nullable String driver, Supplier<JdbcLogin> login, Duration callTimeout) {
		this(ofDriver(url, driver, new Properties(), callTimeout), new HikariConfig(), login, callTimeout);
	}

	/**
	 * Create a source.
	 * @param place configuration of a pool whose connections lead to the same place
	 * @param login the current credentials
	 * @throws IllegalArgumentException if there is no driver for the pool's URL
	 */
	DriverConnections(HikariConfig place, Supplier<JdbcLogin> login, Duration callTimeout) {
		this(target(place, callTimeout), place, login, callTimeout);
	}

	private DriverConnections(DataSource target, HikariConfig place, Supplier<JdbcLogin> login, Duration callTimeout) {
		super(target);
		this.target = target;
		this.place = place;
		this.login = login;
		this.callTimeout = callTimeout;
	}

	/** Return the source of a pool's connections, by the precedence of the pool. */
	private static DataSource target(HikariConfig place, Duration callTimeout) {
		if (place.getDataSource() != null) {
			return place.getDataSource();
		}
		if (place.getDataSourceClassName() != null) {
			DataSource created = instantiate(place.getDataSourceClassName(), DataSource.class);
			PropertyElf.setTargetFromProperties(created, place.getDataSourceProperties());
			return created;
		}
		return ofDriver(place.getJdbcUrl(), place.getDriverClassName(), place.getDataSourceProperties(), callTimeout);
	}

	/**
	 * Return a source of connections that receive notifications without delay, if the
	 * driver can load {@link NotificationSockets}. A socket factory of the application
	 * has precedence.
	 */
	DriverConnections forNotifications() {
		if (!isOfPostgres() || !(this.target instanceof SimpleDriverDataSource source)) {
			return this;
		}
		Driver driver = Objects.requireNonNull(source.getDriver());
		Properties properties = new Properties();
		properties.putAll(Objects.requireNonNull(source.getConnectionProperties()));
		if (loads(driver, NotificationSockets.class)) {
			properties.putIfAbsent("socketFactory", NotificationSockets.class.getName());
		}
		return new DriverConnections(
				new SimpleDriverDataSource(driver, Objects.requireNonNull(source.getUrl()), properties), this.place,
				this.login, this.callTimeout);
	}

	boolean isOfPostgres() {
		String url = url();
		return url != null && url.startsWith("jdbc:postgresql:");
	}

	/** Return the URL, or {@code null} if only a connection reveals it. */
	@Nullable String url() {
		return (this.target instanceof SimpleDriverDataSource source) ? source.getUrl() : null;
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
	public Connection getConnection() throws SQLException {
		JdbcLogin present = this.login.get();
		boolean anonymous = present.username() == null && present.password() == null;
		Connection connection = anonymous ? this.target.getConnection()
				: this.target.getConnection(present.username(), present.password());
		try {
			setUp(connection);
			return withNetworkTimeouts(connection);
		}
		catch (SQLException | RuntimeException | Error ex) {
			JdbcUtils.closeConnection(connection);
			throw ex;
		}
	}

	/**
	 * Return the connection, or one that ignores network timeouts if its driver has none:
	 * a pool discards each connection that rejects a call.
	 */
	private static Connection withNetworkTimeouts(Connection connection) throws SQLException {
		try {
			connection.setNetworkTimeout(Runnable::run, connection.getNetworkTimeout());
			return connection;
		}
		catch (SQLFeatureNotSupportedException ex) {
			ProxyFactory proxy = new ProxyFactory(Connection.class, new SingletonTargetSource(connection));
			proxy.addAdvice((MethodInterceptor) (call) -> switch (call.getMethod().getName()) {
				case "setNetworkTimeout" -> null;
				case "getNetworkTimeout" -> 0;
				default -> call.proceed();
			});
			return (Connection) proxy.getProxy(DriverConnections.class.getClassLoader());
		}
	}

	/** Do what the other pool does with a new connection, then what the engine needs. */
	private void setUp(Connection connection) throws SQLException {
		if (this.place.getCatalog() != null) {
			connection.setCatalog(this.place.getCatalog());
		}
		if (this.place.getSchema() != null) {
			connection.setSchema(this.place.getSchema());
		}
		execute(connection, this.place.getConnectionInitSql());
		Dialect dialect = Dialects.find(connection);
		if (dialect != null) {
			execute(connection, dialect.setLockTimeout(Dialect.lockTimeout(this.callTimeout)));
			execute(connection, dialect.setUp(this.callTimeout));
		}
	}

	private static void execute(Connection connection, @Nullable String sql) throws SQLException {
		if (sql != null) {
			Session.execute(connection, sql);
		}
	}

	@Override
	public void setLoginTimeout(int timeout) {
		// the driver's properties contain it
	}

	/** Return for how many seconds a closed pool awaits a connection that it opens. */
	@Override
	public int getLoginTimeout() {
		return (int) Math.max(1, Dialect.seconds(this.callTimeout));
	}

	private static DataSource ofDriver(String url, @Nullable String driver, Properties own, Duration callTimeout) {
		Properties properties = properties(url, callTimeout);
		own.forEach((name, value) -> properties.setProperty(name.toString(), value.toString()));
		return new SimpleDriverDataSource(driver(url, driver), url, properties);
	}

	/** Return the driver's timeouts for connecting and for responses, and the like. */
	private static Properties properties(String url, Duration callTimeout) {
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
		if (url.startsWith("jdbc:mariadb:")) {
			// The server takes longer to parse our statements than to run them
			properties.setProperty("useServerPrepStmts", "true");
		}
		return properties;
	}

	private static Driver driver(String url, @Nullable String driver) {
		try {
			return (driver != null) ? instantiate(driver, Driver.class) : DriverManager.getDriver(url);
		}
		catch (SQLException ex) {
			throw missing(url.replaceFirst("^(jdbc:\\w+).*", "$1"), ex);
		}
	}

	private static <T> T instantiate(String name, Class<T> type) {
		try {
			return type.cast(BeanUtils.instantiateClass(ClassUtils.forName(name, null)));
		}
		catch (ClassNotFoundException | LinkageError ex) {
			throw missing(name, ex);
		}
	}

	private static IllegalArgumentException missing(String driver, Throwable cause) {
		return new IllegalArgumentException(
				"There is no JDBC driver '%s' for the lock engine's database".formatted(driver), cause);
	}

}
