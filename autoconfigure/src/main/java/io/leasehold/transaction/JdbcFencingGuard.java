package io.leasehold.transaction;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.leasehold.FencingGuard;
import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockKey;
import io.leasehold.engine.support.Purge;

import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.TransactionExecution;

/**
 * Fencing guard that stores announced tokens in a table of the application's database,
 * one row per lock. A comparison at commit alone would lose updates: a stale owner could
 * commit between its successor's read and write. Thread-safe.
 */
public final class JdbcFencingGuard implements FencingGuard {

	/**
	 * Longest wait for a row. A stale owner holds the row while it rolls back. A longer
	 * holder may wait for this thread, a deadlock that no database detects.
	 */
	private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(10);

	private final JdbcOperations jdbc;

	private final FenceConnections connections;

	private final FenceTable table;

	private final String namespace;

	private final Purge purge;

	private final Supplier<? extends Collection<String>> unguarded;

	/**
	 * Create a guard.
	 * @param dataSource the application's database, whose transactions are guarded
	 * @param namespace namespace of the application's locks
	 * @param retention how long the tokens of idle locks are kept
	 * @param guards registrar of the application's transaction managers
	 */
	public JdbcFencingGuard(DataSource dataSource, String namespace, Duration retention, CommitGuards guards) {
		this(dataSource, namespace, retention, LOCK_TIMEOUT, guards::guardAll);
	}

	/** Create a guard for transaction managers that have a {@link CommitGuard}. */
	public JdbcFencingGuard(DataSource dataSource, String namespace, Duration retention) {
		this(dataSource, namespace, retention, LOCK_TIMEOUT, List::of);
	}

	JdbcFencingGuard(DataSource dataSource, String namespace, Duration retention, Duration lockTimeout,
			Supplier<? extends Collection<String>> unguarded) {
		DataSource target = target(dataSource);
		this.jdbc = new JdbcTemplate(target);
		this.connections = new FenceConnections(target);
		this.table = new FenceTable(lockTimeout);
		this.namespace = namespace;
		this.unguarded = unguarded;
		this.purge = new Purge("leasehold-fence-purge", Duration.ZERO, () -> purge(retention));
	}

	/** Return the target of a proxy, which a transaction manager unwraps as well. */
	private static DataSource target(DataSource dataSource) {
		return (dataSource instanceof TransactionAwareDataSourceProxy proxy)
				? Objects.requireNonNull(proxy.getTargetDataSource()) : dataSource;
	}

	/**
	 * Check that the table exists and has the required columns.
	 * @throws org.springframework.dao.DataAccessException if it does not
	 */
	public void check() {
		this.jdbc.queryForList(FenceTable.CHECK);
	}

	@Override
	public HeldLockScope open(HeldLock lock) {
		for (String manager : this.unguarded.get()) {
			throw new IllegalStateException(
					"Lock '%s' cannot be fenced: transaction manager '%s' does not support listeners, so a stale owner could commit. Let it implement ConfigurableTransactionManager, or remove it"
						.formatted(LockKey.readable(lock.key()), manager));
		}
		if (this.connections.isTransactionOpen()) {
			throw Fence.openBefore(lock);
		}
		List<Fence> fences = Fence.allOf(lock, this.namespace);
		fences.forEach(
				(fence) -> this.connections.withOwn("Announce the fencing token of lock '%s'".formatted(fence.key()),
						(connection) -> this.table.announce(fence, connection)));
		this.purge.runIfDue();
		return HeldLockScope.open(lock, (transaction) -> fences.forEach((fence) -> compare(fence, transaction)),
				this.connections.undoingWhatJoins());
	}

	/** Delete tokens announced before the retention, and return their number. */
	int purge(Duration retention) {
		AtomicInteger removed = new AtomicInteger();
		this.connections.withOwn("Remove idle fencing tokens",
				(connection) -> removed.set(this.table.removeIdle(connection, retention)));
		return removed.get();
	}

	private void compare(Fence fence, Object transaction) {
		if (!this.connections.isCommittedBy(transaction)) {
			throw fence.otherDatabase();
		}
		boolean readOnly = ((TransactionExecution) transaction).isReadOnly();
		this.connections.withBound("Compare the fencing token of lock '%s'".formatted(fence.key()), (connection) -> {
			if (readOnly) {
				this.table.compareReadOnly(fence, connection);
			}
			else {
				this.table.compare(fence, connection);
			}
		});
	}

}
