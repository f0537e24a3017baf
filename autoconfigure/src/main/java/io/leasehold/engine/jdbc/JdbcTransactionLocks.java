package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.Set;

import javax.sql.DataSource;

import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockModeException;
import io.leasehold.engine.Access;
import io.leasehold.engine.TransactionLocks;
import io.leasehold.engine.jdbc.ConnectionLocks.Result;
import io.leasehold.engine.support.Actions;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Locks on the connection of the caller's transaction. Missing rows are committed by the
 * engine's own connections. Thread-safe.
 */
final class JdbcTransactionLocks implements TransactionLocks {

	/** Deadlock in MySQL and MariaDB, and in H2. MySQL's timeout has the same state. */
	private static final Set<Integer> DEADLOCK = Set.of(1213, 40001);

	/** SQL state of a deadlock in PostgreSQL. */
	private static final String POSTGRES_DEADLOCK = "40P01";

	private static final String NONE = "the dialect of its database has no locks in transactions";

	/** Maximum number of rounds if the row of a key is removed while it is requested. */
	private static final int MOST_ROUNDS = 3;

	private final LockDatabase database;

	private final JdbcSettings settings;

	private final @Nullable DataSource application;

	/**
	 * Create locks.
	 * @param application data source of the callers' transactions in the same database,
	 * or {@code null} if there is none
	 */
	JdbcTransactionLocks(LockDatabase database, JdbcSettings settings, @Nullable DataSource application) {
		this.database = database;
		this.settings = settings;
		this.application = (application != null) ? JdbcConnections.target(application) : null;
	}

	@Override
	public @Nullable String unsupported(Access access) {
		if (this.application == null) {
			return "its tables are not in the database of the application's only or primary DataSource";
		}
		LockTables tables = this.database.tables();
		if (tables == null) {
			return null;
		}
		ConnectionLocks locks = tables.inTransactions();
		return (locks != null) ? locks.unsupported(access.equals(Access.SHARED)) : NONE;
	}

	@Override
	public @Nullable Object resource() {
		return this.application;
	}

	@Override
	public boolean mustRollBack() {
		OpenTransaction transaction = OpenTransaction.find(this);
		return transaction != null && transaction.hasFailed();
	}

	@Override
	public Outcome acquire(LockKey key, Access access, Duration wait) {
		String unsupported = unsupported(access);
		if (this.application == null || unsupported != null) {
			return new Outcome.Refused(String.valueOf(unsupported));
		}
		if (!(TransactionSynchronizationManager.getResource(this.application) instanceof ConnectionHolder holder)) {
			return otherTransaction();
		}
		OpenTransaction transaction = OpenTransaction.current(this);
		if (transaction.hasFailed()) {
			return new Outcome.Refused("an earlier request for a lock has failed, and it can only roll back");
		}
		Access held = transaction.held(key);
		if (held != null && !held.covers(access)) {
			throw new LockModeException(key,
					"Lock '%s' is requested as %s, but its transaction holds it as %s (engine: %s)".formatted(key,
							access, held, JdbcLockEngine.NAME));
		}
		Connection connection = DataSourceUtils.getConnection(this.application);
		try {
			return acquire(transaction, connection, key, access, bounded(wait, holder));
		}
		catch (SQLException ex) {
			return failed(transaction, key, ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.application);
		}
	}

	private Outcome acquire(OpenTransaction transaction, Connection connection, LockKey key, Access access,
			Duration wait) throws SQLException {
		if (connection.getAutoCommit()) {
			return otherTransaction();
		}
		return switch (request(connection, key, access, wait)) {
			case GRANTED -> {
				boolean reentered = transaction.held(key) != null;
				transaction.hold(key, access);
				yield new Outcome.Granted(reentered);
			}
			case BUSY -> new Outcome.Busy();
			case STALE -> new Outcome.Refused(
					"its isolation level hides what the former holder has committed. READ COMMITTED is required");
			case READ_ONLY -> new Outcome.Refused(
					"its server is read-only, as a replica, whose locks do not exclude those of the primary");
			case MISSING -> throw new LockEngineException(key,
					"The row of lock '%s' is removed repeatedly (engine: %s)".formatted(key, JdbcLockEngine.NAME),
					null);
		};
	}

	private Result request(Connection connection, LockKey key, Access access, Duration wait) throws SQLException {
		RowId id = RowId.inTransactions(this.settings.namespace(), key);
		Result result = Result.MISSING;
		for (int i = 0; i < MOST_ROUNDS && result == Result.MISSING; i++) {
			result = locks(key, id).acquire(connection, id, access.equals(Access.SHARED), wait);
		}
		return result;
	}

	/** Return the locks of the database, in which the row of the key exists. */
	private ConnectionLocks locks(LockKey key, RowId id) throws SQLException {
		LockTables known = this.database.tables();
		ConnectionLocks locks = (known != null) ? known.inTransactions() : null;
		if (locks == null || locks.needRows()) {
			locks = this.database.<@Nullable ConnectionLocks>call(CallKind.ACQUIRE, "create the row of", key,
					(session, tables) -> {
						if (tables.inTransactions() != null && tables.inTransactions().needRows()) {
							tables.rows().insertMissing(session, id, key);
						}
						return tables.inTransactions();
					});
		}
		if (locks == null) {
			throw new SQLFeatureNotSupportedException(NONE, "0A000");
		}
		return locks;
	}

	/** Limit a wait to the time that the transaction has left. */
	private static Duration bounded(Duration wait, ConnectionHolder holder) {
		if (!holder.hasTimeout()) {
			return wait;
		}
		Duration left = Duration.ofMillis(holder.getTimeToLiveInMillis());
		return (wait.compareTo(left) < 0) ? wait : left;
	}

	private static Outcome otherTransaction() {
		return new Outcome.Refused("it is not a transaction of the application's DataSource");
	}

	private Outcome failed(OpenTransaction transaction, LockKey key, SQLException failure) {
		String state = String.valueOf(failure.getSQLState());
		if (Failures.isReadOnly(failure)) {
			return new Outcome.Refused("it is read-only, in which its database locks no rows");
		}
		if (state.equals(POSTGRES_DEADLOCK) || DEADLOCK.contains(failure.getErrorCode())) {
			LockBusyException deadlock = new LockBusyException(key,
					"Lock '%s' could not be acquired: the database detected a deadlock, and the transaction is rolled back (engine: %s)"
						.formatted(key, JdbcLockEngine.NAME),
					Duration.ZERO);
			deadlock.addSuppressed(failure);
			transaction.fail(deadlock);
			throw deadlock;
		}
		LockEngineException broken = this.database.failure(Actions.of("acquire", key) + " in a transaction", key,
				failure);
		transaction.fail(broken);
		throw broken;
	}

}
