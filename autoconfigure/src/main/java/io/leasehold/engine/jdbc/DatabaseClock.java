package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Estimate of the database's clock, read once a minute and extrapolated by the JVM's
 * monotonic clock. It determines when the database rejects a late request. Leases are not
 * computed from it. Thread-safe.
 */
final class DatabaseClock {

	private static final Duration TRUSTED = Duration.ofMinutes(1);

	private final String query;

	private volatile @Nullable Reading reading;

	private volatile boolean doubtful = true;

	DatabaseClock(Sql sql) {
		this.query = sql.of(sql.dialect().query("{now}"));
	}

	/**
	 * Return the current time in microseconds, which may be slightly behind.
	 * @param session queries the database if the last reading is old or in doubt
	 */
	long micros(Session session) throws SQLException {
		Reading last = this.reading;
		return (last == null || this.doubtful || last.age().compareTo(TRUSTED) > 0) ? read(session) : last.now();
	}

	long read(Session session) throws SQLException {
		Connection connection = session.connection();
		try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(this.query)) {
			rows.next();
			Reading present = new Reading(rows.getLong(1), System.nanoTime());
			this.reading = present;
			this.doubtful = false;
			return present.micros();
		}
	}

	/** Return the current time in microseconds by the last reading, zero without one. */
	long estimate() {
		Reading last = this.reading;
		return (last != null) ? last.now() : 0;
	}

	/** Query the database before the next request: its clock may have been set. */
	void doubt() {
		this.doubtful = true;
	}

	/**
	 * Reading of the clock.
	 *
	 * @param micros microseconds since 1970
	 * @param at reading of {@link System#nanoTime()} after that
	 */
	private record Reading(long micros, long at) {

		long now() {
			return this.micros + (System.nanoTime() - this.at) / 1000;
		}

		Duration age() {
			return Duration.ofNanos(System.nanoTime() - this.at);
		}

	}

}
