package io.leasehold.autoconfigure.jdbc;

import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.server.PostgresTestServer;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Databases that the driver of PostgreSQL takes for PostgreSQL.
 */
class PostgresRelativeIntegrationTests {

	/** A server that reports the version of CockroachDB. */
	@Test
	void cockroachDbFailsStartup() {
		String url = PostgresTestServer.shared().url();
		JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(url));
		jdbc.execute("CREATE SCHEMA IF NOT EXISTS relative");
		jdbc.execute("CREATE OR REPLACE FUNCTION relative.version() RETURNS text LANGUAGE sql AS "
				+ "$$ SELECT 'CockroachDB CCL v25.2.1 (x86_64-pc-linux-gnu)'::text $$");
		Leasehold.runner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withPropertyValues("leasehold.engine=jdbc", "leasehold.jdbc.initialize-schema=always",
					"spring.datasource.url=" + url + "&currentSchema=relative,pg_catalog")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("does not support CockroachDB, whose advisory locks lock nothing"));
		jdbc.execute("DROP SCHEMA relative CASCADE");
	}

}
