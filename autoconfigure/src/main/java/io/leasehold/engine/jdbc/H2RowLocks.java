package io.leasehold.engine.jdbc;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Row locks of H2, which are exclusive.
 */
final class H2RowLocks extends RowLocks {

	private static final int TIMEOUT = 50200;

	H2RowLocks(String table) {
		super(table, "0");
	}

	@Override
	public @Nullable String unsupported(boolean shared) {
		return shared ? "H2 has no shared row locks" : null;
	}

	@Override
	public Result acquire(Connection connection, RowId id, boolean shared, Duration wait) throws SQLException {
		boolean current = connection.getTransactionIsolation() <= Connection.TRANSACTION_READ_COMMITTED;
		return current ? request(connection, id, shared, wait) : Result.STALE;
	}

	@Override
	String locking(boolean shared, Duration wait) {
		if (wait.isZero()) {
			return "FOR UPDATE NOWAIT";
		}
		long millis = Math.min(wait.plusNanos(999_999).toMillis(), Integer.MAX_VALUE);
		return "FOR UPDATE WAIT " + BigDecimal.valueOf(millis, 3);
	}

	@Override
	boolean isTimeout(Connection connection, SQLException failure) {
		return failure.getErrorCode() == TIMEOUT;
	}

}
