package io.leasehold.soak;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.leasehold.FencingGuard;
import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.transaction.CommitGuard;
import io.leasehold.transaction.JdbcFencingGuard;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.Assert;

/**
 * A resource that is written to under locks and guarded by their fencing tokens: it
 * remembers which writes it accepted, in their order, and what their writers had read.
 */
final class FencedLedger {

	static final String TABLE = """
			CREATE TABLE ledger (number BIGSERIAL PRIMARY KEY, engine TEXT NOT NULL, lock_key TEXT NOT NULL, token BIGINT NOT NULL, id UUID NOT NULL, read BIGINT NOT NULL)""";

	private static final String READ = "SELECT COALESCE(MAX(number), 0) FROM ledger WHERE engine = ? AND lock_key = ?";

	private static final String WRITE = "INSERT INTO ledger (engine, lock_key, token, id, read) VALUES (?, ?, ?, ?, ?)";

	private final DataSource dataSource;

	private final JdbcTemplate jdbc;

	private final FencingGuard guard;

	private final TransactionTemplate transaction;

	private final AtomicInteger writes = new AtomicInteger();

	/**
	 * Open the ledger.
	 * @param obeying whether writes are given up when the lock is lost: otherwise nothing
	 * but tokens stands between two writers
	 * @param last listeners that are called after the guard
	 */
	FencedLedger(DataSource dataSource, boolean obeying, TransactionExecutionListener... last) {
		JpaTransactionManager manager = manager(dataSource);
		CommitGuard.addTo(manager, obeying);
		List<TransactionExecutionListener> listeners = new ArrayList<>(manager.getTransactionExecutionListeners());
		listeners.addAll(List.of(last));
		manager.setTransactionExecutionListeners(listeners);
		this.dataSource = dataSource;
		this.jdbc = new JdbcTemplate(dataSource);
		this.guard = new JdbcFencingGuard(dataSource, Stores.NAMESPACE, Duration.ofDays(1));
		this.transaction = new TransactionTemplate(manager);
		this.transaction.setTimeout(3600);
	}

	private static JpaTransactionManager manager(DataSource dataSource) {
		LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
		factory.setDataSource(dataSource);
		factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
		factory.setPersistenceUnitName("ledger");
		factory.setPackagesToScan("io.leasehold.soak.none");
		factory.afterPropertiesSet();
		JpaTransactionManager manager = new JpaTransactionManager(Objects.requireNonNull(factory.getObject()));
		manager.afterPropertiesSet();
		return manager;
	}

	/**
	 * Read the last write and write another one, under a lock. The transaction of every
	 * third write runs out of time before its commit, which it then tries all the same.
	 * @param lock the lock
	 * @param id of this write alone
	 * @return whether it was committed: otherwise its transaction ran out of time
	 * @throws io.leasehold.StaleFencingTokenException if a later owner has written
	 * @throws io.leasehold.LockException if the lock is lost or in doubt, for those who
	 * obey
	 */
	@SuppressWarnings("try")
	boolean write(HeldLock lock, UUID id) {
		boolean late = this.writes.incrementAndGet() % 3 == 0;
		try (HeldLockScope scope = this.guard.open(lock)) {
			Long read = this.jdbc.queryForObject(READ, Long.class, lock.engine(), lock.key());
			this.transaction.executeWithoutResult((status) -> {
				this.jdbc.update(WRITE, lock.engine(), lock.key(), lock.fencingToken(), id, read);
				if (late) {
					TransactionSynchronizationManager.registerSynchronization(new Late());
				}
			});
			Assert.state(!late, "A write that ran out of time was committed");
			return true;
		}
		catch (TransactionTimedOutException ex) {
			Assert.state(late, "A write ran out of time by itself");
			return false;
		}
	}

	/** Uses the connection when the transaction has no time left. */
	private final class Late implements TransactionSynchronization {

		@Override
		public void beforeCommit(boolean readOnly) {
			ConnectionHolder holder = (ConnectionHolder) Objects
				.requireNonNull(TransactionSynchronizationManager.getResource(FencedLedger.this.dataSource));
			holder.setTimeoutInMillis(-1);
			FencedLedger.this.jdbc.execute("SELECT 1");
		}

	}

}
