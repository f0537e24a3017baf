package io.leasehold.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.leasehold.HeldLockScope;
import io.leasehold.StaleFencingTokenException;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DataAccessException;
import org.springframework.data.transaction.ChainedTransactionManager;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * What a {@link JdbcFencingGuard} guarantees in the transactions of a fenced method.
 */
abstract class FencedTransactionContract extends StockFixture {

	private final JdbcFencingGuard guard = new JdbcFencingGuard(this.pool, "test", Duration.ofDays(7));

	/** Name of the script that creates the table. */
	abstract String platform();

	@BeforeEach
	void createFences() {
		this.observer.execute("DROP TABLE IF EXISTS leasehold_fence");
		new ResourceDatabasePopulator(new ClassPathResource(
				"io/leasehold/transaction/migration/%s/R__leasehold_fence.sql".formatted(platform())))
			.execute(this.database);
	}

	/**
	 * The successor's update survives, although the former owner's transaction has run
	 * out of time when the tokens are compared.
	 */
	@ParameterizedTest
	@EnumSource(names = { "JDBC", "JPA" })
	@Fault(98)
	void formerOwnerWhoseTransactionTimedOutChangesNothing(TransactionKind kind) {
		TransactionTemplate transaction = transaction(kind.manager(this.pool));
		transaction.setTimeout(3600);
		under(1, () -> assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> transaction.executeWithoutResult((status) -> {
				int seen = stock();
				inOtherThread(() -> under(2, () -> sell(kind.manager(this.pool))));
				setStock(seen - 5);
				expire();
			})));
		assertStockIs(9);
	}

	/** Spring leaves it to the statements whether a transaction is late. */
	@ParameterizedTest
	@EnumSource(names = { "JDBC", "JPA" })
	@Fault(98)
	void comparisonDoesNotNeedTheTimeOfTheTransaction(TransactionKind kind) {
		TransactionTemplate transaction = transaction(kind.manager(this.pool));
		transaction.setTimeout(3600);
		under(1, () -> transaction.executeWithoutResult((status) -> {
			setStock(9);
			expire();
		}));
		assertStockIs(9);
	}

	@ParameterizedTest
	@EnumSource(names = { "JDBC", "JPA" })
	@Fault(99)
	void transactionOfAnotherDatabaseIsRolledBack(TransactionKind kind) {
		DelegatingDataSource other = new DelegatingDataSource(this.pool);
		under(1, () -> assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> transaction(kind.manager(other)).executeWithoutResult((status) -> sell(other)))
			.withMessageContaining("Lock 'stock' is fenced in a database that takes no part in this transaction"));
		assertStockIs(10);
	}

	/** The manager of managers has no guard, the managers in it have. */
	@ParameterizedTest
	@EnumSource(names = { "JDBC", "JPA" })
	@Fault(99)
	@SuppressWarnings("deprecation")
	void chainedTransactionIsRolledBack(TransactionKind kind) {
		AbstractPlatformTransactionManager first = kind.manager(this.pool);
		AbstractPlatformTransactionManager second = kind.manager(new DelegatingDataSource(this.pool));
		CommitGuard.addTo(first, true);
		CommitGuard.addTo(second, true);
		TransactionTemplate chained = new TransactionTemplate(new ChainedTransactionManager(first, second));
		under(1, () -> assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> chained.executeWithoutResult((status) -> setStock(5))));
		assertStockIs(10);
	}

	/**
	 * Compared on the outer transaction's connection, the row would be locked by it, and
	 * the next transaction of the same thread would wait for that.
	 */
	@ParameterizedTest
	@EnumSource(names = { "JDBC", "JPA" })
	@Fault(100)
	void threadDoesNotWaitForItself(TransactionKind kind) {
		AbstractPlatformTransactionManager main = kind.manager(this.pool);
		DelegatingDataSource other = new DelegatingDataSource(this.pool);
		under(1, () -> transaction(main).executeWithoutResult((status) -> {
			assertThatExceptionOfType(IllegalStateException.class)
				.isThrownBy(() -> transaction(new DataSourceTransactionManager(other)).executeWithoutResult((inner) -> {
				}));
			requiresNew(main).executeWithoutResult((inner) -> setStock(stock() - 1));
		}));
		assertStockIs(9);
	}

	@ParameterizedTest
	@EnumSource(names = { "JDBC", "JPA" })
	@Fault(100)
	void comparisonGivesUpWaitingForTheRow(TransactionKind kind) throws Exception {
		JdbcFencingGuard impatient = new JdbcFencingGuard(this.pool, "test", Duration.ofDays(7), Duration.ofSeconds(1),
				List::of);
		try (Connection blocker = this.database.getConnection()) {
			blocker.setAutoCommit(false);
			under(impatient, 1, () -> assertThatExceptionOfType(DataAccessException.class)
				.isThrownBy(() -> transaction(kind.manager(this.pool)).executeWithoutResult((status) -> {
					setStock(5);
					lockRow(blocker);
				}))
				.withMessageContaining("Compare the fencing token of lock 'stock'"));
			blocker.rollback();
		}
		assertStockIs(10);
	}

	@ParameterizedTest
	@EnumSource(names = { "JDBC", "JPA" })
	@Fault(101)
	void readOnlyTransactionIsLetThrough(TransactionKind kind) {
		TransactionTemplate reading = transaction(kind.manager(this.pool));
		reading.setReadOnly(true);
		under(1, () -> assertThat(reading.<Integer>execute((status) -> stock())).isEqualTo(10));
		under(2, () -> sell(kind.manager(this.pool)));
		assertStockIs(9);
	}

	/** Not every database keeps what is declared. */
	@ParameterizedTest
	@EnumSource(names = { "JDBC", "JPA" })
	@Fault(101)
	void formerOwnerCannotWriteInAReadOnlyTransaction(TransactionKind kind) {
		TransactionTemplate reading = transaction(kind.manager(this.pool));
		reading.setReadOnly(true);
		under(1, () -> assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> reading.executeWithoutResult((status) -> {
				inOtherThread(() -> under(2, () -> {
				}));
				setStock(5);
			})));
		assertStockIs(10);
	}

	@ParameterizedTest
	@CsvSource({ "JDBC, false", "JDBC, true", "JPA, false", "JPA, true" })
	@Fault(102)
	void newTransactionAfterTheCommitIsFenced(TransactionKind kind, boolean completed) {
		AbstractPlatformTransactionManager manager = kind.manager(this.pool);
		assertThat(afterCommit(manager, completed,
				() -> under(1, () -> requiresNew(manager).executeWithoutResult((status) -> setStock(9)))))
			.isNull();
		assertStockIs(9);
		assertThat(afterCommit(manager, completed,
				() -> under(1, () -> requiresNew(manager).executeWithoutResult((status) -> {
					inOtherThread(() -> under(2, () -> {
					}));
					setStock(5);
				}))))
			.isInstanceOf(StaleFencingTokenException.class);
		assertStockIs(9);
	}

	/**
	 * What joins a transaction after its commit is not compared, and is committed by the
	 * clean-up of the connection.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@Fault(102)
	void whatJoinsACommittedTransactionIsRolledBack(boolean completed) {
		AbstractPlatformTransactionManager manager = TransactionKind.JDBC.manager(this.pool);
		assertThat(afterCommit(manager, completed,
				() -> under(1, () -> transaction(manager).executeWithoutResult((status) -> setStock(5)))))
			.isNull();
		assertStockIs(10);
	}

	@Test
	void openTransactionWithoutSynchronizationIsRefused() {
		AbstractPlatformTransactionManager manager = TransactionKind.JDBC.manager(this.pool);
		manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
		transaction(manager).executeWithoutResult(
				(status) -> assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> under(1, () -> {
				})).withMessageContaining("cannot be fenced in a transaction that was open before"));
		assertStockIs(10);
	}

	/**
	 * Run something in one of the phases in which a transaction is committed, but still
	 * bound to the thread.
	 * @return what it has thrown, if anything
	 */
	private static @Nullable Throwable afterCommit(AbstractPlatformTransactionManager manager, boolean completed,
			Runnable action) {
		AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>(new AssertionError("not run"));
		transaction(manager).executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCommit() {
						if (!completed) {
							thrown.set(catchThrowable(action::run));
						}
					}

					@Override
					public void afterCompletion(int completion) {
						if (completed) {
							thrown.set(catchThrowable(action::run));
						}
					}

				}));
		return thrown.get();
	}

	private void under(long token, Runnable body) {
		under(this.guard, token, body);
	}

	@SuppressWarnings("try")
	private static void under(JdbcFencingGuard guard, long token, Runnable body) {
		try (HeldLockScope scope = guard.open(BelievedLock.of(token))) {
			body.run();
		}
	}

	private void sell(AbstractPlatformTransactionManager manager) {
		transaction(manager).executeWithoutResult((status) -> setStock(stock() - 1));
	}

	private static void sell(DelegatingDataSource other) {
		new JdbcTemplate(other).update("UPDATE stock SET units = units - 1");
	}

	private static void lockRow(Connection connection) {
		try (Statement statement = connection.createStatement()) {
			statement.executeQuery("SELECT token FROM leasehold_fence FOR UPDATE");
		}
		catch (SQLException ex) {
			throw new AssertionError(ex);
		}
	}

	private static TransactionTemplate transaction(AbstractPlatformTransactionManager manager) {
		if (manager.getTransactionExecutionListeners().isEmpty()) {
			CommitGuard.addTo(manager, true);
		}
		return new TransactionTemplate(manager);
	}

	private static TransactionTemplate requiresNew(AbstractPlatformTransactionManager manager) {
		TransactionTemplate transaction = transaction(manager);
		transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		return transaction;
	}

	/** Let the transaction's time be over. */
	private void expire() {
		ConnectionHolder holder = (ConnectionHolder) TransactionSynchronizationManager.getResource(this.pool);
		assertThat(holder).isNotNull();
		holder.setTimeoutInMillis(-1);
	}

	private static void inOtherThread(Runnable action) {
		CompletableFuture.runAsync(action, (run) -> new Thread(run).start()).join();
	}

}
