package io.leasehold.engine.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.RowMapperResultSetExtractor;

/**
 * Statements for the tables of one database. In a template, <code>{table}</code> and
 * <code>{holders}</code> are the names of the tables, and <code>{now}</code> is the
 * database's clock.
 */
record Sql(Dialect dialect, JdbcSettings settings) {

	String of(String template) {
		return template.replace("{table}", this.settings.table())
			.replace("{holders}", this.settings.holders())
			.replace("{now}", this.dialect.now());
	}

	/** Create a change that may wait for a row. The template ends with a condition. */
	Change change(String template) {
		return new Change(of(template + this.dialect.waiting()));
	}

	/** Create the first change of a transaction, which may wait for a row. */
	Change first(String template) {
		return change(template + this.dialect.endingWhenIdle(this.settings.callTimeout()));
	}

	Change returning(Change change, String expression) {
		return new Change(this.dialect.returning(change.text(), expression));
	}

	/**
	 * Create an update that frees a row now, returns for how many microseconds a claim is
	 * known to wait for it, and notifies the waiters.
	 * @param update template of the update, with a place for a summand at the end of the
	 * last assigned expression
	 */
	Change freeing(String update) {
		String marked = "GREATEST(waited_until - expires_at, 0)";
		String channel = this.settings.channel();
		return returning(change(update.formatted(this.dialect.aside("GREATEST(waited_until - {now}, 0)"))),
				(channel != null) ? this.dialect.notifying(marked, channel) : marked);
	}

	/**
	 * Publish a payload with the present transaction.
	 * @return whether the database supports that
	 */
	boolean publish(Session session, String payload) throws SQLException {
		String channel = this.settings.channel();
		String publishing = (channel != null) ? this.dialect.publishing(channel) : null;
		if (publishing != null) {
			query(session, publishing, (row, index) -> true, payload);
		}
		return publishing != null;
	}

	/** Run a change from its template, and return the number of matching rows. */
	int update(Session session, String template, @Nullable Object... values) throws SQLException {
		try (PreparedStatement statement = session.connection().prepareStatement(of(template))) {
			bind(statement, values);
			return statement.executeUpdate();
		}
	}

	/** Run a change that may wait for a row, and return the number of matching rows. */
	int update(Session session, Change change, @Nullable Object... values) throws SQLException {
		try (PreparedStatement statement = session.connection().prepareStatement(change.text())) {
			return run(session, statement, PreparedStatement::executeUpdate, values);
		}
	}

	/**
	 * Run a change that {@linkplain Dialect#returning returns} a number.
	 * @return the number, or {@code null} if no row was changed
	 */
	@Nullable Long number(Session session, Change change, @Nullable Object... values) throws SQLException {
		try (PreparedStatement statement = this.dialect.prepare(session.connection(), change.text())) {
			return this.<@Nullable Long>run(session, statement, this.dialect::run, values);
		}
	}

	/** Run a change that {@linkplain Dialect#returning returns} rows. */
	private <T> List<T> rows(Session session, Change change, RowMapper<T> mapper, Object... values)
			throws SQLException {
		try (PreparedStatement statement = session.connection().prepareStatement(change.text())) {
			return run(session, statement, (prepared) -> read(prepared, mapper), values);
		}
	}

	private <T extends @Nullable Object> T run(Session session, PreparedStatement statement, Execution<T> execution,
			@Nullable Object... values) throws SQLException {
		session.limitWaiting(this.dialect);
		bind(statement, values);
		this.dialect.bindWaiting(statement, values.length + 1, session.lockTimeout());
		return execution.run(statement);
	}

	/**
	 * Run several steps as one transaction, which the database ends if this process
	 * stalls in the middle of it.
	 * @return as {@link Session#inTransaction}
	 */
	<T extends @Nullable Object> T inTransaction(Session session, Session.Steps<T> steps) throws SQLException {
		String close = this.dialect.closeWhenIdle(this.settings.callTimeout());
		if (close != null) {
			session.changeOnce(close, this.dialect.keepWhenIdle());
		}
		return session.inTransaction(steps);
	}

	/** Run a query from its template. */
	<T> List<T> query(Session session, String template, RowMapper<T> mapper, @Nullable Object... values)
			throws SQLException {
		try (PreparedStatement statement = session.connection().prepareStatement(of(template))) {
			bind(statement, values);
			return read(statement, mapper);
		}
	}

	private static <T> List<T> read(PreparedStatement statement, RowMapper<T> mapper) throws SQLException {
		try (ResultSet rows = statement.executeQuery()) {
			return new RowMapperResultSetExtractor<>(mapper).extractData(rows);
		}
	}

	/**
	 * Extend leases by one statement. A second one is needed only if the database returns
	 * no rows and not all leases were extended.
	 * @param table table of the leases
	 * @param extend the assignments of the update, whose only parameter is the lease
	 * @param batch the grants and their new lease
	 * @param id name of the column with the row's id
	 * @return the owners whose leases were extended
	 */
	Set<String> extend(Session session, String table, String id, String extend, RenewalBatch batch)
			throws SQLException {
		int places = batch.places();
		String which = "%s IN (%s) AND (owner, grant_number) IN (%s) AND expires_at > {now}".formatted(id,
				repeat("?", places), repeat("(?, ?)", places));
		Change update = change("UPDATE %s SET %s WHERE ".formatted(table, extend) + which);
		List<Object> values = new ArrayList<>(batch.rows());
		values.addAll(batch.grants());
		List<Object> lease = new ArrayList<>(values);
		lease.add(0, micros(batch.lease()));
		RowMapper<String> owner = (rows, index) -> rows.getString(1);
		if (this.dialect.returnsRows()) {
			return new HashSet<>(rows(session, returning(update, "owner"), owner, lease.toArray()));
		}
		if (update(session, update, lease.toArray()) == batch.size()) {
			return batch.owners();
		}
		return new HashSet<>(
				query(session, "SELECT owner FROM %s WHERE ".formatted(table) + which, owner, values.toArray()));
	}

	static String repeat(String text, int times) {
		return String.join(", ", Collections.nCopies(times, text));
	}

	/** Return a duration of microseconds, zero for a negative number. */
	static Duration micros(long micros) {
		return Duration.of(Math.max(0, micros), ChronoUnit.MICROS);
	}

	static long micros(Duration duration) {
		return (duration.toNanos() + 999) / 1000;
	}

	private static void bind(PreparedStatement statement, @Nullable Object... values) throws SQLException {
		for (int i = 0; i < values.length; i++) {
			Object value = values[i];
			if (value instanceof byte[] bytes) {
				statement.setBytes(i + 1, bytes);
			}
			else if (value instanceof Number number) {
				statement.setLong(i + 1, number.longValue());
			}
			else {
				statement.setString(i + 1, (String) value);
			}
		}
	}

	/** Change that may wait for rows that other sessions have locked. */
	record Change(String text) {
	}

	/** Execution of a prepared change. */
	private interface Execution<T extends @Nullable Object> {

		T run(PreparedStatement statement) throws SQLException;

	}

}
