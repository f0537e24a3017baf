package io.leasehold.engine.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.RowMapper;

/**
 * Makes statements for the tables of one database, and runs them. In a template,
 * <code>{table}</code> and <code>{holders}</code> are the names of the tables,
 * <code>{now}</code> is the database's clock, and <code>{where}</code> begins the
 * condition of an update that may have to wait for a row.
 */
final class Sql {

	private final Dialect dialect;

	private final JdbcSettings settings;

	Sql(Dialect dialect, JdbcSettings settings) {
		this.dialect = dialect;
		this.settings = settings;
	}

	Dialect dialect() {
		return this.dialect;
	}

	String of(String template) {
		return template.replace("{table}", this.settings.table())
			.replace("{holders}", this.settings.holders())
			.replace("{now}", this.dialect.now())
			.replace("{where}", this.dialect.where(Dialect.lockTimeout(this.settings.callTimeout())));
	}

	/**
	 * An update that frees a row now, returns for how many microseconds somebody is known
	 * to wait for it, and tells them.
	 * @param update template of the update, with a place for the summand after which the
	 * last assigned expression ends
	 */
	String freeing(String update) {
		String marked = "GREATEST(waited_until - expires_at, 0)";
		String channel = this.settings.channel();
		return of(this.dialect.returning(update.formatted(this.dialect.aside("GREATEST(waited_until - {now}, 0)")),
				(channel != null) ? this.dialect.notifying(marked, channel) : marked));
	}

	/**
	 * Run a change.
	 * @return how many rows it met
	 */
	int update(Session session, String sql, @Nullable Object... values) throws SQLException {
		try (PreparedStatement statement = session.connection().prepareStatement(sql)) {
			bind(statement, values);
			return statement.executeUpdate();
		}
	}

	/**
	 * Run a change that {@linkplain Dialect#returning returns} a number.
	 * @return the number, or {@code null} if no row was changed
	 */
	@Nullable Long number(Session session, String sql, @Nullable Object... values) throws SQLException {
		try (PreparedStatement statement = this.dialect.prepare(session.connection(), sql)) {
			bind(statement, values);
			return this.dialect.run(statement);
		}
	}

	<T> List<T> query(Session session, String sql, RowMapper<T> mapper, @Nullable Object... values)
			throws SQLException {
		try (PreparedStatement statement = session.connection().prepareStatement(sql)) {
			bind(statement, values);
			try (ResultSet rows = statement.executeQuery()) {
				List<T> result = new ArrayList<>();
				while (rows.next()) {
					result.add(mapper.mapRow(rows, result.size()));
				}
				return result;
			}
		}
	}

	/**
	 * Extend leases, all by one statement; the rest needs another one only where the
	 * database tells no more than how many rows were changed.
	 * @param table where the leases are
	 * @param extend the assignments of the update, whose only value is the lease
	 * @param batch whose leases, and for how long
	 * @param id name of the column with the row
	 * @return the owners whose leases were extended
	 */
	Set<String> extend(Session session, String table, String id, String extend, RenewalBatch batch)
			throws SQLException {
		int places = batch.places();
		String which = of("%s IN (%s) AND (owner, grant_number) IN (%s) AND expires_at > {now}".formatted(id,
				repeat("?", places), repeat("(?, ?)", places)));
		String update = of("UPDATE %s SET %s {where} ".formatted(table, extend)) + which;
		List<Object> values = new ArrayList<>(batch.rows());
		values.addAll(batch.grants());
		List<Object> lease = new ArrayList<>(values);
		lease.add(0, micros(batch.lease()));
		RowMapper<String> owner = (rows, index) -> rows.getString(1);
		if (this.dialect.returnsRows()) {
			return new HashSet<>(query(session, this.dialect.returning(update, "owner"), owner, lease.toArray()));
		}
		if (update(session, update, lease.toArray()) == batch.size()) {
			return batch.owners();
		}
		return new HashSet<>(
				query(session, of("SELECT owner FROM %s WHERE ".formatted(table)) + which, owner, values.toArray()));
	}

	static String repeat(String text, int times) {
		return String.join(", ", Collections.nCopies(times, text));
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

}
