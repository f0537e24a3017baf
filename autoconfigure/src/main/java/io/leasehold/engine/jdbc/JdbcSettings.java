package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * How the JDBC engine works. Values that it cannot work with are refused.
 *
 * @param namespace separates locks from others in the same table
 * @param table name of the lock table, with its schema in front if need be
 * @param callTimeout longest time for one call, from asking for a connection to the
 * answer
 * @param pollMin shortest time between two polls of a waiting claim
 * @param pollMax longest time between two polls of a waiting claim
 * @param fencingRetention how long the row of a key that nobody uses is kept, and with it
 * the last grant's number; longer than the database's clock could ever be set back
 * @param notifications whether waiting claims are woken by what the database tells, where
 * it can, beside polling
 */
public record JdbcSettings(String namespace, String table, Duration callTimeout, Duration pollMin, Duration pollMax,
		Duration fencingRetention, boolean notifications) {

	/** Name of the lock table unless another one is configured. */
	public static final String DEFAULT_TABLE = "leasehold_lock";

	/** Less than this a connection pool does not take for a timeout. */
	private static final Duration SHORTEST_CALL = Duration.ofMillis(250);

	private static final Duration LONGEST_CALL = Duration.ofMinutes(1);

	private static final Duration LONGEST_RETENTION = Duration.ofDays(3650);

	private static final Pattern NAMESPACE = Pattern.compile("[\\x21-\\x7e]{1,100}");

	/** Names of 63 characters are the longest everywhere, that of the other table too. */
	private static final Pattern TABLE = Pattern.compile("(?:[A-Za-z_]\\w{0,62}\\.)?[A-Za-z_]\\w{0,55}");

	/**
	 * Create settings.
	 * @throws IllegalArgumentException naming the property, if the engine cannot work
	 * with a value
	 */
	public JdbcSettings {
		if (!NAMESPACE.matcher(namespace).matches()) {
			throw new IllegalArgumentException(
					"leasehold.namespace must be 1 to 100 printable ASCII characters, but is '%s'"
						.formatted(namespace));
		}
		if (!TABLE.matcher(table).matches()) {
			throw new IllegalArgumentException(
					"leasehold.jdbc.table must be a name of at most 56 letters, digits and underscores, with that of "
							+ "its schema and a dot in front if need be, but is '%s'".formatted(table));
		}
		check("leasehold.jdbc.call-timeout", callTimeout, SHORTEST_CALL, LONGEST_CALL);
		check("leasehold.jdbc.poll-min", pollMin, Duration.ofMillis(1), pollMax);
		check("leasehold.jdbc.poll-max", pollMax, pollMin, LONGEST_CALL);
		check("leasehold.fencing.retention", fencingRetention, Duration.ofSeconds(1), LONGEST_RETENTION);
	}

	/**
	 * Return the name of the table of those who hold locks beside others.
	 */
	String holders() {
		return LockTableScript.holders(this.table);
	}

	/**
	 * Return how long a call takes at most, for the connection and for the answer.
	 */
	Duration longestCall() {
		return this.callTimeout.multipliedBy(2);
	}

	/**
	 * Return how long a statement may wait for a row that others have locked, at most:
	 * MySQL counts whole seconds.
	 */
	Duration longestWait() {
		Duration second = Duration.ofSeconds(1);
		return (this.callTimeout.compareTo(second) > 0) ? this.callTimeout : second;
	}

	/**
	 * Return the channel on which the database tells of rows that were freed. Rows of
	 * another namespace on it do no harm.
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
