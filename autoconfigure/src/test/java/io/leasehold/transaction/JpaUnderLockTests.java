package io.leasehold.transaction;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.leasehold.DistributedLocks;
import io.leasehold.FencingGuard;
import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import io.leasehold.autoconfigure.fencing.LeaseholdFencingAutoConfiguration;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.h2.jdbcx.JdbcDataSource;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.SpringJtaPlatform;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.data.transaction.ChainedTransactionManager;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.hibernate.HibernateTransactionManager;
import org.springframework.orm.jpa.hibernate.LocalSessionFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Table of managers × places of the acquisition × work with a shared
 * {@link EntityManager}: the rows and the exception are those that the same work has
 * without a lock.
 */
class JpaUnderLockTests {

	private final UncertainDatabase database = new UncertainDatabase();

	private final JdbcTemplate observer = this.database.observer();

	private final List<String> wrong = new ArrayList<>();

	@AfterEach
	void forgetTheMoments() {
		InsideCommitContract.REACHED.remove();
	}

	@ParameterizedTest
	@EnumSource
	void lockChangesNoOutcome(Manager manager) {
		this.observer.execute("ALTER TABLE sale ADD CONSTRAINT once UNIQUE (id)");
		run(manager, (application) -> {
			for (boolean rollbackOnCommitFailure : new boolean[] { false, true }) {
				application.rollBackOnCommitFailure(rollbackOnCommitFailure);
				for (Work work : Work.values()) {
					Outcome unlocked = outcome(application, Place.NOWHERE, work);
					if (work.succeeds(manager)) {
						assertThat(unlocked).as("%s, %s", manager, work).isEqualTo(new Outcome(1, List.of()));
					}
					for (Place place : Place.values()) {
						if (place != Place.FENCED || manager.isFenced()) {
							Outcome locked = outcome(application, place, work);
							if (!locked.equals(unlocked)) {
								this.wrong.add("%s, %s, %s, %s:%n  %s instead of%n  %s%n".formatted(manager, place,
										work, rollbackOnCommitFailure, locked, unlocked));
							}
						}
					}
				}
			}
		});
		assertThat(this.wrong).isEmpty();
	}

	/** A lock is acquired in the flush, but no commit was sent. */
	@ParameterizedTest
	@EnumSource(names = { "JPA", "HIBERNATE" })
	@SuppressWarnings("try")
	void connectionThatBreaksInTheFlushLeavesNoUnknownCommit(Manager manager) {
		run(manager, (application) -> {
			DataSource dataSource = Objects.requireNonNull(application.jdbc.getDataSource());
			InsideCommitContract.REACHED.set((moment) -> {
				application.locks.acquire("other").close();
				try {
					DataSourceUtils.getConnection(dataSource).close();
				}
				catch (SQLException ex) {
					throw new IllegalStateException(ex);
				}
				throw new UnsupportedOperationException("The connection is broken");
			});
			try (HeldLock lock = application.locks.acquire("sale"); HeldLockScope scope = HeldLockScope.open(lock)) {
				assertThat(catchThrowable(() -> Place.NOWHERE.run(application, Work.WRITTEN))).isNotNull();
				lock.throwIfLost();
			}
			try (HeldLock other = application.locks.acquire("other")) {
				assertThat(other.isValid()).isTrue();
			}
		});
	}

	private void run(Manager manager, Consumer<Application> test) {
		DataSource dataSource = (manager == Manager.JTA)
				? new EnlistedDataSource(this.database.xaDataSource(), JtaContract.narayana().getTransactionManager())
				: this.database.dataSource();
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class,
					LeaseholdLocalAutoConfiguration.class, LeaseholdFencingAutoConfiguration.class))
			.withPropertyValues("leasehold.engine=local", "leasehold.lease=10m", "leasehold.wait-time=0s",
					"leasehold.fencing.initialize-schema=always")
			.withBean("dataSource", DataSource.class, () -> dataSource)
			.withUserConfiguration(manager.configuration)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				test.accept(new Application(context));
			});
	}

	private Outcome outcome(Application application, Place place, Work work) {
		this.observer.update("DELETE FROM sale");
		if (work == Work.DUPLICATE) {
			this.observer.update("INSERT INTO sale VALUES ('sold')");
		}
		Throwable thrown = catchThrowable(() -> place.run(application, work));
		InsideCommitContract.REACHED.remove();
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		await().pollDelay(Duration.ZERO).until(() -> application.locks.tryAcquire("sale").map((lock) -> {
			lock.close();
			return true;
		}).orElse(false));
		return new Outcome(Objects.requireNonNull(this.observer.queryForObject("SELECT COUNT(*) FROM sale", int.class)),
				Stream.iterate(thrown, Objects::nonNull, Throwable::getCause)
					.map((one) -> one.getClass().getName())
					.toList());
	}

	private record Outcome(int rows, List<String> thrown) {
	}

	enum Manager {

		JTA(Jta.class, true), DATA_SOURCE(PlainJdbc.class, false), JDBC(Jdbc.class, false), JPA(Jpa.class, true),
		HIBERNATE(Hibernate.class, true), CHAINED(Chained.class, true);

		private final Class<?> configuration;

		/** Whether an entity that is persisted in its transactions becomes a row. */
		private final boolean writes;

		Manager(Class<?> configuration, boolean writes) {
			this.configuration = configuration;
			this.writes = writes;
		}

		/** Others reject each transaction of a fenced method. */
		boolean isFenced() {
			return this != JTA && this != CHAINED;
		}

	}

	/** Where the lock is acquired. */
	enum Place {

		NOWHERE {

			@Override
			void run(Application application, Work work) {
				application.transaction.executeWithoutResult((status) -> work.accept(application));
			}

		},

		AROUND {

			@Override
			void run(Application application, Work work) {
				around(application, work, HeldLockScope::open);
			}

		},

		FENCED {

			@Override
			void run(Application application, Work work) {
				around(application, work, application.fencing::open);
			}

		},

		INSIDE {

			@Override
			void run(Application application, Work work) {
				application.transaction.executeWithoutResult((status) -> {
					application.locks.acquire("sale").close();
					work.accept(application);
				});
			}

		};

		abstract void run(Application application, Work work);

		@SuppressWarnings("try")
		private static void around(Application application, Work work, Function<HeldLock, HeldLockScope> opening) {
			try (HeldLock lock = application.locks.acquire("sale"); HeldLockScope scope = opening.apply(lock)) {
				NOWHERE.run(application, work);
			}
		}

	}

	/** What the transaction does. */
	enum Work {

		/** Reads by JPA and writes by JDBC. */
		READ {

			@Override
			void accept(Application application) {
				application.entities.find(ListenedSale.class, "none");
				application.jdbc.update("INSERT INTO sale VALUES ('sold')");
			}

		},

		WRITTEN {

			@Override
			void accept(Application application) {
				application.entities.persist(new ListenedSale("sold"));
			}

		},

		FLUSHED {

			@Override
			void accept(Application application) {
				WRITTEN.accept(application);
				application.entities.flush();
			}

		},

		/** The application decides when its changes are written, here never. */
		HELD_BACK {

			@Override
			void accept(Application application) {
				application.entities.unwrap(Session.class).setHibernateFlushMode(FlushMode.MANUAL);
				WRITTEN.accept(application);
			}

		},

		/** A constraint of the database rejects the row. */
		DUPLICATE {

			@Override
			void accept(Application application) {
				WRITTEN.accept(application);
			}

		},

		/** As the validation of beans does. */
		LISTENER_FAILED {

			@Override
			void accept(Application application) {
				failInTheListener(application, new UnsupportedOperationException("invalid"));
			}

		},

		LISTENER_WROTE_A_DUPLICATE {

			@Override
			void accept(Application application) {
				failInTheListener(application, new DuplicateKeyException("duplicate"));
			}

		},

		LISTENER_WAS_ROLLED_BACK {

			@Override
			void accept(Application application) {
				failInTheListener(application, new UnexpectedRollbackException("rolled back"));
			}

		};

		private static void failInTheListener(Application application, RuntimeException failure) {
			InsideCommitContract.REACHED.set((moment) -> {
				throw failure;
			});
			WRITTEN.accept(application);
		}

		abstract void accept(Application application);

		boolean succeeds(Manager manager) {
			return this == READ || manager.writes && (this == WRITTEN || this == FLUSHED);
		}

	}

	private static final class Application {

		final DistributedLocks locks;

		final FencingGuard fencing;

		final TransactionTemplate transaction;

		final EntityManager entities;

		final JdbcTemplate jdbc;

		private final List<AbstractPlatformTransactionManager> managers;

		Application(BeanFactory beans) {
			this.locks = beans.getBean(DistributedLocks.class);
			this.fencing = beans.getBean(FencingGuard.class);
			this.managers = ManagerSetup.abstractManagers(beans);
			this.transaction = new TransactionTemplate(beans.getBean(PlatformTransactionManager.class));
			this.entities = SharedEntityManagerCreator
				.createSharedEntityManager(beans.getBean(EntityManagerFactory.class));
			this.jdbc = new JdbcTemplate(beans.getBean(DataSource.class));
		}

		void rollBackOnCommitFailure(boolean rollsBack) {
			this.managers.forEach((manager) -> manager.setRollbackOnCommitFailure(rollsBack));
		}

	}

	private static LocalContainerEntityManagerFactoryBean factory() {
		LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
		factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
		factory.setPersistenceUnitName("shared");
		factory.setManagedTypes(PersistenceManagedTypes.of(ListenedSale.class.getName()));
		return factory;
	}

	@Configuration(proxyBeanMethods = false)
	static class Local {

		@Bean
		LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
			LocalContainerEntityManagerFactoryBean factory = factory();
			factory.setDataSource(dataSource);
			return factory;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@SuppressWarnings("removal") // Hibernate needs some platform for JTA
	static class Jta {

		@Bean
		JtaTransactionManager transactionManager() {
			return JtaContract.narayana();
		}

		@Bean
		LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource,
				JtaTransactionManager manager) {
			LocalContainerEntityManagerFactoryBean factory = factory();
			factory.setJtaDataSource(dataSource);
			factory.setJpaPropertyMap(Map.of("hibernate.transaction.jta.platform", new SpringJtaPlatform(manager)));
			return factory;
		}

	}

	static class PlainJdbc extends Local {

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource) {
			return new DataSourceTransactionManager(dataSource);
		}

	}

	static class Jdbc extends Local {

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

	static class Jpa extends Local {

		@Bean
		PlatformTransactionManager transactionManager(EntityManagerFactory entityManagerFactory) {
			return new JpaTransactionManager(entityManagerFactory);
		}

	}

	@SuppressWarnings("deprecation")
	static class Chained extends Local {

		@Bean
		JpaTransactionManager first(EntityManagerFactory entityManagerFactory) {
			return new JpaTransactionManager(entityManagerFactory);
		}

		@Bean
		JdbcTransactionManager other() {
			JdbcDataSource other = new JdbcDataSource();
			other.setUrl("jdbc:h2:mem:");
			return new JdbcTransactionManager(other);
		}

		@Bean
		@Primary
		ChainedTransactionManager transactionManager(JpaTransactionManager first, JdbcTransactionManager other) {
			return new ChainedTransactionManager(other, first);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Hibernate {

		@Bean
		LocalSessionFactoryBean entityManagerFactory(DataSource dataSource) {
			LocalSessionFactoryBean factory = new LocalSessionFactoryBean();
			factory.setDataSource(dataSource);
			factory.setAnnotatedClasses(ListenedSale.class);
			return factory;
		}

		@Bean
		PlatformTransactionManager transactionManager(SessionFactory sessions) {
			return new HibernateTransactionManager(sessions);
		}

	}

}
