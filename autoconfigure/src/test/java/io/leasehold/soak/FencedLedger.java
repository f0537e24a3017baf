package io.leasehold.soak;

import java.time.Duration;

import javax.sql.DataSource;

import io.leasehold.FencingGuard;
import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.transaction.CommitGuard;
import io.leasehold.transaction.JdbcFencingGuard;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A resource that is written to under locks and guarded by their fencing tokens: it
 * remembers which writes it accepted, in their order.
 */
final class FencedLedger {

	static final String TABLE = """
			CREATE TABLE ledger (number BIGSERIAL PRIMARY KEY, engine TEXT NOT NULL, lock_key TEXT NOT NULL, token BIGINT NOT NULL)""";

	private static final String WRITE = "INSERT INTO ledger (engine, lock_key, token) VALUES (?, ?, ?)";

	private final JdbcTemplate jdbc;

	private final FencingGuard guard;

	private final TransactionTemplate transaction;

	/**
	 * Open the ledger.
	 * @param obeying whether writes are given up when the lock is lost: otherwise nothing
	 * but tokens stands between two writers
	 */
	FencedLedger(DataSource dataSource, boolean obeying) {
		DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
		CommitGuard.addTo(manager, obeying);
		this.jdbc = new JdbcTemplate(dataSource);
		this.guard = new JdbcFencingGuard(dataSource, Stores.NAMESPACE, Duration.ofDays(1));
		this.transaction = new TransactionTemplate(manager);
	}

	/**
	 * Write under a lock.
	 * @throws io.leasehold.StaleFencingTokenException if a later owner has written
	 * @throws io.leasehold.LockException if the lock is lost or in doubt, for those who
	 * obey
	 */
	@SuppressWarnings("try")
	void write(HeldLock lock) {
		try (HeldLockScope scope = this.guard.open(lock)) {
			this.transaction.executeWithoutResult(
					(status) -> this.jdbc.update(WRITE, lock.engine(), lock.key(), lock.fencingToken()));
		}
	}

}
