package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.LockEngineException;
import io.leasehold.engine.support.Deadlines;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/**
 * Source of the engine's connections: normally a small separate pool, so that neither a
 * transaction of the application nor a pool exhausted by lock holders delays renewals.
 * Thread-safe; the pool connects when first used.
 */
public final class JdbcConnections implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	/** Limits of the time for a validation, in milliseconds. */
	private static final long LONGEST_VALIDATION = 1000;

	private static final long SHORTEST_VALIDATION = 250;

	private static final Duration BETWEEN_REPLACEMENTS = Duration.ofSeconds(1);

	private final DataSource dataSource;

	private final @Nullable Pool pool;

	private final AtomicLong replaced = new AtomicLong(System.nanoTime() - BETWEEN_REPLACEMENTS.toNanos());

	private JdbcConnections(DataSource dataSource) {
		this.dataSource = dataSource;
		this.pool = null;
	}

	private JdbcConnections(DriverConnections unpooled, HikariConfig place, int size, Duration callTimeout) {
		Lanes lanes = new Lanes(size);
		HikariDataSource source = pool(unpooled, place, lanes.total(), callTimeout);
		this.dataSource = source;
		this.pool = new Pool(source, unpooled, lanes, Dialect.lockTimeout(callTimeout));
	}

	/**
	 * Create a pool as {@link #open(String, String, Supplier, int, Duration)}, with
	 * credentials that never change.
	 * @param username name of the user, or {@code null} for none
	 * @param password password of the user, or {@code null} for none
	 */
	public static JdbcConnections open(String url, @Nullable String driver, @Nullable String username,
			@Nullable String password, int size, Duration callTimeout) {
		JdbcLogin login = new JdbcLogin(username, password);
		return open(url, driver, () -> login, size, callTimeout);
	}

	/**
	 * Create a pool.
	 * @param url URL of the database
	 * @param driver name of the driver's class, or {@code null} to find it by the URL
	 * @param login returns the current credentials whenever a connection is opened
	 * @param size maximum number of connections for acquisitions; renewals and releases
	 * have four more
	 * @param callTimeout maximum wait for a connection, and for the response on it
	 * @return the pool, to be closed
	 * @throws IllegalArgumentException if there is no driver for the URL
	 */
	public static JdbcConnections open(String url, @Nullable String driver, Supplier<JdbcLogin> login, int size,
			Duration callTimeout) {
		return new JdbcConnections(new DriverConnections(url, driver, login, callTimeout), new HikariConfig(), size,
				callTimeout);
	}

	/**
	 * Create a pool as {@link #open(String, String, Supplier, int, Duration)}, whose
	 * connections lead to the same place as those of another pool, in the same way: to
	 * its database, catalog and schema, by its driver with the same properties, after the
	 * same first statement, and for the same lifetime.
	 * @param other configuration of the other pool
	 */
	public static JdbcConnections like(HikariConfig other, Supplier<JdbcLogin> login, int size, Duration callTimeout) {
		return new JdbcConnections(new DriverConnections(other, login, callTimeout), other, size, callTimeout);
	}

	private static HikariDataSource pool(DataSource unpooled, HikariConfig place, int size, Duration callTimeout) {
		HikariConfig config = new HikariConfig();
		config.setPoolName("leasehold-jdbc");
		config.setDataSource(unpooled);
		config.setMaximumPoolSize(size);
		config.setMinimumIdle(1);
		config.setAutoCommit(true);
		config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
		config.setConnectionTimeout(callTimeout.toMillis());
		config.setValidationTimeout(
				Math.max(SHORTEST_VALIDATION, Math.min(LONGEST_VALIDATION, callTimeout.toMillis() / 2)));
		// The database may start later than the application
		config.setInitializationFailTimeout(-1);
		config.setConnectionTestQuery(place.getConnectionTestQuery());
		config.setKeepaliveTime(place.getKeepaliveTime());
		config.setMaxLifetime(place.getMaxLifetime());
		config.setIdleTimeout(idle(place.getMaxLifetime()));
		config.setExceptionOverride(place.getExceptionOverride());
		return new HikariDataSource(config);
	}

	/**
	 * Use a data source that another component closes. Its own configuration limits the
	 * wait for a connection, which should be short.
	 */
	public static JdbcConnections of(DataSource dataSource) {
		return new JdbcConnections(target(dataSource));
	}

	/** Return the data source behind proxies that join transactions. */
	static DataSource target(DataSource dataSource) {
		DataSource target = dataSource;
		while (target instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null) {
			target = proxy.getTargetDataSource();
		}
		return target;
	}

	/**
	 * Wait for the pool's first connection while it is being opened: a JVM that has just
	 * started may need longer for that than a call may take. Returns if the database is
	 * unreachable, or after half a minute.
	 * @throws LockEngineException if the database rejects the connection, such as for an
	 * unknown database or user
	 */
	public void awaitFirst() {
		long deadline = Deadlines.after(PATIENCE);
		boolean opening = true;
		while (opening && Deadlines.left(deadline) > 0) {
			try {
				this.dataSource.getConnection().close();
				opening = false;
			}
			catch (SQLException ex) {
				LockEngineException failure = Failures.connecting(location(), ex);
				if (!failure.isRetryable()) {
					throw failure;
				}
				// A timeout of the pool without a failure
				opening = ex instanceof SQLTransientConnectionException && ex.getCause() == null;
			}
		}
	}

	/** Return the data source of the connections, such as for creating the table. */
	public DataSource dataSource() {
		return this.dataSource;
	}

	/**
	 * Return the source of the connection that receives notifications, or {@code null}
	 * for the data source of another component, which may have none to spare.
	 */
	@Nullable DataSource forNotifications() {
		return (this.pool != null) ? this.pool.unpooled().forNotifications() : null;
	}

	/** Return whether this is a separate pool with a URL of PostgreSQL. */
	boolean areOfPostgres() {
		return this.pool != null && this.pool.unpooled().isOfPostgres();
	}

	/** Return host and database, or {@code null} if only a connection reveals them. */
	@Nullable String location() {
		return (this.pool != null) ? Failures.location(this.pool.unpooled().url()) : null;
	}

	/**
	 * Begin a call.
	 * @param deadline reading of {@link System#nanoTime()} at which the call ends
	 * @param lockTimeout maximum wait for rows that other sessions have locked
	 */
	Session open(CallKind kind, long deadline, Duration lockTimeout) throws SQLException {
		Runnable leave = (this.pool != null) ? this.pool.lanes().enter(kind, deadline) : () -> {
		};
		try {
			return new Session(this.dataSource.getConnection(), leave, deadline, lockTimeout,
					(this.pool != null) ? this.pool.lockTimeout() : null);
		}
		catch (SQLException | RuntimeException | Error ex) {
			leave.run();
			throw ex;
		}
	}

	/**
	 * Replace the connections of the engine's own pool, at most once a second, because
	 * their server is read-only or they lack a privilege. After a change of roles, the
	 * address leads to another server, and sessions of MySQL keep their privileges.
	 * @return whether they are replaced now
	 */
	boolean replace() {
		long now = System.nanoTime();
		long last = this.replaced.get();
		if (this.pool != null && now - last >= BETWEEN_REPLACEMENTS.toNanos()
				&& this.replaced.compareAndSet(last, now)) {
			this.pool.source().getHikariPoolMXBean().softEvictConnections();
			return true;
		}
		return false;
	}

	@Override
	public void close() {
		if (this.pool != null) {
			this.pool.source().close();
		}
	}

	/** Return the usual maximum idle time, or half of a short lifetime. */
	private static long idle(long lifetime) {
		long usual = Duration.ofMinutes(10).toMillis();
		return (lifetime > 0) ? Math.min(usual, lifetime / 2) : usual;
	}

	/**
	 * The engine's own pool.
	 *
	 * @param unpooled source of its connections
	 * @param lockTimeout usual maximum wait of its connections for locked rows
	 */
	private record Pool(HikariDataSource source, DriverConnections unpooled, Lanes lanes, Duration lockTimeout) {
	}

}
