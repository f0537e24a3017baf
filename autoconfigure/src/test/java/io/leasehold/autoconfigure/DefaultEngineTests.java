package io.leasehold.autoconfigure;

import io.leasehold.engine.LockEngine;
import io.leasehold.service.LockService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class DefaultEngineTests {

	private final ApplicationContextRunner runner = Leasehold.runner();

	@Test
	void noEngineIsExplained() {
		this.runner.run(failsWith("leasehold.engine is not set, and no client of a lock engine is configured.",
				"""
						Do one of these:

						    - for etcd, add io.grpc:grpc-netty-shaded and set leasehold.etcd.endpoints
						    - for a database, add org.springframework.boot:spring-boot-starter-jdbc and the driver of your database
						    - for locks inside one JVM only, as in tests, set leasehold.engine to 'local'
						    - for Redis, add org.springframework.boot:spring-boot-starter-data-redis, with Lettuce even if the application uses Jedis
						    - for a majority of independent Redis masters, add io.lettuce:lettuce-core and set leasehold.redlock.nodes
						    - for ZooKeeper, add org.apache.curator:curator-framework:5.9.0 and set leasehold.zookeeper.connect-string
						    - for another store, define a bean of type io.leasehold.engine.LockEngine"""));
	}

	@Test
	void severalEnginesAreNamed() {
		withEngines("etcd", "consul")
			.run(failsWith("leasehold.engine is not set, and several lock engines are available: 'consul', 'etcd'.",
					"Set leasehold.engine to the default engine. "
							+ "To use another one as well, set its leasehold.<name>.enabled to true; "
							+ "an engine bean of the application is always available."));
	}

	@Test
	void engineIsTheOnlyOneWhenTheOthersAreDisabled() {
		withEngines("etcd").withPropertyValues("leasehold.redis.enabled=false", "leasehold.jdbc.enabled=false")
			.run((context) -> assertThat(context.getBean(LockService.class).defaults().engine()).isEqualTo("etcd"));
	}

	@Test
	void missingClientOfRedisIsNamed() {
		this.runner.withPropertyValues("leasehold.engine=redis")
			.withClassLoader(new FilteredClassLoader("org.springframework.data.redis"))
			.run(failsWith("leasehold.engine is 'redis', but the client of that engine is not on the classpath.",
					"Add org.springframework.boot:spring-boot-starter-data-redis, or io.lettuce:lettuce-core"
							+ " if the application uses Jedis, or set leasehold.engine to another engine."));
	}

	@Test
	void missingClientOfJdbcIsNamed() {
		this.runner.withPropertyValues("leasehold.engine=jdbc")
			.withClassLoader(new FilteredClassLoader("org.springframework.jdbc"))
			.run(failsWith("leasehold.engine is 'jdbc', but the client of that engine is not on the classpath.",
					"Add org.springframework.boot:spring-boot-starter-jdbc and the driver of your database, "
							+ "or set leasehold.engine to another engine."));
	}

	@Test
	void clientThatIsNotConfiguredIsExplained() {
		this.runner.withPropertyValues("leasehold.engine=jdbc")
			.run(failsWith("leasehold.engine is 'jdbc', but the client of that engine is not configured.",
					"Configure it with spring.datasource.*, and make sure that LeaseholdJdbcAutoConfiguration is not "
							+ "excluded. Start with --debug to see why it did not match."));
	}

	@Test
	void unknownEngineIsExplained() {
		this.runner.withPropertyValues("leasehold.engine=consul")
			.run(failsWith("leasehold.engine is 'consul', but there is no lock engine of that name, "
					+ "only 'etcd', 'hazelcast', 'jdbc', 'local', 'memcached', 'redis', 'redlock', 'zookeeper'.",
					"Use one of them, or define a bean of type io.leasehold.engine.LockEngine that has this name."));
	}

	@Test
	void unknownEngineIsExplainedWithTheEnginesOfTheApplication() {
		withEngines("consul").withPropertyValues("leasehold.engine=etc")
			.run(failsWith("leasehold.engine is 'etc', but there is no lock engine of that name, "
					+ "only 'consul', 'etcd', 'hazelcast', 'jdbc', 'local', 'memcached', 'redis', 'redlock', 'zookeeper'.",
					"Use one of them, or define a bean of type io.leasehold.engine.LockEngine that has this name."));
	}

	@Test
	void enginesOfEqualNamesAreRefused() {
		withEngines("consul").withPropertyValues("leasehold.engine=etcd")
			.withBean("two", LockEngine.class, () -> new StubEngine("etcd"))
			.withBean("one", LockEngine.class, () -> new StubEngine("etcd"))
			.run(failsWith(
					"Two lock engines are named 'etcd': bean 'one' (io.leasehold.autoconfigure.StubEngine) "
							+ "and bean 'two' (io.leasehold.autoconfigure.StubEngine).",
					"Let each bean of type io.leasehold.engine.LockEngine return a different name from name(), "
							+ "or remove one of them."));
	}

	@Test
	void engineWithTheNameOfABuiltInOneIsRefusedBesideIt() {
		withEngines("local").withPropertyValues("leasehold.local.enabled=true")
			.run(failsWith("Two lock engines are named 'local': bean 'leaseholdLocalLockEngine' "
					+ "(io.leasehold.engine.local.LocalLockEngine) and bean 'local' (io.leasehold.autoconfigure.StubEngine).",
					"Let each bean of type io.leasehold.engine.LockEngine return a different name from name(), "
							+ "or remove one of them."));
	}

	@Test
	void applicationThatFailsToStartPrintsTheReason(CapturedOutput output) {
		SpringApplication application = new SpringApplication(Application.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		assertThatExceptionOfType(Exception.class)
			.isThrownBy(() -> application.run("--leasehold.engine=rediss").close());
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("only 'etcd', 'hazelcast', 'jdbc', 'local', 'memcached', 'redis', 'redlock', 'zookeeper'");
	}

	@Test
	void applicationWithABadPropertyPrintsItsNameAndOrigin(CapturedOutput output) {
		SpringApplication application = new SpringApplication(Application.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> application.run("--leasehold.lease=-1s").close());
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("Invalid value '-1s' for configuration property 'leasehold.lease'")
			.contains("It must be at least 1ms and at most 365d.");
	}

	private ApplicationContextRunner withEngines(String... names) {
		ApplicationContextRunner result = this.runner;
		for (String name : names) {
			result = result.withBean(name, LockEngine.class, () -> new StubEngine(name));
		}
		return result;
	}

	private static ContextConsumer<AssertableApplicationContext> failsWith(String description, String action) {
		return (context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new LockEngineConfigurationFailureAnalyzer()
				.analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).isEqualTo(description);
			assertThat(analysis.getAction()).isEqualTo(action);
		};
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LeaseholdAutoConfiguration.class)
	static class Application {

	}

}
