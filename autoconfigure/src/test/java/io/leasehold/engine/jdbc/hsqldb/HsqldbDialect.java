package io.leasehold.engine.jdbc.hsqldb;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

import io.leasehold.engine.jdbc.Dialect;
import org.jspecify.annotations.Nullable;

/**
 * Dialect of HSQLDB with {@code hsqldb.tx=mvcc}: an example of one that is not built in.
 * A changed row returns its columns as generated keys.
 */
public class HsqldbDialect extends Dialect {

	private static final int DUPLICATE_KEY = -104;

	private static final String WAITED_UNTIL = "WAITED_UNTIL";

	private static final String EXPIRES_AT = "EXPIRES_AT";

	/** Mark of a statement that returns how long a claim waits. */
	private static final String WAITED = " /* waited */";

	@Override
	protected String name() {
		return "HSQLDB";
	}

	@Override
	protected boolean supports(DatabaseMetaData database) throws SQLException {
		return database.getDatabaseProductName().equals("HSQL Database Engine");
	}

	@Override
	protected String platform() {
		return "hsqldb";
	}

	@Override
	protected String now() {
		return "(UNIX_MILLIS() * 1000)";
	}

	@Override
	protected String query(String expression) {
		return "VALUES " + expression;
	}

	@Override
	protected String skippingLocked(String query) {
		return query;
	}

	@Override
	protected boolean returnsRows() {
		return false;
	}

	@Override
	protected String returning(String update, String expression) {
		return expression.equals("grant_number") ? update : update + WAITED;
	}

	@Override
	protected String insert(String table, String columns, String values, String condition) {
		return "INSERT INTO %s (id, %s) SELECT ?, %s FROM (VALUES 0) WHERE %s".formatted(table, columns, values,
				condition);
	}

	@Override
	protected boolean isInsertedMeanwhile(SQLException failure) {
		return failure.getErrorCode() == DUPLICATE_KEY;
	}

	@Override
	protected PreparedStatement prepare(Connection connection, String sql) throws SQLException {
		String[] columns = sql.endsWith(WAITED) ? new String[] { WAITED_UNTIL, EXPIRES_AT }
				: new String[] { "GRANT_NUMBER" };
		return connection.prepareStatement(sql, columns);
	}

	@Override
	protected @Nullable Long run(PreparedStatement statement) throws SQLException {
		if (statement.executeUpdate() == 0) {
			return null;
		}
		try (ResultSet row = statement.getGeneratedKeys()) {
			row.next();
			return (row.getMetaData().getColumnCount() == 1) ? row.getLong(1)
					: Math.max(0, row.getLong(WAITED_UNTIL) - row.getLong(EXPIRES_AT));
		}
	}

}
