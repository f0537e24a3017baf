package io.leasehold.transaction;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A transaction under a lock that fails before its commit leaves no data, whatever it
 * fails with, and no connection.
 */
abstract class RollbackContract extends StockFixture {

	/**
	 * Spring does not roll back after a {@code TransactionException} that is thrown
	 * before the commit, and the clean-up of the connection commits.
	 */
	@ParameterizedTest(name = "{0}, {1}")
	@MethodSource("places")
	@Fault(97)
	void failureBeforeTheCommitRollsBack(TransactionKind kind, Place place) {
		Supplier<AbstractPlatformTransactionManager> managers = kind.managers(this.pool);
		for (Failure failure : Failure.values()) {
			for (boolean rollbackOnCommitFailure : new boolean[] { false, true }) {
				AbstractPlatformTransactionManager manager = managers.get();
				manager.setRollbackOnCommitFailure(rollbackOnCommitFailure);
				assertThatCode(() -> {
					fail(manager, place, failure, () -> setStock(9));
					assertStockIs(10);
				}).as("%s, rollbackOnCommitFailure = %s", failure, rollbackOnCommitFailure).doesNotThrowAnyException();
			}
		}
	}

	/** Change data in a transaction that fails. */
	static void fail(AbstractPlatformTransactionManager manager, Place place, Failure failure, Runnable change) {
		Throwable thrown = failure.exception.get();
		place.prepare(manager, thrown);
		CommitGuard.addTo(manager, true);
		assertThatThrownBy(
				() -> place.run(thrown, () -> new TransactionTemplate(manager).executeWithoutResult((status) -> {
					change.run();
					place.inTransaction(thrown);
				})))
			.satisfies(
					(ex) -> assertThat(Stream.iterate(ex, (one) -> one != null, Throwable::getCause)).contains(thrown));
	}

	/** Without synchronization, only the guard itself can roll back. */
	@ParameterizedTest
	@EnumSource
	@Fault(97)
	void guardOfAManagerWithoutSynchronizationRollsBack(TransactionKind kind) {
		Supplier<AbstractPlatformTransactionManager> managers = kind.managers(this.pool);
		for (Failure failure : Failure.values()) {
			AbstractPlatformTransactionManager manager = managers.get();
			manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
			CommitGuard.addTo(manager, true);
			Throwable thrown = failure.exception.get();
			assertThatThrownBy(() -> Place.LOCK.run(thrown,
					() -> new TransactionTemplate(manager).executeWithoutResult((status) -> setStock(9))))
				.isNotNull();
			assertStockIs(10);
		}
	}

	@ParameterizedTest
	@EnumSource
	void commitsWhenNothingFails(TransactionKind kind) {
		AbstractPlatformTransactionManager manager = kind.manager(this.pool);
		CommitGuard.addTo(manager, true);
		under(() -> new TransactionTemplate(manager).executeWithoutResult((status) -> setStock(9)));
		assertStockIs(9);
	}

	@SuppressWarnings("try")
	static void under(Runnable body) {
		try (HeldLockScope scope = HeldLockScope.open(BelievedLock.of(1))) {
			body.run();
		}
	}

	static Stream<Arguments> places() {
		return Stream.of(TransactionKind.values())
			.flatMap((kind) -> Stream.of(Place.values()).map((place) -> Arguments.of(kind, place)));
	}

	enum Failure {

		TIMED_OUT(() -> new TransactionTimedOutException("late")),

		ILLEGAL_STATE(() -> new IllegalTransactionStateException("no part")),

		UNEXPECTED_ROLLBACK(() -> new UnexpectedRollbackException("inner")),

		LOST(() -> new LockLostException(new LockKey("stock"), "redis", LossCause.EXPIRED)),

		ERROR(() -> new AssertionError("broken"));

		final Supplier<Throwable> exception;

		Failure(Supplier<Throwable> exception) {
			this.exception = exception;
		}

	}

	enum Place {

		SYNCHRONIZATION {

			@Override
			void inTransaction(Throwable thrown) {
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void beforeCommit(boolean readOnly) {
						sneakyThrow(thrown);
					}

				});
			}

		},

		/** It precedes all synchronizations that are only ordered. */
		PRIORITY_SYNCHRONIZATION {

			@Override
			void inTransaction(Throwable thrown) {
				TransactionSynchronizationManager.registerSynchronization(new Preceding(thrown));
			}

		},

		/** It is registered before the guard's. */
		EARLIER_SYNCHRONIZATION {

			@Override
			void prepare(AbstractPlatformTransactionManager manager, Throwable thrown) {
				manager.setTransactionExecutionListeners(List.of(new TransactionExecutionListener() {

					@Override
					public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
						TransactionSynchronizationManager.registerSynchronization(new Preceding(thrown));
					}

				}));
			}

		},

		LISTENER {

			@Override
			void prepare(AbstractPlatformTransactionManager manager, Throwable thrown) {
				manager.setTransactionExecutionListeners(List.of(new TransactionExecutionListener() {

					@Override
					public void beforeCommit(TransactionExecution transaction) {
						sneakyThrow(thrown);
					}

				}));
			}

		},

		LOCK {

			@Override
			@SuppressWarnings("try")
			void run(Throwable thrown, Runnable body) {
				HeldLock lock = BelievedLock.of(1);
				try (HeldLockScope scope = HeldLockScope.open(lock, (transaction) -> sneakyThrow(thrown))) {
					body.run();
				}
			}

		};

		void prepare(AbstractPlatformTransactionManager manager, Throwable thrown) {
		}

		void run(Throwable thrown, Runnable body) {
			under(body);
		}

		void inTransaction(Throwable thrown) {
		}

		@SuppressWarnings("unchecked")
		private static <T extends Throwable> void sneakyThrow(Throwable thrown) throws T {
			throw (T) thrown;
		}

	}

	private record Preceding(Throwable thrown) implements TransactionSynchronization, PriorityOrdered {

		@Override
		public int getOrder() {
			return HIGHEST_PRECEDENCE;
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			Place.sneakyThrow(this.thrown);
		}

	}

}
