package io.leasehold.autoconfigure;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import io.leasehold.autoconfigure.etcd.EtcdProperties;
import io.leasehold.autoconfigure.fencing.FenceTableInitializer;
import io.leasehold.autoconfigure.hazelcast.HazelcastProperties;
import io.leasehold.autoconfigure.jdbc.JdbcLockTableInitializer;
import io.leasehold.autoconfigure.jdbc.JdbcProperties;
import io.leasehold.autoconfigure.leadership.LeadershipProperties;
import io.leasehold.autoconfigure.memcached.MemcachedProperties;
import io.leasehold.autoconfigure.redis.RedisProperties;
import io.leasehold.autoconfigure.redlock.RedlockProperties;
import io.leasehold.autoconfigure.zookeeper.ZooKeeperProperties;
import io.leasehold.interceptor.UnavailablePolicy;
import io.leasehold.service.OnLost;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindException;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

@ExtendWith(OutputCaptureExtension.class)
class LeaseholdPropertiesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Properties.class);

	@Test
	void defaultsAreThoseOfTheManual() {
		this.runner.run((context) -> {
			LeaseholdProperties properties = context.getBean(LeaseholdProperties.class);
			assertThat(properties.enabled()).isTrue();
			assertThat(properties.engine()).isNull();
			assertThat(properties.namespace()).isEqualTo("leasehold");
			assertThat(properties.lease()).isEqualTo(Duration.ofSeconds(30));
			assertThat(properties.waitTime()).isEqualTo(Duration.ofSeconds(5));
			assertThat(properties.order()).isEqualTo(Ordered.LOWEST_PRECEDENCE - 100);
			assertThat(properties.onLost()).isEqualTo(OnLost.THROW);
			assertThat(properties.whenUnavailable()).isEqualTo(UnavailablePolicy.FAIL);
			assertThat(properties.handoff().maxConsecutive()).isEqualTo(63);
			assertThat(properties.handoff().maxTime()).isEqualTo(Duration.ofMillis(10));
			assertThat(properties.fencing().retention()).isEqualTo(Duration.ofDays(7));
		});
	}

	@ParameterizedTest
	@CsvSource({ "leasehold.lease, 1ms", "leasehold.lease, 365d", "leasehold.slow-hold, 1ms",
			"leasehold.slow-wait, 1ms", "leasehold.wait-time, 0s", "leasehold.wait-time, 106751d",
			"leasehold.handoff.max-consecutive, 0", "leasehold.handoff.max-consecutive, 63",
			"leasehold.handoff.max-time, 1ns", "leasehold.handoff.max-time, 10s", "leasehold.fencing.retention, 1s",
			"leasehold.fencing.retention, 3650d", "leasehold.namespace, shop:test-1", "leasehold.order, -1" })
	void valueAtTheEdgeIsTaken(String property, String value) {
		this.runner.withPropertyValues(property + "=" + value).run((context) -> assertThat(context).hasNotFailed());
	}

	/**
	 * A duration that is negative, zero or too long for what it means stops the start,
	 * and its property is named.
	 */
	@Fault(77)
	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					leasehold.lease | 0s | It must be at least 1ms and at most 365d.
					leasehold.lease | -30s | It must be at least 1ms and at most 365d.
					leasehold.lease | 366d | It must be at least 1ms and at most 365d.
					leasehold.lease | 999999999999s | It must be at least 1ms and at most 365d.
					leasehold.wait-time | -1ns | It must be at least 0s, which means one attempt, and at most 106751d.
					leasehold.wait-time | 106752d | It must be at least 0s, which means one attempt, and at most 106751d.
					leasehold.lock-delay | -1s | It must be at least 0s and at most 365d.
					leasehold.linger | -1s | It must be at least 0s and at most 365d.
					leasehold.handoff.max-consecutive | -1 | It must be at least 0 and at most 63.
					leasehold.handoff.max-consecutive | 64 | It must be at least 0 and at most 63.
					leasehold.slow-wait | 0s | It must be at least 1ms and at most 106751d.
					leasehold.slow-hold | 0s | It must be at least 1ms and at most 106751d.
					leasehold.handoff.max-time | 0ms | It must be more than 0s and at most 10000 ms, a third of \
					leasehold.lease, after which a lock is renewed. \
					To pass no lock on, set leasehold.handoff.max-consecutive to 0.
					leasehold.handoff.max-time | -1ms | It must be more than 0s and at most 10000 ms, a third of \
					leasehold.lease, after which a lock is renewed. \
					To pass no lock on, set leasehold.handoff.max-consecutive to 0.
					leasehold.handoff.max-time | 10001ms | It must be more than 0s and at most 10000 ms, a third of \
					leasehold.lease, after which a lock is renewed. \
					To pass no lock on, set leasehold.handoff.max-consecutive to 0.
					leasehold.fencing.retention | 0d | It must be at least 1s and at most 3650d.
					leasehold.fencing.retention | -7d | It must be at least 1s and at most 3650d.
					leasehold.fencing.retention | 3651d | It must be at least 1s and at most 3650d.
					leasehold.namespace | '' | It must be 1 to 100 printable ASCII characters without blanks, '{', '}' and '%'.
					leasehold.namespace | 'a b' | It must be 1 to 100 printable ASCII characters without blanks, '{', '}' and '%'.
					leasehold.namespace | '{a}' | It must be 1 to 100 printable ASCII characters without blanks, '{', '}' and '%'.
					""",
			quoteCharacter = '"')
	void badValueStopsTheStartAndNamesTheProperty(String property, String value, String reason) {
		this.runner.withPropertyValues(property + "=" + value.replaceAll("^'|'$", "")).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (failure) -> {
					assertThat(failure.getName()).isEqualTo(property);
					assertThat(failure.getReason()).isEqualTo(reason);
				});
		});
	}

	/** A number without a unit would be milliseconds, where seconds may be meant. */
	@Fault(131)
	@ParameterizedTest
	@CsvSource({ "leasehold.lease, 30", "leasehold.wait-time, 5", "leasehold.wait-time, -5", "leasehold.waitTime, +5",
			"leasehold.wait-time, ${unitless}", "leasehold.lock-delay, 10", "leasehold.linger, 10",
			"leasehold.slow-hold, 60", "leasehold.slow-wait, 60", "leasehold.handoff.max-time, 10",
			"leasehold.fencing.retention, 7" })
	void numberWithoutAUnitStopsTheStart(String property, String value) {
		this.runner.withPropertyValues("unitless=20", property + "=" + value).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOfSatisfying(LockEngineConfigurationException.class, (failure) -> {
					assertThat(failure.getDescription()).isEqualTo("%s is '%s', a number without a unit."
						.formatted(property.replace("waitTime", "wait-time"), value.replace("${unitless}", "20")));
					assertThat(failure.getAction()).contains("30s");
				});
		});
	}

	/** Those of the engines, too. */
	@Fault(131)
	@Test
	void everyDurationOfTheLibraryNeedsItsUnit() throws IOException {
		LeaseholdMetadataTests.read();
		List<String> durations = LeaseholdMetadataTests.properties()
			.stream()
			.filter((property) -> Duration.class.getName().equals(property.get("type")))
			.map((property) -> (String) property.get("name"))
			.filter((name) -> name.startsWith("leasehold."))
			.toList();
		assertThat(durations).contains("leasehold.lease", "leasehold.redis.poll-interval",
				"leasehold.jdbc.call-timeout", "leasehold.zookeeper.session-timeout", "leasehold.etcd.session-timeout");
		for (String property : durations) {
			new ApplicationContextRunner().withUserConfiguration(AllProperties.class)
				.withPropertyValues(property + "=5")
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.isInstanceOf(LockEngineConfigurationException.class)
					.hasMessageContaining(property)
					.hasMessageContaining("without a unit"));
		}
	}

	@Test
	void missingUnitIsExplained(CapturedOutput output) {
		SpringApplication application = new SpringApplication(Properties.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		assertThatException().isThrownBy(() -> application.run("--leasehold.lease=30"));
		assertThat(output.getAll().lines()).containsSequence("leasehold.lease is '30', a number without a unit.", "",
				"Action:", "", "Write a duration such as 30s, 500ms or PT1M.");
	}

	@Test
	void applicationChecksItsDurations() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(LeaseholdAutoConfiguration.class, LeaseholdLocalAutoConfiguration.class))
			.withPropertyValues("leasehold.engine=local", "leasehold.wait-time=5")
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("without a unit"));
	}

	@ParameterizedTest
	@CsvSource({ "0, PT0S", "0s, PT0S", "00, PT0S", "2s, PT2S", "PT2S, PT2S", "1500ms, PT1.5S" })
	void zeroNeedsNoUnit(String value, Duration waitTime) {
		this.runner.withPropertyValues("leasehold.wait-time=" + value)
			.run((context) -> assertThat(context.getBean(LeaseholdProperties.class).waitTime()).isEqualTo(waitTime));
	}

	@Test
	void numbersOfOtherLibrariesAreLeftAlone() {
		new ApplicationContextRunner().withUserConfiguration(OtherLibrary.class)
			.withPropertyValues("leaseholder.timeout=5")
			.run((context) -> assertThat(context.getBean(Other.class).timeout()).isEqualTo(Duration.ofMillis(5)));
	}

	/** So does one that overflows, or is no duration at all. */
	@Fault(77)
	@ParameterizedTest
	@CsvSource({ "leasehold.lease, soon", "leasehold.lease, 99999999999999999999s",
			"leasehold.lease, 999999999999999999d", "leasehold.on-lost, shrug", "leasehold.when-unavailable, pray",
			"leasehold.enabled, maybe" })
	void valueThatMeansNothingStopsTheStart(String property, String value) {
		this.runner.withPropertyValues(property + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(ConfigurationPropertiesBindException.class)
				.hasStackTraceContaining(property));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(LeaseholdProperties.class)
	@Import(DurationUnits.class)
	static class Properties {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties({ LeaseholdProperties.class, RedisProperties.class, JdbcProperties.class,
			ZooKeeperProperties.class, EtcdProperties.class, RedlockProperties.class, HazelcastProperties.class,
			MemcachedProperties.class, LeadershipProperties.class, JdbcLockTableInitializer.Properties.class,
			FenceTableInitializer.Properties.class })
	@Import(DurationUnits.class)
	static class AllProperties {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(Other.class)
	@Import(DurationUnits.class)
	static class OtherLibrary {

	}

	@ConfigurationProperties("leaseholder")
	record Other(Duration timeout) {
	}

}
