package io.leasehold.transaction;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import javax.sql.DataSource;
import javax.sql.XADataSource;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.internal.arjuna.objectstore.VolatileStore;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import io.leasehold.HeldLockScope;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.test.contract.Fault;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Transactions of a JTA manager under a lock. The manager is Narayana, which keeps its
 * log in memory here.
 */
abstract class JtaContract {

	static {
		Stream
			.of(BeanPopulator.getDefaultInstance(ObjectStoreEnvironmentBean.class),
					BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, "communicationStore"),
					BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, "stateStore"))
			.forEach((log) -> log.setObjectStoreType(VolatileStore.class.getName()));
	}

	/** Return Spring's manager of Narayana's transactions. */
	static JtaTransactionManager narayana() {
		return new JtaTransactionManager(com.arjuna.ats.jta.UserTransaction.userTransaction(),
				com.arjuna.ats.jta.TransactionManager.transactionManager());
	}

	private final TransactionManager jta = com.arjuna.ats.jta.TransactionManager.transactionManager();

	private final JtaTransactionManager manager = new JtaTransactionManager(
			com.arjuna.ats.jta.UserTransaction.userTransaction(), this.jta);

	private final XADataSource database = xaDataSource();

	private final EnlistedDataSource enlisted = new EnlistedDataSource(this.database, this.jta);

	private final JdbcTemplate jdbc = new JdbcTemplate(this.enlisted);

	private final JdbcTemplate observer = new JdbcTemplate(observing(this.database));

	private final JdbcFencingGuard guard = new JdbcFencingGuard(this.enlisted, "test", Duration.ofDays(7));

	/** Create the database where the application keeps its data. */
	abstract XADataSource xaDataSource();

	/** Return the same database for use outside of JTA. */
	abstract DataSource observing(XADataSource database);

	/** Name of the script that creates the fence table. */
	abstract String platform();

	@BeforeEach
	void createTables() {
		this.observer.execute("DROP TABLE IF EXISTS stock");
		this.observer.execute("CREATE TABLE stock (units INT NOT NULL)");
		this.observer.update("INSERT INTO stock VALUES (10)");
		this.observer.execute("DROP TABLE IF EXISTS leasehold_fence");
		new ResourceDatabasePopulator(new ClassPathResource(
				"io/leasehold/transaction/migration/%s/R__leasehold_fence.sql".formatted(platform())))
			.execute(Objects.requireNonNull(this.observer.getDataSource()));
		CommitGuard.addTo(this.manager, true);
	}

	@AfterEach
	void endTransaction() throws Exception {
		if (this.jta.getStatus() != Status.STATUS_NO_TRANSACTION) {
			this.jta.rollback();
		}
	}

	@ParameterizedTest
	@EnumSource
	@Fault(97)
	void failureBeforeTheCommitRollsBack(RollbackContract.Place place) {
		for (RollbackContract.Failure failure : RollbackContract.Failure.values()) {
			for (boolean rollbackOnCommitFailure : new boolean[] { false, true }) {
				JtaTransactionManager manager = new JtaTransactionManager(this.manager.getUserTransaction(), this.jta);
				manager.setRollbackOnCommitFailure(rollbackOnCommitFailure);
				assertThatCode(() -> {
					RollbackContract.fail(manager, place, failure, () -> setStock(9));
					assertStockIs(10);
				}).as("%s, rollbackOnCommitFailure = %s", failure, rollbackOnCommitFailure).doesNotThrowAnyException();
			}
		}
	}

	@Test
	void lockedTransactionCommits() throws Exception {
		RollbackContract.under(this::sell);
		assertStockIs(9);
	}

	@Test
	@Fault(99)
	void fencedTransactionIsRolledBack() throws Exception {
		fenced(() -> assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this::sell)
			.withMessageContaining("Lock 'stock' is fenced in a database that takes no part in this transaction"));
		assertStockIs(10);
	}

	@Test
	void fencedMethodInAnOpenTransactionIsRefused() throws Exception {
		new TransactionTemplate(this.manager)
			.executeWithoutResult((status) -> assertThatExceptionOfType(IllegalStateException.class)
				.isThrownBy(() -> fenced(() -> setStock(9)))
				.withMessageContaining("cannot be fenced in a transaction that was open before"));
	}

	/** The database, not Spring, knows that the announcement would not commit. */
	@Test
	void fencedMethodInATransactionUnknownToSpringIsRefused() throws Exception {
		this.jta.begin();
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> fenced(() -> setStock(9)))
			.withMessageContaining("Announce the fencing token of lock 'stock'");
		this.jta.commit();
		assertStockIs(10);
	}

	@ParameterizedTest
	@EnumSource
	void transactionThatJtaEndsLeavesNothing(End end) throws Exception {
		RollbackContract.under(() -> assertThatExceptionOfType(UnexpectedRollbackException.class)
			.isThrownBy(() -> new TransactionTemplate(this.manager).executeWithoutResult((status) -> {
				setStock(9);
				end.accept(this.jta);
			})));
		assertStockIs(10);
	}

	/** JTA, not Spring, ends a transaction that Spring has joined. */
	@Test
	void releaseWaitsForTheEndOfAJoinedTransaction() throws Exception {
		TransactionalReleaseTiming timing = new TransactionalReleaseTiming(true);
		List<Integer> seen = new ArrayList<>();
		this.jta.begin();
		new TransactionTemplate(this.manager).executeWithoutResult((status) -> {
			ReleaseTiming.Releases releases = timing.releases();
			setStock(9);
			releases.execute(() -> seen.add(observed()));
		});
		assertThat(seen).isEmpty();
		this.jta.commit();
		assertThat(seen).containsExactly(9);
		assertStockIs(9);
	}

	private void sell() {
		new TransactionTemplate(this.manager)
			.executeWithoutResult((status) -> this.jdbc.update("UPDATE stock SET units = units - 1"));
	}

	private void setStock(int units) {
		this.jdbc.update("UPDATE stock SET units = ?", units);
	}

	private int observed() {
		return Objects.requireNonNull(this.observer.queryForObject("SELECT units FROM stock", Integer.class));
	}

	/** Assert what others see, and that the thread has let go of everything. */
	private void assertStockIs(int units) throws Exception {
		assertThat(this.jta.getStatus()).isEqualTo(Status.STATUS_NO_TRANSACTION);
		assertThat(observed()).isEqualTo(units);
		// Not at once: the guard purges its table in the background
		await().until(() -> this.enlisted.open() == 0);
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
	}

	@SuppressWarnings("try")
	private void fenced(Runnable body) {
		try (HeldLockScope scope = this.guard.open(BelievedLock.of(1))) {
			body.run();
		}
	}

	enum End {

		MARKED {

			@Override
			void end(TransactionManager jta) throws SystemException {
				jta.setRollbackOnly();
			}

		},

		ROLLED_BACK {

			@Override
			void end(TransactionManager jta) throws SystemException {
				jta.rollback();
			}

		};

		abstract void end(TransactionManager jta) throws SystemException;

		void accept(TransactionManager jta) {
			try {
				end(jta);
			}
			catch (SystemException ex) {
				throw new AssertionError(ex);
			}
		}

	}

}
