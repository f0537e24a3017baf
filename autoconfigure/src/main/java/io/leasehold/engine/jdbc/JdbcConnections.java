package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.LockEngineException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.util.ClassUtils;

/**
 * Where the engine's connections come from. By rights a small pool of its own, so that
 * neither a transaction of the application nor a pool emptied by the holders' own work
 * stands between a lock and its renewal. Thread-safe; the pool connects when first used.
 */
public final class JdbcConnections implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final Duration LONGEST_VALIDATION = Duration.ofSeconds(1);

	private static final Duration SHORTEST_VALIDATION = Duration.ofMillis(250);

	private final DataSource dataSource;

	private final @Nullable HikariDataSource pool;

	private final @Nullable DataSource unpooled;

	private JdbcConnections(DataSource dataSource, @Nullable HikariDataSource pool, @Nullable DataSource unpooled) {
		this.dataSource = dataSource;
		this.pool = pool;
		this.unpooled = unpooled;
	}

	/**
	 * Make a pool.
	 * @param url URL of the database
	 * @param driver name of the driver's class, or {@code null} to find it by the URL
	 * @param username name of the user, or {@code null} for none
	 * @param password password of the user, or {@code null} for none
	 * @param size greatest number of connections
	 * @param callTimeout longest time to wait for a connection, and for the answer on it
	 * @return the pool, to be closed
	 * @throws IllegalArgumentException if there is no driver for the URL
	 */
	public static JdbcConnections open(String url, @Nullable String driver, @Nullable String username,
			@Nullable String password, int size, Duration callTimeout) {
		HikariConfig config = new HikariConfig();
		config.setPoolName("leasehold-jdbc");
		DataSource unpooled = new Unpooled(driver(url, driver), url, properties(url, username, password, callTimeout),
				callTimeout);
		config.setDataSource(unpooled);
		config.setMaximumPoolSize(size);
		config.setMinimumIdle(1);
		config.setAutoCommit(true);
		config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
		config.setConnectionTimeout(callTimeout.toMillis());
		config.setValidationTimeout(validation(callTimeout).toMillis());
		// The database may come up later than the application
		config.setInitializationFailTimeout(-1);
		HikariDataSource pool = new HikariDataSource(config);
		return new JdbcConnections(pool, pool, unpooled);
	}

	/**
	 * Use a data source that somebody else closes. How long it may take to hand out a
	 * connection is its own affair, and belongs to be little.
	 * @param dataSource the data source
	 * @return its connections
	 */
	public static JdbcConnections of(DataSource dataSource) {
		DataSource target = dataSource;
		while (target instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null) {
			target = proxy.getTargetDataSource();
		}
		return new JdbcConnections(target, null, null);
	}

	/**
	 * Wait until the pool has its first connection, as long as one is being opened: a JVM
	 * that has just started may need longer for that than a call may take. Returns when
	 * the database cannot be reached, or half a minute is over.
	 * @throws LockEngineException if the database refuses the connection, such as one
	 * that does not exist, or does not know the user
	 */
	public void awaitFirst() {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		boolean opening = true;
		while (opening && System.nanoTime() - deadline < 0) {
			try {
				this.dataSource.getConnection().close();
				opening = false;
			}
			catch (SQLException ex) {
				LockEngineException failure = Failures.connecting(ex);
				if (!failure.isRetryable()) {
					throw failure;
				}
				// The pool's, without a failure
				opening = ex instanceof SQLTransientConnectionException && ex.getCause() == null;
			}
		}
	}

	/**
	 * Return the data source that the connections come from, such as for creating the
	 * table.
	 * @return the data source
	 */
	public DataSource dataSource() {
		return this.dataSource;
	}

	/**
	 * Return where connections come from that are kept, or {@code null} for somebody
	 * else's data source, which may have none to spare.
	 */
	@Nullable DataSource unpooled() {
		return this.unpooled;
	}

	Session open(long deadline) throws SQLException {
		return new Session(this.dataSource.getConnection(), deadline);
	}

	@Override
	public void close() {
		if (this.pool != null) {
			this.pool.close();
		}
	}

	private static Duration validation(Duration callTimeout) {
		Duration half = callTimeout.dividedBy(2);
		if (half.compareTo(LONGEST_VALIDATION) > 0) {
			return LONGEST_VALIDATION;
		}
		return (half.compareTo(SHORTEST_VALIDATION) < 0) ? SHORTEST_VALIDATION : half;
	}

	private static Properties properties(String url, @Nullable String username, @Nullable String password,
			Duration callTimeout) {
		Properties properties = timeouts(url, callTimeout);
		if (url.startsWith("jdbc:mariadb:")) {
			// Parsing our statements takes the server longer than running them
			properties.setProperty("useServerPrepStmts", "true");
		}
		if (username != null) {
			properties.setProperty("user", username);
		}
		if (password != null) {
			properties.setProperty("password", password);
		}
		return properties;
	}

	/** What bounds connecting and waiting for answers, in the words of the driver. */
	private static Properties timeouts(String url, Duration callTimeout) {
		Properties properties = new Properties();
		if (url.startsWith("jdbc:postgresql:")) {
			String seconds = Long.toString(Math.max(1, (callTimeout.toMillis() + 999) / 1000));
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

	/**
	 * Sets connections up as their database needs it. Keeps the pool's login timeout away
	 * from {@link DriverManager}, where it would be that of all other pools, too; the
	 * driver's own properties have it.
	 */
	private static final class Unpooled extends SimpleDriverDataSource {

		private final Duration lockTimeout;

		private volatile int loginTimeout;

		Unpooled(Driver driver, String url, Properties properties, Duration callTimeout) {
			super(driver, url, properties);
			this.lockTimeout = Dialect.lockTimeout(callTimeout);
		}

		@Override
		protected Connection getConnectionFromDriver(Properties properties) throws SQLException {
			Connection connection = super.getConnectionFromDriver(properties);
			try {
				setUp(connection);
				return connection;
			}
			catch (SQLException ex) {
				connection.close();
				throw ex;
			}
		}

		private void setUp(Connection connection) throws SQLException {
			Dialect dialect = Dialect.of(connection);
			String sql = (dialect != null) ? dialect.setUp(this.lockTimeout) : null;
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

	}

}
