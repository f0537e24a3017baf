package io.leasehold.autoconfigure.jdbc;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;

import io.leasehold.DistributedLocks;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.engine.jdbc.LockTableScript;
import io.leasehold.server.MariaDbTestServer;
import io.leasehold.server.PostgresTestServer;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The lock table as a migration of the application's, by the real tools.
 */
@Tag("full")
class JdbcMigrationIntegrationTests {

	private static final String OURS = "classpath:io/leasehold/engine/jdbc/migration/{vendor}";

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withPropertyValues(Leasehold.patient())
		.withPropertyValues("leasehold.jdbc.initialize-schema=never");

	@ParameterizedTest
	@MethodSource("databases")
	void flywayCreatesTheTableBesideTheApplicationsVersions(String url) {
		ApplicationContextRunner flyway = this.runner
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, FlywayAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=" + url,
					"spring.flyway.locations=classpath:io/leasehold/autoconfigure/flyway," + OURS);
		flyway.run(JdbcMigrationIntegrationTests::locks);
		flyway.run((context) -> {
			locks(context);
			assertThat(context.getBean(Flyway.class).info().applied()).extracting(MigrationInfo::getScript)
				.containsExactly("V1__first.sql", "V2026.11.21__later.sql", "R__leasehold_lock.sql");
		});
	}

	@ParameterizedTest
	@MethodSource("databases")
	void liquibaseIncludesTheTable(String url) {
		ApplicationContextRunner liquibase = this.runner
			.withConfiguration(
					AutoConfigurations.of(DataSourceAutoConfiguration.class, LiquibaseAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=" + url,
					"spring.liquibase.change-log=classpath:io/leasehold/autoconfigure/liquibase/master.yaml",
					"spring.liquibase.analytics-enabled=false");
		liquibase.run(JdbcMigrationIntegrationTests::locks);
		liquibase.run((context) -> {
			locks(context);
			assertThat(strings(context, "SELECT id FROM DATABASECHANGELOG ORDER BY orderexecuted")).containsExactly("1",
					"leasehold_lock");
		});
	}

	/** One script for both, which differ in nothing that matters here. */
	@Test
	void scriptOfMariaDbIsThatOfMySql() throws IOException {
		assertThat(script("mariadb")).isEqualTo(script("mysql"));
	}

	private static String script(String platform) throws IOException {
		return new ClassPathResource(LockTableScript.LOCATION.replace("@@platform@@", platform))
			.getContentAsString(StandardCharsets.UTF_8);
	}

	private static void locks(AssertableApplicationContext context) {
		context.getBean(DistributedLocks.class).acquire("order:42").close();
	}

	private static List<String> strings(ApplicationContext context, String sql) {
		return new JdbcTemplate(context.getBean(DataSource.class)).queryForList(sql, String.class);
	}

	/** Databases without any table. */
	static Stream<String> databases() throws SQLException {
		String name = "m" + UUID.randomUUID().toString().replace("-", "");
		return Stream.of("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(name),
				create(PostgresTestServer.shared().url(), "/postgres?", name),
				create(MariaDbTestServer.shared().url(), "/test?", name));
	}

	private static String create(String url, String database, String name) throws SQLException {
		try (Connection connection = DriverManager.getConnection(url);
				Statement statement = connection.createStatement()) {
			statement.execute("CREATE DATABASE " + name);
		}
		return url.replace(database, "/%s?".formatted(name));
	}

}
