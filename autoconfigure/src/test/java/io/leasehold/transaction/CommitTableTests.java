package io.leasehold.transaction;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.leasehold.DistributedLocks;
import io.leasehold.FencingGuard;
import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockInspector;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.StaleFencingTokenException;
import io.leasehold.test.contract.Fault;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Table of transaction managers × places of the acquisition × events: a row becomes
 * visible to other connections only while its writer has the lock, or while nobody else
 * can have it.
 */
@Fault({ 173, 174, 175 })
class CommitTableTests {

	private final UncertainDatabase database = new UncertainDatabase();

	private final List<String> wrong = new ArrayList<>();

	@ParameterizedTest
	@EnumSource
	void rowBecomesVisibleOnlyUnderTheLock(ManagerSetup setup) {
		setup.runner(this.database).run((context) -> {
			assertThat(context).hasNotFailed();
			Application application = new Application(context, this.database);
			for (Place place : Place.values()) {
				for (Event event : Event.values()) {
					if (place.isPossible(setup) && event.isPossible(setup, place)) {
						Cell cell = new Cell(application, place, event, "%s, %s, %s".formatted(setup, place, event));
						cell.check(this.wrong, setup == ManagerSetup.CHAINED && place == Place.FENCED);
					}
				}
			}
		});
		assertThat(this.wrong).isEmpty();
	}

	/** As listeners of transactional events do, which write of the failure. */
	@ParameterizedTest
	@EnumSource(names = { "JDBC", "PLAIN", "ROLLING_BACK", "JPA" })
	void anotherTransactionAfterAnUnknownCommitDoesNotFreeTheKey(ManagerSetup setup) {
		setup.runner(this.database).run((context) -> {
			Application application = new Application(context, this.database);
			Cell cell = new Cell(application, Place.AROUND, Event.UNKNOWN, "audited");
			cell.afterCompletion = () -> {
				this.database.expect(UncertainDatabase.Outcome.DONE, () -> {
				});
				TransactionTemplate another = new TransactionTemplate(
						context.getBean(PlatformTransactionManager.class));
				another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
				another.executeWithoutResult((status) -> application.jdbc.queryForList("SELECT id FROM sale"));
			};
			cell.check(this.wrong, false);
		});
		assertThat(this.wrong).isEmpty();
	}

	/** Otherwise code that runs then would enter the lock again, and believe it. */
	@ParameterizedTest
	@EnumSource(names = { "JDBC", "JPA" })
	void lockAcquiredInsideIsLostBeforeOtherSynchronizationsSeeAnUnknownCommit(ManagerSetup setup) {
		setup.runner(this.database).run((context) -> {
			Cell cell = new Cell(new Application(context, this.database), Place.INSIDE, Event.UNKNOWN, "entered");
			List<Boolean> lost = new ArrayList<>();
			cell.afterCompletion = () -> lost
				.add(catchThrowable(() -> Objects.requireNonNull(cell.held).throwIfLost()) != null);
			cell.check(this.wrong, false);
			assertThat(lost).isNotEmpty().containsOnly(true);
		});
		assertThat(this.wrong).isEmpty();
	}

	/** Where the lock is acquired. */
	enum Place {

		AROUND, FENCED, INSIDE, BEFORE_COMMIT;

		/** Without synchronization, a lock acquired inside is released at once. */
		boolean isPossible(ManagerSetup setup) {
			return switch (this) {
				case AROUND -> true;
				case FENCED -> setup != ManagerSetup.JTA;
				case INSIDE, BEFORE_COMMIT ->
					setup != ManagerSetup.CHAINED && setup != ManagerSetup.WITHOUT_SYNCHRONIZATION;
			};
		}

	}

	/** What happens, and at which moment. */
	enum Event {

		NONE, REFUSED, UNKNOWN, LOST_IN_THE_BODY, LOST_IN_THE_FIRST_SYNCHRONIZATION, LOST_IN_THE_LAST_SYNCHRONIZATION,
		LOST_BEFORE_COMPLETION, LOST_IN_A_LISTENER, STALE;

		boolean isPossible(ManagerSetup setup, Place place) {
			return switch (this) {
				case NONE, REFUSED, UNKNOWN, LOST_IN_A_LISTENER -> true;
				case STALE -> place == Place.FENCED;
				case LOST_IN_THE_BODY, LOST_IN_THE_FIRST_SYNCHRONIZATION -> place != Place.BEFORE_COMMIT;
				case LOST_IN_THE_LAST_SYNCHRONIZATION, LOST_BEFORE_COMPLETION -> true;
			} && (setup != ManagerSetup.WITHOUT_SYNCHRONIZATION && setup != ManagerSetup.CHAINED
					|| !needsSynchronization());
		}

		private boolean needsSynchronization() {
			return name().contains("SYNCHRONIZATION") || this == LOST_BEFORE_COMPLETION;
		}

		boolean isLoss() {
			return name().startsWith("LOST") || this == STALE;
		}

		UncertainDatabase.Outcome outcome() {
			return switch (this) {
				case REFUSED -> UncertainDatabase.Outcome.REFUSED;
				case UNKNOWN -> UncertainDatabase.Outcome.UNKNOWN;
				default -> UncertainDatabase.Outcome.DONE;
			};
		}

	}

	/** An application with one transaction manager. */
	private static final class Application {

		final DistributedLocks locks;

		final LockInspector inspector;

		final FencingGuard fencing;

		final TransactionTemplate transaction;

		final JdbcTemplate jdbc;

		final JdbcTemplate observer;

		final UncertainDatabase database;

		Runnable listener = () -> {
		};

		Application(BeanFactory beans, UncertainDatabase database) {
			this.locks = beans.getBean(DistributedLocks.class);
			this.inspector = beans.getBean(LockInspector.class);
			this.fencing = beans.getBean(FencingGuard.class);
			this.transaction = new TransactionTemplate(beans.getBean(PlatformTransactionManager.class));
			this.jdbc = new JdbcTemplate(beans.getBean(DataSource.class));
			this.observer = database.observer();
			this.database = database;
			ManagerSetup.abstractManagers(beans).forEach(this::listen);
		}

		/** Precede the guard, as the application's own listeners do. */
		private void listen(AbstractPlatformTransactionManager manager) {
			List<TransactionExecutionListener> listeners = new ArrayList<>();
			listeners.add(new TransactionExecutionListener() {

				@Override
				public void beforeCommit(TransactionExecution transaction) {
					Application.this.listener.run();
				}

			});
			listeners.addAll(manager.getTransactionExecutionListeners());
			manager.setTransactionExecutionListeners(listeners);
		}

	}

	private static final class Cell {

		private final Application application;

		private final Place place;

		private final Event event;

		private final String key;

		private final List<Boolean> freeWhenVisible = new ArrayList<>();

		private boolean done;

		private @Nullable HeldLock held;

		private Runnable afterCompletion = () -> {
		};

		Cell(Application application, Place place, Event event, String key) {
			this.application = application;
			this.place = place;
			this.event = event;
			this.key = key;
		}

		void check(List<String> wrong, boolean refused) {
			Throwable failure = catchThrowable(() -> {
				Throwable thrown = catchThrowable(this::run);
				if (refused) {
					assertThat(thrown).isInstanceOf(IllegalStateException.class)
						.hasMessageContaining("cannot be fenced");
					assertThat(rows()).isZero();
				}
				else {
					assertOutcome(thrown);
				}
			});
			if (failure != null) {
				wrong.add("%s: %s".formatted(this.key, failure.getMessage()));
			}
			this.application.listener = () -> {
			};
			this.application.inspector.forceRelease("local", new LockKey(this.key));
		}

		private void assertOutcome(@Nullable Throwable thrown) throws Exception {
			if (this.event == Event.NONE) {
				assertThat(thrown).isNull();
				assertThat(rows()).isOne();
				assertThat(this.freeWhenVisible).as("free when visible").containsExactly(false);
				soon().until(this::isFree);
				return;
			}
			assertThat(thrown).isNotNull();
			assertThat(rows()).as("rows").isZero();
			if (this.event == Event.REFUSED) {
				soon().until(this::isFree);
			}
			else if (this.event == Event.UNKNOWN) {
				assertThat(isFree()).as("free before the rows are visible").isFalse();
				this.application.database.arrive();
				assertThat(rows()).isOne();
				assertThat(this.freeWhenVisible).as("free when visible").containsExactly(false);
				assertThat(Objects.requireNonNull(this.held).isValid()).isFalse();
			}
			else {
				Class<?> reason = (this.event == Event.STALE) ? StaleFencingTokenException.class
						: LockLostException.class;
				assertThat(Stream.iterate(thrown, Objects::nonNull, Throwable::getCause))
					.hasAtLeastOneElementOfType(reason);
				assertThat(this.freeWhenVisible).isEmpty();
			}
		}

		private void run() {
			this.application.database.expect(this.event.outcome(), () -> this.freeWhenVisible.add(isFree()));
			this.application.listener = () -> {
				at(Event.LOST_IN_A_LISTENER);
			};
			try {
				switch (this.place) {
					case AROUND -> around(HeldLockScope::open);
					case FENCED -> around(this.application.fencing::open);
					default -> transaction();
				}
			}
			finally {
				this.application.database.expect(UncertainDatabase.Outcome.DONE,
						() -> this.freeWhenVisible.add(isFree()));
			}
		}

		@SuppressWarnings("try")
		private void around(Function<HeldLock, HeldLockScope> opening) {
			try (HeldLock lock = acquire(); HeldLockScope scope = opening.apply(lock)) {
				transaction();
			}
		}

		private HeldLock acquire() {
			HeldLock lock = this.application.locks.acquire(this.key);
			this.held = lock;
			return lock;
		}

		private void transaction() {
			this.application.transaction.executeWithoutResult((status) -> {
				this.application.jdbc.update("INSERT INTO sale VALUES (?)", this.key);
				if (this.place == Place.BEFORE_COMMIT) {
					synchronization(Ordered.HIGHEST_PRECEDENCE + 1, (self) -> acquire().close());
				}
				if (TransactionSynchronizationManager.isSynchronizationActive()) {
					synchronization(Ordered.HIGHEST_PRECEDENCE + 2,
							(self) -> at(Event.LOST_IN_THE_FIRST_SYNCHRONIZATION));
				}
				if (this.place == Place.INSIDE) {
					acquire().close();
				}
				if (TransactionSynchronizationManager.isSynchronizationActive()) {
					synchronization(Ordered.LOWEST_PRECEDENCE, (self) -> at(Event.LOST_IN_THE_LAST_SYNCHRONIZATION));
				}
				at(Event.LOST_IN_THE_BODY);
				at(Event.STALE);
			});
		}

		private void synchronization(int order, Consumer<Cell> beforeCommit) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public int getOrder() {
					return order;
				}

				@Override
				public void beforeCommit(boolean readOnly) {
					beforeCommit.accept(Cell.this);
				}

				@Override
				public void beforeCompletion() {
					if (order == Ordered.LOWEST_PRECEDENCE) {
						at(Event.LOST_BEFORE_COMPLETION);
					}
				}

				@Override
				public void afterCompletion(int status) {
					Cell.this.afterCompletion.run();
				}

			});
		}

		/** Let the lock be lost, if this is the moment. */
		private void at(Event moment) {
			if (this.event != moment || this.done) {
				return;
			}
			this.done = true;
			if (moment == Event.STALE) {
				this.application.observer.update("UPDATE leasehold_fence SET token = token + 64 WHERE lock_key = ?",
						this.key);
				return;
			}
			HeldLock lock = Objects.requireNonNull(this.held);
			this.application.inspector.forceRelease("local", new LockKey(this.key));
			soon().until(() -> catchThrowable(lock::throwIfLost) != null);
		}

		private static ConditionFactory soon() {
			return await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2));
		}

		private int rows() {
			return Objects.requireNonNull(this.application.observer
				.queryForObject("SELECT COUNT(*) FROM sale WHERE id = ?", Integer.class, this.key));
		}

		/** Return whether another owner is granted the key. */
		private boolean isFree() {
			return CompletableFuture.supplyAsync(() -> {
				Optional<HeldLock> lock = this.application.locks.tryAcquire(this.key);
				lock.ifPresent(HeldLock::close);
				return lock.isPresent();
			}, (run) -> new Thread(run).start()).join();
		}

	}

}
