package io.leasehold.autoconfigure.fencing;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import javax.sql.DataSource;

import io.leasehold.FencingGuard;
import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockEngineException;
import io.leasehold.StaleFencingTokenException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import io.leasehold.autoconfigure.OwnProtocol;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.transaction.JdbcFencingGuard;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LeaseholdFencingAutoConfigurationTests {

	private final ApplicationContextRunner withoutDatabase = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LeaseholdAutoConfiguration.class, LeaseholdLocalAutoConfiguration.class,
						LeaseholdFencingAutoConfiguration.class, TransactionAutoConfiguration.class))
		.withPropertyValues("leasehold.engine=local", "leasehold.wait-time=0s",
				"spring.datasource.generate-unique-name=true");

	private final ApplicationContextRunner runner = this.withoutDatabase
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class));

	@Test
	void fencedMethodAnnouncesItsToken() {
		this.runner.withUserConfiguration(Shop.class).run((context) -> {
			long token = context.getBean(Shop.class).sell(() -> {
			});
			assertThat(context.getBean(JdbcTemplate.class)
				.queryForMap("SELECT engine, namespace, lock_key, token FROM leasehold_fence"))
				.containsValues("local", "leasehold", "shop", token);
		});
	}

	@Test
	void staleTokenRollsTheTransactionBack() {
		this.runner.withUserConfiguration(Shop.class).run((context) -> {
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			jdbc.execute("CREATE TABLE sale (id INT)");
			// Announced by its successor while this owner is in the middle of its method
			TransactionTemplate successor = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
			successor.setPropagationBehavior(TransactionTemplate.PROPAGATION_NOT_SUPPORTED);
			assertThatExceptionOfType(StaleFencingTokenException.class)
				.isThrownBy(() -> context.getBean(Shop.class).sell(() -> {
					jdbc.update("INSERT INTO sale VALUES (1)");
					successor
						.executeWithoutResult((status) -> jdbc.update("UPDATE leasehold_fence SET token = token + 64"));
				}));
			assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM sale", Integer.class)).isZero();
		});
	}

	@Test
	void managerWhoseListenersWereReplacedIsGuardedAtTheCall() {
		this.runner.withUserConfiguration(Shop.class).run((context) -> {
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			jdbc.execute("CREATE TABLE sale (id INT)");
			context.getBean(ConfigurableTransactionManager.class).setTransactionExecutionListeners(List.of());
			assertThatExceptionOfType(StaleFencingTokenException.class)
				.isThrownBy(() -> context.getBean(Shop.class).sell(() -> {
					jdbc.update("INSERT INTO sale VALUES (1)");
					jdbc.update("UPDATE leasehold_fence SET token = token + 64");
				}));
			assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM sale", Integer.class)).isZero();
		});
	}

	@Test
	void openTransactionIsRefusedAndTheLockGivenBack() {
		this.runner.withUserConfiguration(Shop.class).run((context) -> {
			TransactionTemplate open = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
			assertThatExceptionOfType(IllegalStateException.class)
				.isThrownBy(() -> open.executeWithoutResult((status) -> context.getBean(Shop.class).sell(() -> {
				})))
				.withMessageContaining("shop");
			assertThat(context.getBean(LocalLockEngine.class).size()).isZero();
		});
	}

	@Test
	void fencedMethodNeverRunsWithoutItsLock() {
		this.runner.withUserConfiguration(Shop.class)
			.withPropertyValues("leasehold.when-unavailable=proceed")
			.run((context) -> {
				context.getBean(LocalLockEngine.class).faults().setDown(true);
				assertThatExceptionOfType(LockEngineException.class)
					.isThrownBy(() -> context.getBean(Shop.class).sell(() -> {
						throw new AssertionError("The body ran without its lock");
					}));
			});
	}

	@Test
	void withoutDatabaseTheStartStops() {
		this.withoutDatabase.withUserConfiguration(Shop.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("Shop.sell")
				.hasMessageContaining("no database whose transactions could be guarded"));
	}

	@Test
	void withoutTransactionManagerTheStartStops() {
		this.withoutDatabase.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withUserConfiguration(Shop.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("Shop.sell")
				.hasMessageContaining("transaction manager"));
	}

	@Test
	void withoutTableTheStartStops() {
		this.runner.withUserConfiguration(Shop.class)
			.withPropertyValues("leasehold.fencing.initialize-schema=never")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("Table leasehold_fence")
				.hasMessageContaining("leasehold.fencing.initialize-schema"));
	}

	/**
	 * A bean may use fenced methods before the guard's bean would be created otherwise.
	 */
	@Test
	void tableOfTheApplicationsMigrationExistsBeforeTheFirstCall() {
		this.runner.withConfiguration(AutoConfigurations.of(DataSourceInitializationAutoConfiguration.class))
			.withUserConfiguration(EarlyCall.class, Shop.class)
			.withPropertyValues("leasehold.fencing.initialize-schema=never",
					"spring.sql.init.schema-locations=classpath:io/leasehold/transaction/migration/h2/R__leasehold_fence.sql")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	/** As databases refuse a table that another instance is creating at the moment. */
	@Test
	void tableIsCreatedOnceMoreIfThatFails() throws Exception {
		RefusingOnce database = new RefusingOnce();
		FenceTableInitializer.Properties properties = new FenceTableInitializer.Properties();
		properties.setInitializeSchema(DatabaseInitializationMode.ALWAYS);
		FenceTableInitializer initializer = new FenceTableInitializer(database, properties,
				new DefaultResourceLoader());
		database.refuses = true;
		initializer.initializeDatabase();
		assertThat(database.refuses).isFalse();
		assertThat(new JdbcTemplate(database).queryForList("SELECT * FROM leasehold_fence")).isEmpty();
	}

	@Test
	void tableThatCannotBeCreatedStopsTheStartWithTheReason() {
		this.runner.withUserConfiguration(Shop.class)
			.withPropertyValues("leasehold.fencing.schema=classpath:META-INF/spring.factories")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("The fence table 'leasehold_fence' could not be created: ")
				.hasMessageContaining("leasehold.fencing.initialize-schema"));
	}

	@Test
	void scriptMayHaveAProtocolOfTheApplication() {
		this.runner.withUserConfiguration(Shop.class)
			.withInitializer(OwnProtocol::register)
			.withPropertyValues("leasehold.fencing.schema=" + OwnProtocol.PREFIX
					+ "io/leasehold/transaction/migration/h2/R__leasehold_fence.sql")
			.run((context) -> assertThat(context.getBean(Shop.class).sell(() -> {
			})).isPositive());
	}

	/** The table is the concern of the fenced methods only. */
	@ParameterizedTest
	@ValueSource(strings = { "embedded", "always", "never" })
	void databaseIsNotUsedWhereNothingIsFenced(String initialize) {
		AbstractRoutingDataSource unusable = new AbstractRoutingDataSource() {

			@Override
			protected Object determineCurrentLookupKey() {
				throw new UnsupportedOperationException("A request chooses the database");
			}

		};
		unusable.setTargetDataSources(Map.of());
		this.runner.withBean(DataSource.class, () -> unusable)
			.withPropertyValues("leasehold.fencing.initialize-schema=" + initialize)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(JdbcTemplate.class));
	}

	@Test
	void embeddedDatabaseWithoutScriptIsNotAskedForATable() {
		this.runner
			.withPropertyValues("spring.datasource.url=jdbc:hsqldb:mem:" + UUID.randomUUID(),
					"spring.datasource.username=sa")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void worksWithoutJdbc() {
		this.withoutDatabase.withClassLoader(new FilteredClassLoader("org.springframework.jdbc"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(FencingGuard.class));
	}

	@Test
	void ownGuardWins() {
		FencingGuard own = HeldLockScope::open;
		this.runner.withUserConfiguration(Shop.class).withBean("own", FencingGuard.class, () -> own).run((context) -> {
			assertThat(context).doesNotHaveBean(JdbcFencingGuard.class);
			assertThat(context.getBean(Shop.class).sell(() -> {
			})).isPositive();
		});
	}

	static class EarlyCall {

		EarlyCall(Shop shop) {
			assertThat(shop.sell(() -> {
			})).isPositive();
		}

	}

	static class RefusingOnce extends DriverManagerDataSource {

		boolean refuses;

		RefusingOnce() {
			super("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()), "sa", "");
		}

		@Override
		public Connection getConnection() throws SQLException {
			if (this.refuses) {
				this.refuses = false;
				throw new SQLException("somebody else creates it");
			}
			return super.getConnection();
		}

	}

	static class Shop {

		@Transactional
		@DistributedLock(key = "'shop'", fenced = true)
		public long sell(Runnable body) {
			body.run();
			return HeldLock.current().fencingToken();
		}

	}

}
