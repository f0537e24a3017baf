package io.leasehold.autoconfigure;

import java.time.Duration;

import io.leasehold.engine.jdbc.JdbcSettings;
import io.leasehold.engine.jdbc.LockTableScript;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.jdbc.init.DatabaseInitializationProperties;

/**
 * Properties of the JDBC engine. The defaults suit a database in the same data centre.
 */
@ConfigurationProperties("leasehold.jdbc")
class JdbcProperties extends DatabaseInitializationProperties {

	private static final int LARGEST_POOL = 100;

	/**
	 * Name of the lock table, optionally prefixed with its schema and a dot.
	 */
	private String table = "leasehold_lock";

	/**
	 * Name of the DataSource bean that provides the connections. When not set, the engine
	 * opens a small separate pool to the application's database, which is recommended.
	 */
	private @Nullable String dataSource;

	/**
	 * Maximum number of connections in the engine's own pool for acquiring locks.
	 * Renewals and releases use four more.
	 */
	private int poolSize = 4;

	/**
	 * Maximum time of one call, from the request for a connection to the response.
	 */
	private Duration callTimeout = Duration.ofSeconds(2);

	/**
	 * Minimum time between two polls of a waiting process.
	 */
	private Duration pollMin = Duration.ofMillis(5);

	/**
	 * Maximum time between two polls of a waiting process.
	 */
	private Duration pollMax = Duration.ofMillis(100);

	/**
	 * Whether PostgreSQL notifies waiting processes of a release (LISTEN and NOTIFY), in
	 * addition to polling.
	 */
	private boolean notifications = true;

	JdbcProperties() {
		setContinueOnError(false); // Boot's default hides the failure
	}

	/**
	 * Return the settings of the engine.
	 * @throws LockEngineConfigurationException if they are invalid
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
					"Change one of the named properties.");
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
