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
 * Differences between databases: the clock, how a changed row returns a number, and how
 * to insert a row that another session may insert concurrently.
 */
abstract class Dialect {

	private static final List<Dialect> ALL = List.of(new H2Dialect(), new MariaDbDialect(), new MySqlDialect(),
			new PostgresDialect());

	/**
	 * Return the dialect of a connection's database, whatever its URL and driver, or
	 * {@code null} if there is none.
	 */
	static @Nullable Dialect of(Connection connection) throws SQLException {
		String product = product(connection.getMetaData());
		return ALL.stream().filter((dialect) -> dialect.product().equals(product)).findFirst().orElse(null);
	}

	/** Return a database's name. MySQL's driver reveals MariaDB only in the version. */
	static String product(DatabaseMetaData database) throws SQLException {
		return database.getDatabaseProductVersion().contains(MariaDbDialect.PRODUCT) ? MariaDbDialect.PRODUCT
				: database.getDatabaseProductName();
	}

	static List<String> products() {
		return ALL.stream().map(Dialect::product).toList();
	}

	abstract String product();

	/** Return the name of the platform in the location of the table's script. */
	abstract String platform();

	/**
	 * Return the database's clock in microseconds since 1970, whatever the session's time
	 * zone. Each statement reads it anew.
	 */
	abstract String now();

	/**
	 * Return a condition by which a change sets how long it waits for locked rows, or an
	 * empty text if the session does. Its only parameter is the last one of the change.
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
	 * Return a condition by which the first change of a transaction makes the database
	 * end the transaction after this idle time, or an empty text.
	 */
	String endingWhenIdle(Duration idle) {
		return "";
	}

	/**
	 * Return a statement that makes the database close the session after this idle time,
	 * until {@link #keepWhenIdle()}, or {@code null} for none.
	 */
	@Nullable String closeWhenIdle(Duration idle) {
		return null;
	}

	/** Return the statement that undoes {@link #closeWhenIdle}. */
	String keepWhenIdle() {
		return "";
	}

	/** Make a changing statement return the value of an expression. */
	String returning(String expression) {
		return expression;
	}

	/**
	 * Return a summand of zero that makes a changing statement return the value of an
	 * expression, or an empty text.
	 */
	String aside(String expression) {
		return "";
	}

	/** Return whether an update can return the rows that it has changed. */
	boolean returnsRows() {
		return true;
	}

	/** Make an update return the new value of the given column or expression. */
	abstract String returning(String update, String expression);

	/**
	 * Add a notification to the expression that an update returns: publish the row on the
	 * channel if a claim waits for it.
	 */
	String notifying(String expression, String channel) {
		return expression;
	}

	/** Return whether the driver can {@linkplain WakeUps notify claims}. */
	boolean listens() {
		return false;
	}

	/**
	 * Return a statement that inserts a row if it is missing and the condition is met,
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

	/** Return whether a failed insert means that another session has inserted the row. */
	boolean isInsertedMeanwhile(SQLException failure) {
		return false;
	}

	/** Return whether the database undoes each change that it reports as failed. */
	boolean undoesFailures() {
		return true;
	}

	/**
	 * Return a statement that limits how long a session waits for a row, or {@code null}
	 * if each change does so by {@link #waiting()}.
	 */
	@Nullable String setLockTimeout(Duration lockTimeout) {
		return null;
	}

	/**
	 * Return a statement for the set-up of a connection except its lock timeout, or
	 * {@code null} for none.
	 * @param idle maximum idle time of a transaction
	 */
	@Nullable String setUp(Duration idle) {
		return null;
	}

	/**
	 * Return the maximum wait for a row: less than that for the response, so that the
	 * database times out first.
	 */
	static Duration lockTimeout(Duration left) {
		return left.multipliedBy(3).dividedBy(4);
	}

	/** Return whole seconds, rounded up. */
	static long seconds(Duration duration) {
		return duration.plusMillis(999).toSeconds();
	}

}
