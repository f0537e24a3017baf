package io.leasehold.autoconfigure;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StartupLog}.
 */
@ExtendWith(OutputCaptureExtension.class)
class StartupLogTests {

	private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(StartupLog.class);

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class));

	@BeforeAll
	static void logAtInfo() {
		LOGGER.setLevel(Level.INFO);
	}

	@AfterAll
	static void resetLevel() {
		LOGGER.setLevel(null);
	}

	/** Nothing listens at these addresses: the line needs no store. */
	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					redis     | localhost:1                           | spring.data.redis.host=localhost, spring.data.redis.port=1, spring.data.redis.password=s3cret
					redis     | localhost:1                           | spring.data.redis.url=redis://shop:s3cret@localhost:1
					redis     | cluster nodes [localhost:1, localhost:2] | spring.data.redis.cluster.nodes=localhost:1;localhost:2
					redlock   | [localhost:1, localhost:2, localhost:3] | leasehold.redlock.nodes=localhost:1;localhost:2;localhost:3, leasehold.redlock.password=s3cret
					jdbc      | postgresql://localhost:1/shop         | spring.datasource.url=jdbc:postgresql://localhost:1/shop?user=shop&password=s3cret, leasehold.jdbc.initialize-schema=never
					etcd      | [http://localhost:1]                  | leasehold.etcd.endpoints=http://localhost:1, leasehold.etcd.user=shop, leasehold.etcd.password=s3cret
					zookeeper | localhost:1/shop                      | leasehold.zookeeper.connect-string=localhost:1/shop
					memcached | [localhost:1]                         | leasehold.memcached.servers=localhost:1
					""")
	void storeIsNamedWithoutCredentials(String engine, String location, String properties, CapturedOutput output) {
		this.runner.withPropertyValues("leasehold.engine=" + engine)
			.withPropertyValues(properties.replace(';', ',').split(", "))
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output.getOut())
			.containsOnlyOnce(
					"Locks use engine '%s' (%s) by default, namespace 'leasehold', lease 30000 ms, wait time 5000 ms"
						.formatted(engine, location))
			.doesNotContain("s3cret");
	}

	@Test
	void allEnginesAreNamed(CapturedOutput output) {
		this.runner.withPropertyValues("leasehold.engine=local", "leasehold.namespace=shop", "leasehold.lease=20s",
				"leasehold.wait-time=0", "leasehold.etcd.enabled=true", "leasehold.etcd.endpoints=http://localhost:1")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output.getOut()).containsOnlyOnce("Locks use engine 'local' by default, namespace 'shop', "
				+ "lease 20000 ms, wait time 0 ms. Other engines: 'etcd' ([http://localhost:1])");
	}

	@Test
	void applicationWithoutLocksIsWarnedInstead(CapturedOutput output) {
		this.runner.withPropertyValues("leasehold.enabled=false").run((context) -> assertThat(context).hasNotFailed());
		assertThat(output.getOut()).contains("leasehold.enabled is 'false'").doesNotContain("Locks use engine");
	}

}
