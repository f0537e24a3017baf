package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What differs from database to database: its clock, how a changed row tells a number,
 * and how a row is inserted that another session may insert at the same moment.
 */
abstract class Dialect {

	private static final List<Dialect> ALL = List.of(new H2Dialect(), new MariaDbDialect(), new MySqlDialect(),
			new PostgresDialect());

	/**
	 * The dialect of the database that a connection goes to, whatever its URL and driver,
	 * or {@code null} if it has none.
	 */
	static @Nullable Dialect of(Connection connection) throws SQLException {
		String product = product(connection.getMetaData());
		return ALL.stream().filter((dialect) -> dialect.product().equals(product)).findFirst().orElse(null);
	}

	/** Name of a database; MySQL's driver gives MariaDB away only in the version. */
	static String product(DatabaseMetaData database) throws SQLException {
		return database.getDatabaseProductVersion().contains(MariaDbDialect.PRODUCT) ? MariaDbDialect.PRODUCT
				: database.getDatabaseProductName();
	}

	/** The databases that have a dialect. */
	static List<String> products() {
		return ALL.stream().map(Dialect::product).toList();
	}

	/** Name of the database. */
	abstract String product();

	/** Name of the platform, as in the location of the table's script. */
	abstract String platform();

	/**
	 * The database's clock in microseconds since 1970, whatever the session's time zone,
	 * and read anew for each statement.
	 */
	abstract String now();

	/**
	 * Condition by which a change sets how long it waits for rows that others have
	 * locked, or nothing if the session does. Has one parameter, the last one of the
	 * change.
	 */
	String waiting() {
		return "";
	}

	/**
	 * Set the parameter of {@link #waiting()}, if there is one.
	 * @param index its index
	 * @param lockTimeout how long the change waits
	 */
	void bindWaiting(PreparedStatement statement, int index, Duration lockTimeout) throws SQLException {
	}

	/**
	 * Condition by which the first change of a transaction lets the database end the
	 * transaction if it stands still for this time, or nothing.
	 */
	String endingWhenIdle(Duration idle) {
		return "";
	}

	/**
	 * Statement by which a session is closed if it stands still for this time, until
	 * {@link #keepWhenIdle()}, or {@code null} for none.
	 */
	@Nullable String closeWhenIdle(Duration idle) {
		return null;
	}

	/** Statement that undoes {@link #closeWhenIdle}. */
	String keepWhenIdle() {
		return "";
	}

	/** Make a changing statement return the value of an expression. */
	String telling(String expression) {
		return expression;
	}

	/**
	 * Summand of nothing by which a changing statement returns the value of an
	 * expression.
	 */
	String aside(String expression) {
		return "";
	}

	/** Whether an update can return what it changed as rows. */
	boolean returnsRows() {
		return true;
	}

	/** Make an update return the new value of the given column or expression. */
	abstract String returning(String update, String expression);

	/**
	 * Add to the expression that an update returns: tell who listens to the channel which
	 * row it was, if somebody waits for it.
	 */
	String notifying(String expression, String channel) {
		return expression;
	}

	/** Whether the database's driver lets {@linkplain WakeUps claims be woken}. */
	boolean listens() {
		return false;
	}

	/**
	 * The statement that inserts a row, unless there is one or the condition is not met,
	 * and returns its number.
	 */
	abstract String insert(String table, String columns, String values, String condition);

	/**
	 * Run a statement that {@linkplain #returning returns} a number.
	 * @return the number, or {@code null} if no row was changed
	 */
	@Nullable Long run(PreparedStatement statement) throws SQLException {
		try (ResultSet rows = statement.executeQuery()) {
			return rows.next() ? rows.getLong(1) : null;
		}
	}

	/** Prepare a statement for {@link #run}. */
	PreparedStatement prepare(Connection connection, String sql) throws SQLException {
		return connection.prepareStatement(sql);
	}

	/**
	 * Whether a failed insert means that another session has inserted the row meanwhile.
	 */
	boolean isInsertedMeanwhile(SQLException failure) {
		return false;
	}

	/** Return whether the database undoes what it reports as undone, in every case. */
	boolean undoesFailures() {
		return true;
	}

	/**
	 * Statement that lets a session wait for a row no longer than this, or {@code null}
	 * where each change does so by {@link #waiting()}.
	 */
	@Nullable String setLockTimeout(Duration lockTimeout) {
		return null;
	}

	/**
	 * Statement that sets up a connection beside its lock timeout, or {@code null} for
	 * none.
	 * @param idle how long a transaction may stand still
	 */
	@Nullable String setUp(Duration idle) {
		return null;
	}

	/**
	 * How long a call may wait for a row: less than for its answer, so that the database
	 * gives up first.
	 */
	static Duration lockTimeout(Duration left) {
		return left.multipliedBy(3).dividedBy(4);
	}

	/** Whole seconds, rounded up. */
	static long seconds(Duration duration) {
		return duration.plusMillis(999).toSeconds();
	}

}
