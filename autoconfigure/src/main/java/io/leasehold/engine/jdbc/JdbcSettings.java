package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Settings of the JDBC engine. Invalid values are rejected.
 *
 * @param namespace separates locks from others in the same table
 * @param table name of the lock table, preceded by its schema if necessary
 * @param callTimeout maximum duration of one call, from the request for a connection to
 * the response
 * @param pollMin minimum time between two polls of a waiting claim; a tenth of it for
 * extra polls
 * @param pollMax maximum time between two polls of a waiting claim
 * @param fencingRetention how long the row of an idle key and its last grant number are
 * kept; longer than any backward step of the database's clock
 * @param notifications whether waiting claims are also notified, if the database supports
 * it
 */
public record JdbcSettings(String namespace, String table, Duration callTimeout, Duration pollMin, Duration pollMax,
		Duration fencingRetention, boolean notifications) {

	/** Default name of the lock table. */
	public static final String DEFAULT_TABLE = "leasehold_lock";

	/** Minimum timeout that a connection pool accepts. */
	private static final Duration SHORTEST_CALL = Duration.ofMillis(250);

	private static final Duration LONGEST_CALL = Duration.ofMinutes(1);

	private static final Duration LONGEST_RETENTION = Duration.ofDays(3650);

	private static final Pattern NAMESPACE = Pattern.compile("[\\x21-\\x7e]{1,100}");

	/**
	 * Maximum length of the name without its schema. MySQL and MariaDB limit the name of
	 * the foreign key, which they derive from that of the other table.
	 */
	static final int LONGEST_NAME = 49;

	private static final Pattern TABLE = Pattern
		.compile("(?:[A-Za-z_]\\w{0,62}\\.)?[A-Za-z_]\\w{0,%s}".formatted(LONGEST_NAME - 1));

	/**
	 * Create settings.
	 * @throws IllegalArgumentException if a value is invalid, with the name of its
	 * property
	 */
	public JdbcSettings {
		if (!NAMESPACE.matcher(namespace).matches()) {
			throw new IllegalArgumentException(
					"leasehold.namespace must be 1 to 100 printable ASCII characters, but is '%s'"
						.formatted(namespace));
		}
		if (!TABLE.matcher(table).matches()) {
			throw new IllegalArgumentException(
					("leasehold.jdbc.table must be a name of at most %s letters, digits and underscores, optionally "
							+ "preceded by a schema and a dot, but is '%s'")
						.formatted(LONGEST_NAME, table));
		}
		check("leasehold.jdbc.call-timeout", callTimeout, SHORTEST_CALL, LONGEST_CALL);
		check("leasehold.jdbc.poll-min", pollMin, Duration.ofMillis(1), pollMax);
		check("leasehold.jdbc.poll-max", pollMax, pollMin, LONGEST_CALL);
		check("leasehold.fencing.retention", fencingRetention, Duration.ofSeconds(1), LONGEST_RETENTION);
	}

	/**
	 * Return the name of the table of concurrent holders.
	 * @param table name of the lock table, preceded by its schema if necessary
	 * @return the name of the other table
	 */
	public static String holdersOf(String table) {
		return table + "_holder";
	}

	String holders() {
		return holdersOf(this.table);
	}

	/** Return the maximum duration of a call, for the connection and for the response. */
	Duration longestCall() {
		return this.callTimeout.plus(this.callTimeout);
	}

	/** Return the minimum time until an extra poll. */
	Duration shortestExtraPoll() {
		return this.pollMin.dividedBy(10);
	}

	/**
	 * Return how long a statement may wait for a locked row, at most. MySQL counts whole
	 * seconds.
	 */
	Duration longestWait() {
		Duration second = Duration.ofSeconds(1);
		return (this.callTimeout.compareTo(second) > 0) ? this.callTimeout : second;
	}

	/**
	 * Return the channel on which the database publishes freed rows, or {@code null} for
	 * none. Rows of another namespace on it are ignored.
	 */
	@Nullable String channel() {
		return this.notifications ? "leasehold_%08x".formatted(Objects.hash(this.table, this.namespace)) : null;
	}

	private static void check(String property, Duration value, Duration least, Duration most) {
		if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
			throw new IllegalArgumentException(
					"%s must be between %s and %s, but is %s".formatted(property, least, most, value));
		}
	}

}
