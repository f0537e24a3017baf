package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Differences between databases: the clock, how a changed row returns a number, and how
 * to insert a row that another session may insert concurrently. Stateless and
 * thread-safe.
 * <p>
 * A dialect for another database is a subclass of this class or of a built-in dialect,
 * with a public constructor without parameters and a line in
 * {@code META-INF/services/io.leasehold.engine.jdbc.Dialect}. It takes precedence over
 * the built-in ones.
 */
public abstract class Dialect {

	/** Return the name of the database, for messages. */
	protected abstract String name();

	/**
	 * Return whether a database has this dialect, whatever its URL and driver.
	 * @param database the database's description of itself
	 * @throws SQLException if the driver cannot say
	 */
	protected abstract boolean supports(DatabaseMetaData database) throws SQLException;

	/** Return the name of the platform in the location of the table's script. */
	protected abstract String platform();

	/**
	 * Return the database's clock in microseconds since 1970, whatever the session's time
	 * zone. Each statement reads it anew.
	 */
	protected abstract String now();

	/**
	 * Return a condition by which a change sets how long it waits for locked rows, or an
	 * empty text if the session does. Its only parameter is the last one of the change.
	 */
	protected String waiting() {
		return "";
	}

	/**
	 * Set the parameter of {@link #waiting()}, if there is one.
	 * @param index its index
	 * @param lockTimeout how long the change waits
	 */
	protected void bindWaiting(PreparedStatement statement, int index, Duration lockTimeout) throws SQLException {
	}

	/**
	 * Return a condition by which the first change of a transaction makes the database
	 * end the transaction after this idle time, or an empty text.
	 */
	protected String endingWhenIdle(Duration idle) {
		return "";
	}

	/**
	 * Return a statement that makes the database close the session after this idle time,
	 * until {@link #keepWhenIdle()}, or {@code null} for none.
	 */
	protected @Nullable String closeWhenIdle(Duration idle) {
		return null;
	}

	/** Return the statement that undoes {@link #closeWhenIdle}. */
	protected String keepWhenIdle() {
		return "";
	}

	/** Make a changing statement return the value of an expression. */
	protected String returning(String expression) {
		return expression;
	}

	/**
	 * Return a summand of zero that makes a changing statement return the value of an
	 * expression, or an empty text.
	 */
	protected String aside(String expression) {
		return "";
	}

	/** Return whether an update can return the rows that it has changed. */
	protected boolean returnsRows() {
		return true;
	}

	/** Make an update return the new value of the given column or expression. */
	protected abstract String returning(String update, String expression);

	/**
	 * Add a notification to the expression that an update returns: publish the row on the
	 * channel if a claim waits for it.
	 */
	protected String notifying(String expression, String channel) {
		return expression;
	}

	/**
	 * Return a query that publishes its only parameter on a channel when the transaction
	 * commits, or {@code null} if the database cannot notify other processes.
	 */
	protected @Nullable String publishing(String channel) {
		return null;
	}

	/** Return whether the driver can {@linkplain WakeUps notify claims}. */
	protected boolean listens() {
		return false;
	}

	/**
	 * Return a statement that inserts a row if it is missing and the condition is met,
	 * and returns its number.
	 */
	protected abstract String insert(String table, String columns, String values, String condition);

	/**
	 * Run a statement that {@linkplain #returning returns} a number.
	 * @return the number, or {@code null} if no row was changed
	 */
	protected @Nullable Long run(PreparedStatement statement) throws SQLException {
		try (ResultSet rows = statement.executeQuery()) {
			return rows.next() ? rows.getLong(1) : null;
		}
	}

	/** Prepare a statement for {@link #run}. */
	protected PreparedStatement prepare(Connection connection, String sql) throws SQLException {
		return connection.prepareStatement(sql);
	}

	/** Return whether a failed insert means that another session has inserted the row. */
	protected boolean isInsertedMeanwhile(SQLException failure) {
		return false;
	}

	/** Return whether the database undoes each change that it reports as failed. */
	protected boolean undoesFailures() {
		return true;
	}

	/**
	 * Return a statement that limits how long a session waits for a row, or {@code null}
	 * if each change does so by {@link #waiting()}.
	 */
	protected @Nullable String setLockTimeout(Duration lockTimeout) {
		return null;
	}

	/**
	 * Return a statement for the set-up of a connection except its lock timeout, or
	 * {@code null} for none.
	 * @param idle maximum idle time of a transaction
	 */
	protected @Nullable String setUp(Duration idle) {
		return null;
	}

	/** Return a query for the value of an expression. */
	protected String query(String expression) {
		return "SELECT " + expression;
	}

	/**
	 * Make a query lock its rows, without those that other sessions have locked. A
	 * dialect without locks in transactions may return the query as it is.
	 */
	protected String skippingLocked(String query) {
		return query + " FOR UPDATE SKIP LOCKED";
	}

	/**
	 * Return whether the locks in transactions of the built-in dialect that this one
	 * extends exclude each other on this database too. The default is {@code false}:
	 * relatives of a database may accept its lock functions and ignore them. The built-in
	 * dialects always have these locks.
	 */
	protected boolean locksInTransactions() {
		return false;
	}

	/**
	 * Return the locks of the database that are part of a caller's transaction, or
	 * {@code null} if it has none. Used only if the dialect is built in or
	 * {@linkplain #locksInTransactions() allows} them.
	 * @param table name of the lock table
	 */
	@Nullable ConnectionLocks connectionLocks(String table) {
		return null;
	}

	/**
	 * Return the maximum wait for a row: less than that for the response, so that the
	 * database times out first.
	 */
	static Duration lockTimeout(Duration left) {
		return Duration.ofNanos(left.toNanos() * 3 / 4);
	}

	/** Return whole seconds, rounded up. */
	static long seconds(Duration duration) {
		return duration.plusMillis(999).toSeconds();
	}

}
