package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.jdbc.LockTableException.Problem;
import org.jspecify.annotations.Nullable;

/**
 * Translation of the drivers' exceptions to those of Leasehold.
 */
final class Failures {

	/** Part of the message of HikariCP. */
	private static final Pattern POOL_TIMEOUT = Pattern.compile("timed out after (\\d+)ms");

	/** Kind of database, servers if it has any, and name. */
	private static final Pattern PLACE = Pattern
		.compile("[^/@(]*(//(SERVER(,SERVER)*)?)?(/(?!/)[^@(]*)?".replace("SERVER", "(\\[[^/\\]]+]|[\\w.-]+)(:\\d+)?"));

	/** A transaction that was rolled back, but for one whose outcome is unknown. */
	private static final Pattern ROLLED_BACK = Pattern.compile("40(?!003)\\w*");

	/** Lock not available in PostgreSQL. */
	private static final Set<String> UNDONE_STATES = Set.of("55P03");

	/**
	 * Lock and statement timeouts and deadlock of MariaDB and MySQL; lock timeout and
	 * conflict of H2.
	 */
	private static final Set<Integer> UNDONE_CODES = Set.of(1205, 1213, 1969, 50200, 90131);

	private static final Set<String> NO_TABLE = Set.of("42P01", "42S02", "42S03", "42S04", "3F000");

	private static final Set<String> NO_COLUMN = Set.of("42703", "42S22");

	/** Missing privilege: on a table or a column in MariaDB and MySQL, and in H2. */
	private static final Set<Integer> NO_PRIVILEGE = Set.of(1142, 1143, 90096);

	/** Connection limits of MariaDB and MySQL, with the SQL state of a mistake. */
	private static final Set<Integer> TOO_MANY = Set.of(1203, 1226);

	/** Read-only server or table of MariaDB and MySQL, and read-only database of H2. */
	private static final Set<Integer> READ_ONLY = Set.of(1036, 1290, 1836, 90097);

	/** A missing database that H2 may not create. */
	private static final Set<Integer> NO_DATABASE = Set.of(90146, 90149);

	private Failures() {
	}

	/** Return whether a statement was certainly undone and may succeed in a retry. */
	static boolean isUndone(SQLException failure) {
		String state = state(failure);
		return ROLLED_BACK.matcher(state).matches() || UNDONE_STATES.contains(state)
				|| UNDONE_CODES.contains(failure.getErrorCode());
	}

	/**
	 * Return whether a statement certainly changed nothing: it was undone, or the
	 * database rejected it.
	 */
	static boolean changedNothing(SQLException failure) {
		return isUndone(failure) || isReadOnly(failure) || isMistake(failure);
	}

	/** Return whether a call failed because a conflict with other sessions undid it. */
	static boolean isUndone(RuntimeException failure) {
		return failure.getCause() instanceof SQLException cause && isUndone(cause);
	}

	/**
	 * Translate a failure.
	 * @param action the failed action, such as {@code acquire lock 'a'}
	 * @param location host and database, or {@code null} if they are unknown
	 */
	static LockEngineException of(String action, @Nullable LockKey key, @Nullable String location, String table,
			@Nullable Dialect dialect, SQLException thrown) {
		SQLException failure = reason(thrown);
		String problem = "The database%s could not %s: ".formatted((location != null) ? " " + location : "", action);
		Problem ofTable = problem(failure);
		if (ofTable != null && dialect != null) {
			return new LockTableException(key, problem + advice(ofTable, table, dialect, failure), ofTable, table,
					dialect.platform(), failure);
		}
		if (isReadOnly(failure)) {
			return new LockEngineException(key,
					problem + "it is read-only. Locks need the primary database (%s)".formatted(failure.getMessage()),
					failure, false);
		}
		return new LockEngineException(key, problem + message(thrown), failure, !isMistake(failure));
	}

	static LockEngineException connecting(@Nullable String location, SQLException thrown) {
		SQLException failure = reason(thrown);
		return new LockEngineException(null, "Could not connect to the database%s: %s"
			.formatted((location != null) ? " " + location : "", message(thrown)), failure, !isMistake(failure));
	}

	/**
	 * Return host and database of a URL, without credentials and parameters.
	 * @return such as {@code postgresql://db:5432/shop}, or {@code null} if they may
	 * contain credentials
	 */
	static @Nullable String location(@Nullable String url) {
		if (url == null) {
			return null;
		}
		String place = url.replaceFirst("^jdbc:", "").replaceFirst("[?;].*$", "").replaceFirst("//.*@", "//");
		return PLACE.matcher(place).matches() ? place : null;
	}

	/** Return the message of the reason, with the time after which a pool gave up. */
	private static @Nullable String message(SQLException thrown) {
		SQLException failure = reason(thrown);
		Matcher timeout = POOL_TIMEOUT.matcher(String.valueOf(thrown.getMessage()));
		if (failure == thrown || !timeout.find()) {
			return failure.getMessage();
		}
		return "%s. No connection within %s ms".formatted(String.valueOf(failure.getMessage()).replaceFirst("\\.$", ""),
				timeout.group(1));
	}

	/** Return the reason why a pool has no connection, which is only the cause. */
	private static SQLException reason(SQLException thrown) {
		return (thrown instanceof SQLTransientConnectionException && thrown.getCause() instanceof SQLException cause)
				? cause : thrown;
	}

	/** Return the problem of the table, or {@code null} for another failure. */
	private static @Nullable Problem problem(SQLException failure) {
		String state = state(failure);
		if (NO_TABLE.contains(state)) {
			return Problem.MISSING;
		}
		if (NO_COLUMN.contains(state)) {
			return Problem.DIFFERENT;
		}
		return (state.equals("42501") || NO_PRIVILEGE.contains(failure.getErrorCode())) ? Problem.FORBIDDEN : null;
	}

	private static String advice(Problem problem, String table, Dialect dialect, SQLException failure) {
		String script = LockTableScript.location(dialect.platform());
		String holders = JdbcSettings.holdersOf(table);
		String reason = failure.getMessage();
		return switch (problem) {
			case MISSING ->
				"table '%s' or '%s' is missing (%s). Create them by %s or set leasehold.jdbc.initialize-schema=always"
					.formatted(table, holders, reason, script);
			case DIFFERENT -> "table '%s' or '%s' lacks a required column (%s). Compare it with %s".formatted(table,
					holders, reason, script);
			case FORBIDDEN ->
				"its user lacks privileges on table '%s' or '%s'. Grant SELECT, INSERT, UPDATE and DELETE on both (%s)"
					.formatted(table, holders, reason);
		};
	}

	/**
	 * Return whether another connection may succeed: to the new primary, or in a session
	 * that has the privileges of the moment.
	 */
	static boolean mayDependOnConnection(SQLException failure) {
		return isReadOnly(failure) || problem(failure) == Problem.FORBIDDEN;
	}

	/** Return whether a server accepts no changes, such as one that became a replica. */
	static boolean isReadOnly(SQLException failure) {
		return state(failure).equals("25006") || READ_ONLY.contains(failure.getErrorCode());
	}

	/** Return whether a failure lasts until the set-up is corrected. */
	private static boolean isMistake(SQLException failure) {
		String state = state(failure);
		return NO_DATABASE.contains(failure.getErrorCode()) || (state.startsWith("42") || state.startsWith("28")
				|| state.startsWith("3D") || state.startsWith("0A")) && !TOO_MANY.contains(failure.getErrorCode());
	}

	private static String state(SQLException failure) {
		String state = failure.getSQLState();
		return (state != null) ? state : "";
	}

}
