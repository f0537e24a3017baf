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
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import io.leasehold.autoconfigure.fencing.LeaseholdFencingAutoConfiguration;
import io.leasehold.test.contract.Fault;
import io.leasehold.transaction.UncertainDatabase.Outcome;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.hibernate.Interceptor;
import org.hibernate.Transaction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
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
 * Table of managers × places of the acquisition × moments of a commit at which code of
 * the application runs × what that code does. A row becomes visible only while its writer
 * has the lock, no transaction commits under a lock that is known to be lost, and no
 * thread waits for itself.
 */
abstract class InsideCommitContract {

	/** Called at the moments of the thread's commits. */
	static final ThreadLocal<Consumer<Moment>> REACHED = ThreadLocal.withInitial(() -> (moment) -> {
	});

	private final UncertainDatabase database = new UncertainDatabase(database());

	private final List<String> wrong = new ArrayList<>();

	abstract DataSource database();

	@ParameterizedTest
	@EnumSource
	@Fault({ 173, 175 })
	void codeInsideACommitChangesNoOutcome(Manager manager) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class,
					LeaseholdLocalAutoConfiguration.class, LeaseholdFencingAutoConfiguration.class))
			.withPropertyValues("leasehold.engine=local", "leasehold.lease=10m", "leasehold.wait-time=0s",
					"leasehold.fencing.initialize-schema=always")
			.withBean("dataSource", DataSource.class, this.database::dataSource)
			.withUserConfiguration(manager.configuration)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				Application application = new Application(context, this.database);
				for (Place place : Place.values()) {
					for (Moment moment : Moment.values()) {
						for (Act act : Act.values()) {
							if (moment.isPossible(manager) && act.isPossible(place, moment)
									&& place.isPossible(manager, moment, act)) {
								new Cell(application, place, moment, act,
										"%s, %s, %s, %s".formatted(manager, place, moment, act))
									.check(this.wrong);
							}
						}
					}
				}
			});
		assertThat(this.wrong).isEmpty();
	}

	enum Manager {

		JDBC(Jdbc.class), JPA(Jpa.class);

		private final Class<?> configuration;

		Manager(Class<?> configuration) {
			this.configuration = configuration;
		}

	}

	/** Where the lock is acquired. */
	enum Place {

		AROUND, FENCED, INSIDE,

		/** Inside the commit, in a transaction that had no lock before. */
		IN_FLUSH;

		boolean isPossible(Manager manager, Moment moment, Act act) {
			return this != IN_FLUSH || manager == Manager.JPA && moment == Moment.FLUSH
					&& (act == Act.NOTHING || act == Act.UNKNOWN_OUTER || act == Act.REFUSED_OUTER);
		}

	}

	/** Moments of a commit, in their order. */
	enum Moment {

		BEFORE_COMMIT, BEFORE_COMPLETION, LISTENER_BEFORE_COMMIT, FLUSH, INTERCEPTOR_BEFORE, INTERCEPTOR_AFTER,
		AFTER_COMMIT, AFTER_COMPLETION, LISTENER_AFTER_COMMIT;

		boolean isPossible(Manager manager) {
			return manager == Manager.JPA || this != FLUSH && this != INTERCEPTOR_BEFORE && this != INTERCEPTOR_AFTER;
		}

		/** Return whether the rows are not committed yet. */
		boolean isBefore() {
			return compareTo(INTERCEPTOR_AFTER) < 0;
		}

	}

	/** What the code does. */
	enum Act {

		NOTHING, NEW_TRANSACTION, LOCKED_CALL, FENCED_CALL, LOSS, UNKNOWN_INNER, UNKNOWN_OUTER, REFUSED_OUTER;

		boolean isPossible(Place place, Moment moment) {
			return switch (this) {
				case NOTHING, LOCKED_CALL -> true;
				// A lock that was acquired inside is released by then
				case FENCED_CALL -> place != Place.INSIDE || moment.compareTo(Moment.AFTER_COMPLETION) <= 0;
				// A documented limit: Hibernate calls its interceptor after the
				// comparison
				case NEW_TRANSACTION -> FENCED_CALL.isPossible(place, moment)
						&& (place != Place.FENCED || moment != Moment.INTERCEPTOR_BEFORE);
				case UNKNOWN_OUTER, REFUSED_OUTER -> NEW_TRANSACTION.isPossible(place, moment) && moment.isBefore();
				// The check is the last step of Spring
				case LOSS -> FENCED_CALL.isPossible(place, moment) && moment != Moment.INTERCEPTOR_BEFORE;
				// A lock from acquire is not the current one of another transaction
				case UNKNOWN_INNER -> place != Place.INSIDE && moment != Moment.INTERCEPTOR_BEFORE;
			};
		}

		boolean isOuter() {
			return this == UNKNOWN_OUTER || this == REFUSED_OUTER;
		}

		boolean isInner() {
			return this == NEW_TRANSACTION || isOuter();
		}

	}

	private static final class Application {

		final DistributedLocks locks;

		final LockInspector inspector;

		final FencingGuard fencing;

		final TransactionTemplate transaction;

		final TransactionTemplate another;

		final JdbcTemplate jdbc;

		final JdbcTemplate observer;

		final UncertainDatabase database;

		final @Nullable EntityManager entities;

		Application(BeanFactory beans, UncertainDatabase database) {
			this.locks = beans.getBean(DistributedLocks.class);
			this.inspector = beans.getBean(LockInspector.class);
			this.fencing = beans.getBean(FencingGuard.class);
			PlatformTransactionManager manager = beans.getBean(PlatformTransactionManager.class);
			this.transaction = new TransactionTemplate(manager);
			this.another = new TransactionTemplate(manager);
			this.another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
			this.jdbc = new JdbcTemplate(beans.getBean(DataSource.class));
			this.observer = database.observer();
			this.database = database;
			EntityManagerFactory factory = beans.getBeanProvider(EntityManagerFactory.class).getIfAvailable();
			this.entities = (factory != null) ? SharedEntityManagerCreator.createSharedEntityManager(factory) : null;
			ManagerSetup.abstractManagers(beans).forEach(Application::listen);
		}

		/** Precede the guard, as the application's own listeners do. */
		private static void listen(AbstractPlatformTransactionManager manager) {
			List<TransactionExecutionListener> listeners = new ArrayList<>();
			listeners.add(new TransactionExecutionListener() {

				@Override
				public void beforeCommit(TransactionExecution transaction) {
					REACHED.get().accept(Moment.LISTENER_BEFORE_COMMIT);
				}

				@Override
				public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
					REACHED.get().accept(Moment.LISTENER_AFTER_COMMIT);
				}

			});
			listeners.addAll(manager.getTransactionExecutionListeners());
			manager.setTransactionExecutionListeners(listeners);
		}

		void insert(String id) {
			if (this.entities != null) {
				this.entities.persist(new ListenedSale(id));
			}
			else {
				this.jdbc.update("INSERT INTO sale VALUES (?)", id);
			}
		}

	}

	private static final class Cell {

		private final Application application;

		private final Place place;

		private final Moment moment;

		private final Act act;

		private final String key;

		private final List<Boolean> freeWhenVisible = new ArrayList<>();

		private boolean done;

		private @Nullable Throwable actFailure;

		private @Nullable HeldLock held;

		Cell(Application application, Place place, Moment moment, Act act, String key) {
			this.application = application;
			this.place = place;
			this.moment = moment;
			this.act = act;
			this.key = key;
		}

		void check(List<String> wrong) {
			Throwable failure = catchThrowable(() -> assertOutcome(catchThrowable(this::run)));
			if (failure != null) {
				wrong.add("%s: %s%n".formatted(this.key, failure.getMessage().replaceAll("\\s+", " ")));
			}
			expect(Outcome.DONE);
			this.application.inspector.forceRelease("local", new LockKey(this.key));
		}

		private void assertOutcome(@Nullable Throwable thrown) throws Exception {
			assertThat(this.done).as("moment reached").isTrue();
			switch (this.act) {
				case NOTHING, NEW_TRANSACTION, LOCKED_CALL, FENCED_CALL -> {
					assertThat(thrown).isNull();
					assertThat(rows("")).as("outer rows").isOne();
					soon().until(this::isFree);
				}
				case LOSS -> {
					assertThat(this.actFailure).isNull();
					if (this.moment.isBefore()) {
						assertLost(thrown);
					}
					assertThat(rows("")).as("outer rows").isEqualTo(this.moment.isBefore() ? 0 : 1);
				}
				case UNKNOWN_INNER -> {
					if (this.moment.isBefore()) {
						assertLost(thrown);
					}
					assertThat(rows("")).as("outer rows").isEqualTo(this.moment.isBefore() ? 0 : 1);
					assertArrival("/inner");
				}
				case UNKNOWN_OUTER -> {
					assertThat(thrown).isNotNull();
					assertArrival("");
				}
				case REFUSED_OUTER -> {
					assertThat(thrown).isNotNull();
					assertThat(rows("")).as("outer rows").isZero();
					soon().until(this::isFree);
				}
			}
			if (this.act.isInner()) {
				assertThat(this.actFailure).isNull();
				assertThat(rows("/inner")).as("inner rows").isOne();
			}
			if (this.act == Act.FENCED_CALL && this.actFailure != null) {
				assertThat(this.actFailure).isInstanceOf(IllegalStateException.class)
					.hasMessageContaining("in a transaction that was open before");
				assertThat(this.moment.compareTo(Moment.AFTER_COMMIT)).isNegative();
			}
			assertThat(this.freeWhenVisible).as("free when rows became visible").doesNotContain(true);
		}

		private static void assertLost(@Nullable Throwable thrown) {
			assertThat(thrown).isNotNull();
			assertThat(Stream.iterate(thrown, Objects::nonNull, Throwable::getCause))
				.hasAtLeastOneElementOfType(LockLostException.class);
		}

		/** The key is free only after the commit without a response was carried out. */
		private void assertArrival(String suffix) throws Exception {
			assertThat(rows(suffix)).as("rows of the unknown commit").isZero();
			assertThat(isFree()).as("free before the rows are visible").isFalse();
			this.application.database.arrive();
			assertThat(rows(suffix)).as("rows of the unknown commit").isOne();
			assertThat(Objects.requireNonNull(this.held).isValid()).isFalse();
		}

		private void run() {
			expect(Outcome.DONE);
			REACHED.set(this::at);
			try {
				switch (this.place) {
					case AROUND -> around(HeldLockScope::open);
					case FENCED -> around(this.application.fencing::open);
					case INSIDE, IN_FLUSH -> transaction();
				}
			}
			finally {
				REACHED.remove();
			}
		}

		private void expect(Outcome outcome) {
			this.application.database.expect(outcome, () -> this.freeWhenVisible.add(isFree()));
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
				if (this.place == Place.INSIDE) {
					acquire().close();
				}
				this.application.insert(this.key);
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void beforeCommit(boolean readOnly) {
						at(Moment.BEFORE_COMMIT);
					}

					@Override
					public void beforeCompletion() {
						at(Moment.BEFORE_COMPLETION);
					}

					@Override
					public void afterCommit() {
						at(Moment.AFTER_COMMIT);
					}

					@Override
					public void afterCompletion(int status) {
						at(Moment.AFTER_COMPLETION);
					}

				});
			});
		}

		/** Do what the cell is about, if this is the moment. */
		private void at(Moment reached) {
			if (this.moment == reached && !this.done) {
				this.done = true;
				if (this.place == Place.IN_FLUSH) {
					acquire().close();
				}
				this.actFailure = catchThrowable(this::act);
			}
		}

		private void act() throws Exception {
			switch (this.act) {
				case NOTHING -> {
				}
				case NEW_TRANSACTION -> insertInAnother();
				case LOCKED_CALL -> this.application.locks.call(this.key + "/other", (lock) -> null);
				case FENCED_CALL -> fencedCall();
				case LOSS -> lose();
				case UNKNOWN_INNER -> {
					expect(Outcome.UNKNOWN);
					try {
						insertInAnother();
					}
					finally {
						expect(Outcome.DONE);
					}
				}
				case UNKNOWN_OUTER -> {
					insertInAnother();
					expect(Outcome.UNKNOWN);
				}
				case REFUSED_OUTER -> {
					insertInAnother();
					expect(Outcome.REFUSED);
				}
			}
		}

		private void insertInAnother() {
			this.application.another.executeWithoutResult((status) -> this.application.insert(this.key + "/inner"));
		}

		@SuppressWarnings("try")
		private void fencedCall() {
			try (HeldLock lock = this.application.locks.acquire(this.key + "/other");
					HeldLockScope scope = this.application.fencing.open(lock)) {
				insertInAnother();
			}
		}

		private void lose() {
			HeldLock lock = Objects.requireNonNull(this.held);
			this.application.inspector.forceRelease("local", new LockKey(this.key));
			soon().until(() -> catchThrowable(lock::throwIfLost) != null);
		}

		private static org.awaitility.core.ConditionFactory soon() {
			return await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2));
		}

		private int rows(String suffix) {
			return Objects.requireNonNull(this.application.observer
				.queryForObject("SELECT COUNT(*) FROM sale WHERE id = ?", Integer.class, this.key + suffix));
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

	@Configuration(proxyBeanMethods = false)
	static class Jdbc {

		@Bean
		JdbcTransactionManager transactionManager(DataSource dataSource) {
			JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
			manager.setRollbackOnCommitFailure(true);
			return manager;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Jpa {

		@Bean
		LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
			LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
			factory.setDataSource(dataSource);
			factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
			factory.setPersistenceUnitName("inside");
			factory.setManagedTypes(PersistenceManagedTypes.of(ListenedSale.class.getName()));
			factory.getJpaPropertyMap().put("hibernate.session_factory.interceptor", new Completions());
			return factory;
		}

		@Bean
		JpaTransactionManager transactionManager(EntityManagerFactory entityManagerFactory) {
			JpaTransactionManager manager = new JpaTransactionManager(entityManagerFactory);
			manager.setRollbackOnCommitFailure(true);
			return manager;
		}

	}

	private static final class Completions implements Interceptor {

		@Override
		public void beforeTransactionCompletion(Transaction transaction) {
			REACHED.get().accept(Moment.INTERCEPTOR_BEFORE);
		}

		@Override
		public void afterTransactionCompletion(Transaction transaction) {
			REACHED.get().accept(Moment.INTERCEPTOR_AFTER);
		}

	}

}
