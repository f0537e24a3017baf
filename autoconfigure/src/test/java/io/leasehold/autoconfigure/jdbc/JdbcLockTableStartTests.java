package io.leasehold.autoconfigure.jdbc;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import javax.sql.DataSource;

import io.leasehold.DistributedLocks;
import io.leasehold.LockEngineException;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import io.leasehold.autoconfigure.OwnProtocol;
import io.leasehold.engine.jdbc.LockTableScript;
import io.leasehold.test.contract.Fault;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tables that are created or explained at startup.
 */
@ExtendWith(OutputCaptureExtension.class)
class JdbcLockTableStartTests extends JdbcApplicationFixture {

	/** The pool repeats attempts to connect for the whole time. */
	private static final String REFUSED_FOR = "leasehold.jdbc.call-timeout=10s";

	@Test
	void tableInAFileIsCreatedOnlyWhenAskedFor(@TempDir Path folder) {
		ApplicationContextRunner file = this.bare.withPropertyValues(
				"spring.datasource.url=jdbc:h2:file:%s;AUTO_SERVER=TRUE;WRITE_DELAY=0".formatted(folder.resolve("db")));
		file.run((context) -> assertThat(context).hasFailed());
		file.withPropertyValues("leasehold.jdbc.initialize-schema=always")
			.run((context) -> context.getBean(DistributedLocks.class).acquire("order:42").close());
		file.run((context) -> context.getBean(DistributedLocks.class).acquire("order:42").close());
	}

	@Test
	void tableIsNotCreatedWhenNeverAskedFor() {
		this.runner.withPropertyValues("leasehold.jdbc.initialize-schema=never").run((context) -> {
			assertThat(context).hasFailed();
			try (Connection connection = new DriverManagerDataSource(this.url, "sa", "").getConnection()) {
				assertThat(connection.getMetaData().getTables(null, null, "LEASEHOLD_LOCK", null).next()).isFalse();
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		});
	}

	@Test
	void scriptMayHaveAProtocolOfTheApplication() {
		this.runner.withInitializer(OwnProtocol::register)
			.withPropertyValues("leasehold.jdbc.schema=" + OwnProtocol.PREFIX + LockTableScript.LOCATION)
			.run((context) -> context.getBean(DistributedLocks.class).acquire("order:42").close());
	}

	/** The locks are in a table that the application's own migrations create. */
	@Test
	void engineDependsOnOwnMigrationsOfSeveralDatabases() {
		this.runner.withBean("migrations", Flyway.class, () -> Flyway.configure().load())
			.withBean("one", DataSource.class, () -> new DriverManagerDataSource(this.url, "sa", ""))
			.withBean("two", DataSource.class, () -> new DriverManagerDataSource("jdbc:h2:mem:two", "sa", ""))
			.withPropertyValues("leasehold.jdbc.data-source=one")
			.run((context) -> assertThat(
					context.getBeanFactory().getBeanDefinition("leaseholdJdbcLockEngine").getDependsOn())
				.containsExactly("migrations"));
	}

	@Test
	void tableThatCannotBeCreatedStopsTheStartWithTheReason() {
		this.runner.withPropertyValues("leasehold.jdbc.table=nowhere.my_locks")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("The lock table 'nowhere.my_locks' could not be created")
				.hasMessageContaining("Schema \"NOWHERE\" not found"));
	}

	/** A missing table fails startup, with the statements that create it. */
	@Test
	@Fault(value = 49, engine = "jdbc")
	void missingTableIsExplainedWithAllWaysToCreateIt() {
		this.runner.withPropertyValues("leasehold.jdbc.initialize-schema=never").run((context) -> {
			FailureAnalysis analysis = analysis(context);
			assertThat(analysis.getDescription()).contains("\"LEASEHOLD_LOCK\" not found");
			assertThat(analysis.getAction()).contains("leasehold.jdbc.initialize-schema to always")
				.contains("spring.flyway.locations")
				.contains("io/leasehold/engine/jdbc/migration/changelog.yaml")
				.contains("CREATE TABLE IF NOT EXISTS leasehold_lock (");
		});
	}

	@Test
	void missingTableOfAnotherNameIsNotLeftToOurMigrations() {
		this.runner.withPropertyValues("leasehold.jdbc.initialize-schema=never", "leasehold.jdbc.table=public.my_locks")
			.run((context) -> {
				FailureAnalysis analysis = analysis(context);
				assertThat(analysis.getDescription())
					.startsWith("The lock table 'public.my_locks' or 'public.my_locks_holder' is missing (")
					.contains("\"MY_LOCKS\" not found");
				assertThat(analysis.getAction()).contains("leasehold.jdbc.initialize-schema to always")
					.contains("your own Flyway or Liquibase migrations")
					.doesNotContain("spring.flyway.locations")
					.doesNotContain("changelog.yaml")
					.contains("CREATE TABLE IF NOT EXISTS public.my_locks (",
							"CREATE TABLE IF NOT EXISTS public.my_locks_holder (");
			});
	}

	/** So is one with other columns. */
	@Test
	@Fault(value = 49, engine = "jdbc")
	void tableWithOtherColumnsIsExplainedWithTheRightOnes() throws SQLException {
		try (Connection connection = DriverManager.getConnection(this.url, "sa", "");
				Statement statement = connection.createStatement()) {
			statement.execute("CREATE TABLE leasehold_lock (id BINARY(32) PRIMARY KEY)");
		}
		this.runner.run((context) -> {
			FailureAnalysis analysis = analysis(context);
			assertThat(analysis.getDescription())
				.startsWith("The lock table 'leasehold_lock' or 'leasehold_lock_holder' lacks a required column (");
			assertThat(analysis.getAction()).contains("CREATE TABLE IF NOT EXISTS leasehold_lock (",
					"CREATE TABLE IF NOT EXISTS leasehold_lock_holder (");
		});
	}

	/** A missing privilege is reported with the required grant. */
	@Test
	@Fault(value = 49, engine = "jdbc")
	void missingPrivilegeIsExplainedWithTheGrant() throws SQLException {
		this.runner.run((context) -> assertThat(context).hasNotFailed());
		try (Connection connection = DriverManager.getConnection(this.url, "sa", "");
				Statement statement = connection.createStatement()) {
			statement.execute("CREATE USER poor PASSWORD 'poor'");
			statement.execute("GRANT SELECT, INSERT, UPDATE ON leasehold_lock TO poor");
		}
		this.bare
			.withPropertyValues("spring.datasource.url=" + this.url.replace(";DB_CLOSE_DELAY=-1", ""),
					"spring.datasource.username=poor", "spring.datasource.password=poor",
					"leasehold.jdbc.initialize-schema=never")
			.run((context) -> {
				FailureAnalysis analysis = analysis(context);
				assertThat(analysis.getDescription()).startsWith(
						"The lock table 'leasehold_lock' or 'leasehold_lock_holder' is not accessible to the database user (");
				assertThat(analysis.getAction()).contains(
						"GRANT SELECT, INSERT, UPDATE, DELETE ON leasehold_lock TO ...;",
						"GRANT SELECT, INSERT, UPDATE, DELETE ON leasehold_lock_holder TO ...;");
			});
	}

	@Test
	void explanationIsWhatTheApplicationPrints(CapturedOutput output) {
		assertThatException()
			.isThrownBy(() -> new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
				.run("--spring.datasource.url=" + this.url, "--leasehold.jdbc.initialize-schema=never"));
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("CREATE TABLE IF NOT EXISTS leasehold_lock (",
					"CREATE TABLE IF NOT EXISTS leasehold_lock_holder (");
	}

	@Test
	void databaseThatIsDownStopsTheStartOnlyIfTheTableMayHaveToBeCreated() {
		ApplicationContextRunner down = this.bare.withPropertyValues(
				"spring.datasource.url=jdbc:postgresql://127.0.0.1:1/db", "leasehold.jdbc.call-timeout=250ms",
				"leasehold.wait-time=0");
		down.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOf(LockEngineConfigurationException.class)
			.hasMessageContaining("the lock table cannot be created: ")
			.hasMessageContaining("leasehold.jdbc.initialize-schema to never"));
		down.withPropertyValues("leasehold.jdbc.initialize-schema=never")
			.run((context) -> assertThatExceptionOfType(LockEngineException.class)
				.isThrownBy(() -> context.getBean(DistributedLocks.class).acquire("order:42")));
	}

	@Test
	void databaseThatDoesNotExistIsNotReportedAsUnavailable() {
		this.bare
			.withPropertyValues("spring.datasource.url=jdbc:h2:mem:%s;IFEXISTS=TRUE".formatted(UUID.randomUUID()),
					"leasehold.jdbc.initialize-schema=always", REFUSED_FOR)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("not found")
				.hasMessageContaining("Check the connection of the application's DataSource"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "always", "never" })
	void databaseThatRefusesTheUserStopsTheStart(String initialize) {
		this.runner.run((context) -> assertThat(context).hasNotFailed());
		this.runner
			.withPropertyValues("spring.datasource.password=wrong", "leasehold.jdbc.initialize-schema=" + initialize,
					REFUSED_FOR)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("Wrong user name or password")
				.hasMessageContaining("leasehold.jdbc.data-source"));
	}

	@Test
	void tableMayHaveAnotherName() {
		this.runner.withPropertyValues("leasehold.jdbc.table=public.my_locks").run((context) -> {
			context.getBean(DistributedLocks.class).acquire("order:42").close();
			assertThat(new JdbcTemplate(context.getBean(DataSource.class))
				.queryForObject("SELECT COUNT(*) FROM my_locks", Integer.class)).isOne();
		});
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, LeaseholdAutoConfiguration.class,
			LeaseholdJdbcAutoConfiguration.class })
	static class Application {

	}

}
