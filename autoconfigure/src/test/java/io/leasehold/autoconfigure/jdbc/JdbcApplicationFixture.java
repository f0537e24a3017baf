package io.leasehold.autoconfigure.jdbc;

import java.util.UUID;

import io.leasehold.autoconfigure.Leasehold;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications with a database in memory.
 */
abstract class JdbcApplicationFixture {

	final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

	/**
	 * An application starts if the database does not respond in time, and even a database
	 * in memory may not on a busy machine.
	 */
	final ApplicationContextRunner bare = Leasehold.runner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
		.withPropertyValues("leasehold.jdbc.call-timeout=30s", "leasehold.lease=5m");

	final ApplicationContextRunner runner = this.bare.withPropertyValues("spring.datasource.url=" + this.url);

	static FailureAnalysis analysis(AssertableApplicationContext context) {
		FailureAnalysis analysis = new LockTableFailureAnalyzer().analyze(context.getStartupFailure());
		assertThat(analysis).isNotNull();
		return analysis;
	}

}
