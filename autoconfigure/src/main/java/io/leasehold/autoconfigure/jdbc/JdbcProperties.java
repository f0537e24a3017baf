package io.leasehold.autoconfigure.jdbc;

import java.time.Duration;

import io.leasehold.autoconfigure.EngineValues;
import io.leasehold.autoconfigure.LeaseholdProperties;
import io.leasehold.engine.jdbc.JdbcSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the JDBC engine. The defaults suit a database in the same data centre.
 *
 * @param table Name of the lock table, optionally prefixed with its schema and a dot.
 * @param dataSource Name of the DataSource bean that provides the connections. When not
 * set, the engine opens a small separate pool to the application's database, which is
 * recommended.
 * @param poolSize Maximum number of connections in the engine's own pool for acquiring
 * locks. Renewals and releases use four more.
 * @param callTimeout Maximum time to wait for a connection, and then again for the
 * response to a call.
 * @param pollMin Minimum time between two polls of a waiting process. A tenth of it for
 * the process that is next, on databases without notifications.
 * @param pollMax Maximum time between two polls of a waiting process.
 * @param notifications Whether PostgreSQL notifies waiting processes of a release, and
 * holders of a forced release (LISTEN and NOTIFY), in addition to polling and renewals.
 * Locks linger only with notifications.
 */
@ConfigurationProperties("leasehold.jdbc")
public record JdbcProperties(@DefaultValue("leasehold_lock") String table, @Nullable String dataSource,
		@DefaultValue("4") int poolSize, @DefaultValue("2s") Duration callTimeout,
		@DefaultValue("5ms") Duration pollMin, @DefaultValue("100ms") Duration pollMax,
		@DefaultValue("true") boolean notifications) {

	private static final int LARGEST_POOL = 100;

	/** Return the settings of the engine, or reject invalid ones. */
	JdbcSettings toSettings(LeaseholdProperties shared) {
		return EngineValues.accepted("JDBC", "Change one of the named properties.", () -> {
			if (this.poolSize < 1 || this.poolSize > LARGEST_POOL) {
				throw new IllegalArgumentException("leasehold.jdbc.pool-size must be between 1 and %s, but is %s"
					.formatted(LARGEST_POOL, this.poolSize));
			}
			return new JdbcSettings(shared.namespace(), this.table, this.callTimeout, this.pollMin, this.pollMax,
					shared.fencing().retention(), this.notifications);
		});
	}

}
