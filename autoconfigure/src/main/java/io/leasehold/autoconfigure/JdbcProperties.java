package io.leasehold.autoconfigure;

import java.time.Duration;

import io.leasehold.engine.jdbc.JdbcSettings;
import io.leasehold.engine.jdbc.LockTableScript;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.jdbc.init.DatabaseInitializationProperties;

/**
 * What only the JDBC engine needs. The defaults suit a database in the same data centre.
 */
@ConfigurationProperties("leasehold.jdbc")
class JdbcProperties extends DatabaseInitializationProperties {

	private static final int LARGEST_POOL = 100;

	/**
	 * Name of the lock table, with that of its schema and a dot in front if need be.
	 */
	private String table = "leasehold_lock";

	/**
	 * Name of a DataSource bean to take connections from. When not set, the engine has a
	 * small pool of its own to the application's database, which is what locks need.
	 */
	private @Nullable String dataSource;

	/**
	 * Greatest number of connections in the engine's own pool for acquiring locks.
	 * Renewals and releases have four more.
	 */
	private int poolSize = 4;

	/**
	 * Longest time for one call, from asking for a connection to the database's answer.
	 */
	private Duration callTimeout = Duration.ofSeconds(2);

	/**
	 * Shortest time between two polls of a waiting process.
	 */
	private Duration pollMin = Duration.ofMillis(5);

	/**
	 * Longest time between two polls of a waiting process.
	 */
	private Duration pollMax = Duration.ofMillis(100);

	/**
	 * Whether PostgreSQL tells waiting processes of a release (LISTEN and NOTIFY), beside
	 * polling.
	 */
	private boolean notifications = true;

	JdbcProperties() {
		setContinueOnError(false); // other than Boot, which would hide why there is no
									// table
	}

	/**
	 * Return what the engine has to know.
	 * @throws LockEngineConfigurationException if it cannot work with these figures
	 */
	JdbcSettings toSettings(LeaseholdProperties shared) {
		try {
			if (this.poolSize < 1 || this.poolSize > LARGEST_POOL) {
				throw new IllegalArgumentException("leasehold.jdbc.pool-size must be between 1 and %d, but is %d"
					.formatted(LARGEST_POOL, this.poolSize));
			}
			return new JdbcSettings(shared.getNamespace(), this.table, this.callTimeout, this.pollMin, this.pollMax,
					shared.getFencing().getRetention(), this.notifications);
		}
		catch (IllegalArgumentException ex) {
			throw new LockEngineConfigurationException(
					"The JDBC engine cannot work as configured: %s.".formatted(ex.getMessage()),
					"Change one of the properties that are named.");
		}
	}

	@Override
	public String getDefaultSchemaLocation() {
		return "classpath:" + LockTableScript.LOCATION;
	}

	public String getTable() {
		return this.table;
	}

	public void setTable(String table) {
		this.table = table;
	}

	public @Nullable String getDataSource() {
		return this.dataSource;
	}

	public void setDataSource(@Nullable String dataSource) {
		this.dataSource = dataSource;
	}

	public int getPoolSize() {
		return this.poolSize;
	}

	public void setPoolSize(int poolSize) {
		this.poolSize = poolSize;
	}

	public Duration getCallTimeout() {
		return this.callTimeout;
	}

	public void setCallTimeout(Duration callTimeout) {
		this.callTimeout = callTimeout;
	}

	public Duration getPollMin() {
		return this.pollMin;
	}

	public void setPollMin(Duration pollMin) {
		this.pollMin = pollMin;
	}

	public Duration getPollMax() {
		return this.pollMax;
	}

	public void setPollMax(Duration pollMax) {
		this.pollMax = pollMax;
	}

	public boolean isNotifications() {
		return this.notifications;
	}

	public void setNotifications(boolean notifications) {
		this.notifications = notifications;
	}

}
