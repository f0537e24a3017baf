package io.leasehold.autoconfigure.redis;

import io.leasehold.DistributedLocks;
import io.leasehold.LockEngineException;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import io.leasehold.autoconfigure.StubEngine;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.redis.RedisLockEngine;
import io.leasehold.engine.redis.WakeUp;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCaptureExtension.class)
class LeaseholdRedisAutoConfigurationTests {

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class));

	@Test
	void onlyConfiguredClientIsChosen() {
		this.runner.run((context) -> assertThat(context).getBean(LockService.class)
			.extracting((service) -> service.defaults().engine())
			.isEqualTo("redis"));
	}

	@Test
	void contextStartsWithoutAServer() {
		this.runner.withPropertyValues("spring.data.redis.port=1").run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> locks.tryAcquire("order:42"))
				.withMessageContaining("Redis could not acquire lock 'order:42'");
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			spring.data.redis.port=1                                                     | localhost:1
			spring.data.redis.cluster.nodes=localhost:1                                  | cluster nodes [localhost:1]
			spring.data.redis.sentinel.master=m,spring.data.redis.sentinel.nodes=localhost:1 | sentinels [localhost:1]
			""")
	void addressThatDoesNotRespondIsReportedAtStartup(String properties, String address, CapturedOutput output) {
		this.runner.withPropertyValues(properties.split(","))
			.run((context) -> await()
				.until(() -> output.toString().contains("Locks fail until Redis can be reached at " + address)));
	}

	/** Netty logged stack traces because it was closed while it still connected. */
	@Test
	void startupThatFailsForItsConfigurationDoesNotConnect(CapturedOutput output) {
		for (int i = 0; i < 15; i++) { // The first one ends before Netty's classes load
			this.runner.withPropertyValues("leasehold.lease=100ms").run((context) -> {
				assertThat(context).hasFailed();
				assertThat(context.getStartupFailure()).rootCause().hasMessageContaining("leasehold.lease");
			});
		}
		assertThat(output).doesNotContain("io.netty", "io.lettuce", "leasehold-redis");
	}

	@Test
	void ownEngineWins() {
		this.runner.run((context) -> {
			RedisLockEngine own = context.getBean(RedisLockEngine.class);
			this.runner.withBean("own", RedisLockEngine.class, () -> own)
				.run((other) -> assertThat(other).getBean(LockEngine.class).isSameAs(own));
		});
	}

	@Test
	void leftOutWhenAnotherEngineIsNamed() {
		this.runner.withPropertyValues("leasehold.engine=local")
			.run((context) -> assertThat(context).doesNotHaveBean(RedisLockEngine.class));
	}

	@ParameterizedTest
	@CsvSource({ "org.springframework.data.redis", "org.springframework.boot.data.redis" })
	void leftOutWithoutItsClient(String library) {
		Leasehold.runner()
			.withClassLoader(new FilteredClassLoader(library))
			.withBean("stub", LockEngine.class, () -> new StubEngine("stub"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RedisLockEngine.class));
	}

	@Test
	void leftOutWithoutLettuce() {
		this.runner.withClassLoader(new FilteredClassLoader("io.lettuce"))
			.withBean("stub", LockEngine.class, () -> new StubEngine("stub"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(DataRedisConnectionDetails.class)
				.doesNotHaveBean(RedisLockEngine.class));
	}

	@ParameterizedTest
	@CsvSource({ "leasehold.engine=redis, leasehold.engine is 'redis'",
			"leasehold.redis.enabled=true, leasehold.redis.enabled is 'true'" })
	void missingClientIsReportedWithWhatToAdd(String property, String begin) {
		this.runner.withClassLoader(new FilteredClassLoader("io.lettuce"))
			.withPropertyValues(property)
			.withBean("stub", LockEngine.class, () -> new StubEngine("stub"))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageStartingWith(begin + ", but the client of that engine is not on the classpath.")
				.hasMessageContaining("spring-boot-starter-data-redis")
				.hasMessageContaining("io.lettuce:lettuce-core if the application uses Jedis"));
	}

	/** A lease shorter than two commands may take stops the start. */
	@Fault(value = 78, engine = "redis")
	@Test
	void leaseMustBeLongEnoughForTheCommandTimeout() {
		this.runner
			.withPropertyValues("leasehold.lease=3s", "leasehold.redis.command-timeout=1600ms",
					"leasehold.redis.min-validity=2s")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasFieldOrPropertyWithValue("name", "leasehold.lease"));
	}

	@ParameterizedTest
	@CsvSource({ "leasehold.redis.poll-interval=9s, leasehold.redis.grant-lease must be longer than",
			"leasehold.redis.grant-lease=3s, leasehold.redis.grant-lease must be longer than",
			"leasehold.redis.command-timeout=0s, leasehold.redis.command-timeout must be at least",
			"leasehold.redis.min-validity=10ms, leasehold.redis.min-validity must be longer than",
			"leasehold.redis.silence-timeout=61s, leasehold.redis.marker-lifetime must be longer than",
			"leasehold.redis.marker-lifetime=1s, leasehold.redis.marker-lifetime must be longer than" })
	void figuresThatCannotWorkStopTheStart(String property, String message) {
		this.runner.withPropertyValues(property)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining(message));
	}

	@ParameterizedTest
	@CsvSource({ "leasehold.redis.poll-interval=2s, AUTO", "leasehold.redis.wake-up=script, SCRIPT",
			"leasehold.redis.wake-up=client, CLIENT", "leasehold.redis.wake-up=poll, POLL" })
	void waitersAreNotifiedAsConfigured(String property, WakeUp wakeUp) {
		this.runner.withPropertyValues(property)
			.run((context) -> assertThat(context.getBean(RedisLockEngine.class))
				.extracting("notifications.wakeUp", "settings.wakeUp")
				.containsOnly(wakeUp));
	}

	@ParameterizedTest
	@CsvSource({ "spring.data.redis.sentinel.master=m, spring.data.redis.sentinel.nodes=127.0.0.1:1",
			"spring.data.redis.cluster.nodes=127.0.0.1:1, spring.data.redis.cluster.max-redirects=1" })
	void contextStartsWithoutSentinelsOrCluster(String property, String another) {
		this.runner.withPropertyValues(property, another).run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> locks.tryAcquire("order:42"))
				.withMessageContaining("Redis could not acquire lock 'order:42': No ");
		});
	}

	@ParameterizedTest
	@CsvSource({ "spring.data.redis.host=user:secret@redis, ''",
			"spring.data.redis.sentinel.master=m, spring.data.redis.sentinel.nodes=user:secret@redis:1",
			"spring.data.redis.cluster.nodes=user:secret@redis:1, ''" })
	void credentialsInAnAddressFailStartupWithoutShowingThem(String property, String another) {
		this.runner.withPropertyValues(property, another)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("An address in the connection factory 'redisConnectionFactory' contains '@'")
				.hasMessageContaining("spring.data.redis.password")
				.hasMessageNotContaining("secret"));
	}

	@Test
	void staticMasterReplicaStopsTheStart() {
		this.runner.withPropertyValues("spring.data.redis.masterreplica.nodes=127.0.0.1:1")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining("spring.data.redis.masterreplica"));
	}

	/** Such as a lazy one whose server is rarely needed, or one of another scope. */
	@Test
	void otherFactoriesAreNotCreated() {
		this.runner.withUserConfiguration(SeveralFactories.class)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(RedisLockEngine.class));
	}

	@Configuration(proxyBeanMethods = false)
	static class SeveralFactories {

		@Bean
		@Lazy
		RedisConnectionFactory archive() {
			throw new IllegalStateException("The archive is not available");
		}

		@Bean
		@Primary
		LettuceConnectionFactory orders() {
			return new LettuceConnectionFactory("localhost", 1);
		}

	}

}
