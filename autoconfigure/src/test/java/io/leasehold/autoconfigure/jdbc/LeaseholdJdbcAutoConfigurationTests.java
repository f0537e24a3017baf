package io.leasehold.autoconfigure.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import io.leasehold.autoconfigure.LockEngineConfigurationFailureAnalyzer;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.jdbc.JdbcConnections;
import io.leasehold.engine.jdbc.JdbcLockEngine;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.PGConnection;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LeaseholdJdbcAutoConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaseholdJdbcAutoConfigurationTests extends JdbcApplicationFixture {

	private static final String SHARING = "locks share its connections";

	@Test
	void locksAreTakenInTheApplicationsDatabase(CapturedOutput output) {
		this.runner.run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			assertThat(locks.defaults().engine()).isEqualTo("jdbc");
			try (HeldLock held = locks.acquire("order:42")) {
				assertThat(held.isValid()).isTrue();
			}
			assertThat(new JdbcTemplate(context.getBean(DataSource.class))
				.queryForObject("SELECT lock_key FROM leasehold_lock", String.class)).isEqualTo("order:42");
			assertThat(output).doesNotContain(SHARING);
		});
	}

	@Test
	void lingerTimeOnADatabaseWithoutNotificationsStopsTheStart() {
		this.runner.withPropertyValues("leasehold.linger=5s")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidConfigurationPropertyValueException.class)
				.hasFieldOrPropertyWithValue("name", "leasehold.linger")
				.hasFieldOrPropertyWithValue("reason",
						"It requires a linger time, which engine 'jdbc' does not support."
								+ " Set the linger time to 0s, or use another engine."));
	}

	@Test
	void poolIsTheEnginesOwnAndNoBean() {
		this.runner.withPropertyValues("leasehold.jdbc.pool-size=3").run((context) -> {
			assertThat(context).hasSingleBean(DataSource.class);
			DataSource own = context.getBean(JdbcConnections.class).dataSource();
			assertThat(own).isNotSameAs(context.getBean(DataSource.class))
				.isInstanceOfSatisfying(HikariDataSource.class, (pool) -> {
					assertThat(pool.getPoolName()).isEqualTo("leasehold-jdbc");
					assertThat(pool.getMaximumPoolSize()).as("three for acquisitions, four for the rest").isEqualTo(7);
					assertThat(pool.isAutoCommit()).isTrue();
				});
		});
	}

	@Test
	void poolIsClosedWithTheContext() {
		HikariDataSource[] pool = new HikariDataSource[1];
		this.runner.run((context) -> pool[0] = (HikariDataSource) context.getBean(JdbcConnections.class).dataSource());
		assertThat(pool[0].isClosed()).isTrue();
	}

	/** An application without a free connection still locks. */
	@Test
	@Fault(value = 40, engine = "jdbc")
	void applicationThatHasTakenAllItsConnectionsStillLocks() {
		this.runner.withPropertyValues("spring.datasource.hikari.maximum-pool-size=1").run((context) -> {
			try (Connection taken = context.getBean(DataSource.class).getConnection()) {
				assertThat(taken.isClosed()).isFalse();
				context.getBean(DistributedLocks.class).acquire("order:42").close();
			}
		});
	}

	/** Connections that are opened later use the credentials that are valid then. */
	@Test
	@Fault(value = 110, engine = "jdbc")
	void rotatedCredentialsAreUsedByNewConnections() {
		AtomicReference<String> password = new AtomicReference<>("first");
		this.runner.withPropertyValues("spring.datasource.password=first")
			.withBean(JdbcConnectionDetails.class, () -> new Rotated(this.url, password))
			.run((context) -> {
				assertThatLocksWorkAfter(context, "second", () -> password.set("second"));
				HikariDataSource pool = context.getBean(HikariDataSource.class);
				password.set("first");
				assertThatLocksWorkAfter(context, "third", () -> pool.setPassword("third"));
			});
	}

	private static void assertThatLocksWorkAfter(ApplicationContext context, String password, Runnable rotation)
			throws SQLException {
		DataSource own = context.getBean(JdbcConnections.class).dataSource();
		try (Connection connection = own.getConnection(); Statement statement = connection.createStatement()) {
			statement.execute("ALTER USER SA SET PASSWORD '%s'".formatted(password));
		}
		rotation.run();
		((HikariDataSource) own).getHikariPoolMXBean().softEvictConnections();
		context.getBean(DistributedLocks.class).acquire("after " + password).close();
	}

	@Test
	void missingDriverIsExplained() {
		this.runner.withPropertyValues("spring.datasource.driver-class-name=org.h2.Driver")
			.withBean(JdbcConnectionDetails.class,
					() -> new Rotated("jdbc:oracle:thin:@db:1521/shop", new AtomicReference<>("")))
			.withBean(DataSource.class, () -> new DriverManagerDataSource(this.url))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(LockEngineConfigurationException.class, (ex) -> {
					FailureAnalysis analysis = new LockEngineConfigurationFailureAnalyzer().analyze(ex);
					assertThat(analysis.getDescription())
						.contains("There is no JDBC driver 'oracle.jdbc.OracleDriver' for the lock engine's database");
					assertThat(analysis.getAction()).contains("Add the driver of your database");
				}));
	}

	/** A failure says which database it was, and none of its secrets. */
	@Test
	void failureNamesHostAndDatabase() {
		this.bare.withBean(HikariDataSource.class, () -> {
			HikariDataSource pool = new HikariDataSource();
			pool.setJdbcUrl("jdbc:postgresql://127.0.0.1:1/shop?password=secret");
			return pool;
		})
			.withPropertyValues("leasehold.jdbc.initialize-schema=never", "leasehold.jdbc.call-timeout=500ms")
			.run((context) -> assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> context
				.getBean(DistributedLocks.class)
				.acquire("a",
						context.getBean(DistributedLocks.class).defaults().toBuilder().waitTime(Duration.ZERO).build()))
				.withMessageContaining("The database postgresql://127.0.0.1:1/shop could not acquire lock 'a': ")
				.withMessageNotContaining("secret"));
	}

	@Test
	void poolOfTheApplicationsOwnMakingIsNotSharedEither(CapturedOutput output) {
		this.bare.withBean(HikariDataSource.class, () -> {
			HikariDataSource pool = new HikariDataSource();
			pool.setJdbcUrl(this.url);
			return pool;
		}).run((context) -> {
			assertThat(context.getBean(JdbcConnections.class).dataSource())
				.isNotSameAs(context.getBean(DataSource.class))
				.isInstanceOf(HikariDataSource.class);
			assertThat(output).doesNotContain(SHARING);
		});
	}

	@Test
	void dataSourceThatDoesNotTellItsUrlIsSharedWithAWarning(CapturedOutput output) {
		this.bare.withBean(DataSource.class, () -> new DriverManagerDataSource(this.url)).run((context) -> {
			assertThat(context.getBean(JdbcConnections.class).dataSource()).isSameAs(context.getBean(DataSource.class));
			assertThat(output).contains("The application's DataSource does not expose its URL: " + SHARING);
		});
	}

	@Test
	void namedDataSourceIsUsed(CapturedOutput output) {
		DataSource locks = new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
		this.bare
			.withBean("application", DataSource.class, () -> new DriverManagerDataSource(this.url),
					(definition) -> definition.setPrimary(true))
			.withBean("locks", DataSource.class, () -> locks)
			.withPropertyValues("leasehold.jdbc.data-source=locks")
			.run((context) -> {
				assertThat(context.getBean(JdbcConnections.class).dataSource()).isSameAs(locks);
				assertThat(output).doesNotContain(SHARING);
			});
	}

	@Test
	void namingTheApplicationsDataSourceWarns(CapturedOutput output) {
		this.runner.withPropertyValues("leasehold.jdbc.data-source=dataSource")
			.run((context) -> assertThat(output).contains("'dataSource': " + SHARING));
	}

	@Test
	void nameOfNoDataSourceStopsTheStart() {
		this.runner.withPropertyValues("leasehold.jdbc.data-source=nope")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("leasehold.jdbc.data-source is 'nope'"));
	}

	@Test
	void severalDataSourcesNeedAName() {
		this.bare.withBean("one", DataSource.class, () -> new DriverManagerDataSource(this.url))
			.withBean("other", DataSource.class, () -> new DriverManagerDataSource(this.url))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("several DataSource beans"));
	}

	@Test
	void badFiguresStopTheStart() {
		assertStopped("leasehold.jdbc.table=x; DROP", "leasehold.jdbc.table must be a name");
		assertStopped("leasehold.jdbc.call-timeout=1ms", "leasehold.jdbc.call-timeout must be between");
		assertStopped("leasehold.jdbc.poll-min=2s", "leasehold.jdbc.poll-min must be between");
		assertStopped("leasehold.jdbc.pool-size=0", "leasehold.jdbc.pool-size must be between 1 and 100");
	}

	private void assertStopped(String property, String message) {
		this.runner.withPropertyValues(property)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining(message));
	}

	@Test
	void absentWithoutAClient() {
		for (Class<?> client : new Class<?>[] { HikariDataSource.class, JdbcOperations.class }) {
			this.bare.withPropertyValues("leasehold.engine=local")
				.withClassLoader(new FilteredClassLoader(client))
				.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(JdbcLockEngine.class));
		}
	}

	@Test
	void absentWithoutADatabase() {
		Leasehold.runner()
			.withPropertyValues("leasehold.engine=jdbc")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("leasehold.engine is 'jdbc', but the client of that engine is not configured"));
	}

	@Test
	void absentWhenSwitchedOff() {
		this.runner.withPropertyValues("leasehold.jdbc.enabled=false", "leasehold.engine=local")
			.run((context) -> assertThat(context).doesNotHaveBean(JdbcLockEngine.class)
				.doesNotHaveBean(JdbcConnections.class));
	}

	@Test
	void ownConnectionsWin() {
		JdbcConnections own = JdbcConnections.of(new DriverManagerDataSource(this.url));
		this.runner.withBean(JdbcConnections.class, () -> own).run((context) -> {
			assertThat(context.getBean(JdbcConnections.class)).isSameAs(own);
			assertThat(context).getBean(LockEngine.class).isInstanceOf(JdbcLockEngine.class);
		});
	}

	@Test
	void driverIsInANativeImage() {
		RuntimeHints hints = new RuntimeHints();
		new LeaseholdJdbcAutoConfiguration.JdbcHints().registerHints(hints, null);
		assertThat(RuntimeHintsPredicates.reflection().onType(PGConnection.class)).accepts(hints);
	}

	/** Connection details whose password changes. */
	private record Rotated(String url, AtomicReference<String> password) implements JdbcConnectionDetails {

		@Override
		public String getJdbcUrl() {
			return this.url;
		}

		@Override
		public String getUsername() {
			return "sa";
		}

		@Override
		public String getPassword() {
			return this.password.get();
		}

	}

}
