package io.leasehold.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import javax.sql.DataSource;

import io.leasehold.FencingGuard;
import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.StaleFencingTokenException;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Keeps announced fencing tokens in a table of the application's own database, one row a
 * lock. Comparing a token at commit alone would lose updates: a stale owner could commit
 * between its successor's read and write. Thread-safe.
 */
public final class JdbcFencingGuard implements FencingGuard {

	private static final String RAISE = """
			UPDATE leasehold_fence SET token = ?, announced_at = CURRENT_TIMESTAMP WHERE id = ? AND token <= ?""";

	private static final String INSERT = """
			INSERT INTO leasehold_fence (id, engine, namespace, lock_key, token, announced_at)
			VALUES (?, ?, ?, ?, ?, CURRENT_TIMESTAMP)""";

	/** Sees what was committed last, in whatever isolation. */
	private static final String READ = "SELECT token FROM leasehold_fence WHERE id = ? FOR UPDATE";

	private static final String PURGE = "DELETE FROM leasehold_fence WHERE announced_at < ?";

	private final DataSource dataSource;

	private final JdbcOperations jdbc;

	private final String namespace;

	private final FencePurge purge;

	/**
	 * Create a guard.
	 * @param dataSource the application's database, whose transactions are guarded
	 * @param namespace namespace of the application's locks
	 * @param retention how long the tokens of idle locks are remembered
	 */
	public JdbcFencingGuard(DataSource dataSource, String namespace, Duration retention) {
		this.dataSource = dataSource;
		this.jdbc = new JdbcTemplate(dataSource);
		this.namespace = namespace;
		this.purge = new FencePurge(() -> purge(retention));
	}

	/**
	 * Look whether the table is there, as it has to be.
	 * @throws org.springframework.dao.DataAccessException if it is not, or does not fit
	 */
	public void check() {
		this.jdbc.queryForList("SELECT id, engine, namespace, lock_key, token, announced_at FROM leasehold_fence"
				+ " WHERE token < 0");
	}

	@Override
	public HeldLockScope open(HeldLock lock) {
		if (TransactionSynchronizationManager.isActualTransactionActive()) {
			throw new IllegalTransactionStateException(
					"Lock '%s' cannot be fenced in a transaction that was open before: what that has read may be stale. Take the lock first, then begin the transaction"
						.formatted(lock.key()));
		}
		List<Fence> fences = lock.parts().stream().map((part) -> Fence.of(part, this.namespace)).toList();
		fences.forEach(
				(fence) -> this.jdbc.execute((ConnectionCallback<Fence>) (connection) -> announce(fence, connection)));
		this.purge.runNowAndThen();
		return HeldLockScope.open(lock, () -> fences.forEach(this::compare));
	}

	/** Forget tokens that were announced long ago, by the database's clock. */
	int purge(Duration retention) {
		Timestamp now = this.jdbc.queryForObject("SELECT CURRENT_TIMESTAMP", Timestamp.class);
		return this.jdbc.update(PURGE, Timestamp.from(Objects.requireNonNull(now).toInstant().minus(retention)));
	}

	/**
	 * Another owner may insert the row at the same moment; then there is one to raise.
	 */
	private static Fence announce(Fence fence, Connection connection) throws SQLException {
		JdbcOperations own = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
		while (own.update(RAISE, fence.token(), fence.id(), fence.token()) == 0) {
			Long known = token(own, fence);
			if (known != null && known > fence.token()) {
				throw stale(fence, "a later owner has announced token " + known);
			}
			if (known == null && insert(own, fence, connection)) {
				break;
			}
		}
		if (!connection.getAutoCommit()) {
			connection.commit();
		}
		return fence;
	}

	private static boolean insert(JdbcOperations own, Fence fence, Connection connection) throws SQLException {
		try {
			own.update(INSERT, fence.id(), fence.engine(), fence.namespace(), fence.key().readable(), fence.token());
			return true;
		}
		catch (DuplicateKeyException ex) {
			if (!connection.getAutoCommit()) {
				connection.rollback();
			}
			return false;
		}
	}

	/**
	 * The row stays locked to the end of the transaction, so nobody raises it meanwhile.
	 */
	private void compare(Fence fence) {
		if (!TransactionSynchronizationManager.hasResource(this.dataSource)) {
			throw new IllegalTransactionStateException(
					"Lock '%s' is fenced in a database that takes no part in this transaction".formatted(fence.key()));
		}
		Long known = token(this.jdbc, fence);
		if (known == null) {
			throw stale(fence, "it was announced, but is not there any more");
		}
		if (known != fence.token()) {
			throw stale(fence, "the announced token is %d by now".formatted(known));
		}
	}

	private static @Nullable Long token(JdbcOperations jdbc, Fence fence) {
		List<Long> tokens = jdbc.queryForList(READ, Long.class, fence.id());
		return tokens.isEmpty() ? null : tokens.get(0);
	}

	private static StaleFencingTokenException stale(Fence fence, String found) {
		return new StaleFencingTokenException(fence.key().value(), fence.token(),
				"Token %d of lock '%s' is stale: %s (engine: %s)".formatted(fence.token(), fence.key(), found,
						fence.engine()));
	}

}
