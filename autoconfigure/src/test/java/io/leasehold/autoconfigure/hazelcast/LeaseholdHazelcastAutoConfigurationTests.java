package io.leasehold.autoconfigure.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import io.leasehold.FencingGuard;
import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.engine.LockEngine;
import io.leasehold.server.HazelcastTestCluster;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseholdHazelcastAutoConfigurationTests {

	private final ApplicationContextRunner runner = Leasehold.runner();

	private final ApplicationContextRunner configured = this.runner.withPropertyValues("leasehold.engine=hazelcast")
		.withBean("member", HazelcastInstance.class, HazelcastTestCluster::shared,
				(definition) -> definition.setDestroyMethodName(""));

	/** Its locks promise less than those of other engines: never by accident. */
	@Test
	void engineIsOnlyCreatedIfItIsNamed() {
		this.configured.withPropertyValues("leasehold.engine=local")
			.run((context) -> assertThat(context.getBeansOfType(LockEngine.class).values()).extracting(LockEngine::name)
				.containsExactly("local"));
		this.configured.withPropertyValues("leasehold.engine=local", "leasehold.hazelcast.enabled=true")
			.run((context) -> assertThat(context.getBeansOfType(LockEngine.class).values()).extracting(LockEngine::name)
				.containsExactlyInAnyOrder("local", "hazelcast"));
	}

	@Test
	void lockIsInTheMapOfTheApplicationsClusterWhichIsLeftOpen() {
		HazelcastInstance member = HazelcastTestCluster.shared();
		// The first request of a JVM may take long on a busy machine
		this.configured
			.withPropertyValues("leasehold.hazelcast.map=own", "leasehold.namespace=shop",
					"leasehold.hazelcast.call-timeout=15s", "leasehold.lease=5m")
			.run((context) -> {
				try (HeldLock lock = context.getBean(LockService.class).acquire("order:42")) {
					assertThat(lock.isValid()).isTrue();
					assertThat(member.<String, String>getMap("own").get("shop:order:42")).contains("\nhold ");
				}
				assertThat(member.<String, String>getMap("own").get("shop:order:42")).doesNotContain("\nhold ");
			});
		assertThat(member.getLifecycleService().isRunning()).isTrue();
	}

	@Test
	void missingInstanceIsNamed() {
		this.runner.withPropertyValues("leasehold.engine=hazelcast")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining(
						"leasehold.engine is 'hazelcast', but the client of that engine is not configured")
				.hasStackTraceContaining("a hazelcast.yaml on the classpath"));
	}

	@Test
	void severalInstancesAreNamed() {
		this.configured
			.withBean("another", HazelcastInstance.class, HazelcastTestCluster::shared,
					(definition) -> definition.setDestroyMethodName(""))
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("There are several HazelcastInstance beans, and none of them is primary"));
	}

	@Test
	void missingClientIsNamed() {
		this.configured.withClassLoader(new FilteredClassLoader("com.hazelcast"))
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining(
						"leasehold.engine is 'hazelcast', but the client of that engine is not on the classpath"));
	}

	@ParameterizedTest
	@CsvSource({ "call-timeout, 0ms, call-timeout must be at least 1ms", "poll-min, 0ms, poll-min must be at least 1ms",
			"poll-max, 1ms, poll-max must not be shorter than poll-min" })
	void invalidPropertiesAreNamed(String property, String value, String message) {
		this.configured.withPropertyValues("leasehold.hazelcast.%s=%s".formatted(property, value))
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining(message));
	}

	/** Of a wildcard, which takes precedence over the engine's own configuration. */
	@ParameterizedTest
	@CsvSource({ "evicting, eviction-policy is LRU", "idle, max-idle-seconds is 3600",
			"short, time-to-live-seconds is 3600", "near, near-cache is configured",
			"backup, read-backup-data is true" })
	@Fault(189)
	void mapThatRemovesOrHidesHeldEntriesFailsStartup(String map, String reason) {
		this.configured.withPropertyValues("leasehold.hazelcast.map=%s-locks".formatted(map))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("map '%s-locks'".formatted(map))
				.hasMessageContaining("'%s-*'".formatted(map))
				.hasMessageContaining(reason));
	}

	@Test
	void otherConfigurationOfTheMapIsAccepted() {
		this.configured.withPropertyValues("leasehold.hazelcast.map=plain-locks")
			.run((context) -> assertThat(context).hasNotFailed());
		this.configured
			.withPropertyValues("leasehold.hazelcast.map=short-locks", "leasehold.fencing.retention=30m",
					"leasehold.lease=10s")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void leaseLongerThanTheRetentionFailsStartup() {
		ApplicationContextRunner retaining = this.configured.withPropertyValues("leasehold.hazelcast.map=retaining",
				"leasehold.fencing.retention=1h");
		retaining.withPropertyValues("leasehold.lease=1h").run((context) -> assertThat(context).hasNotFailed());
		retaining.withPropertyValues("leasehold.lease=61m")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasFieldOrPropertyWithValue("name", "leasehold.lease")
				.hasMessageContaining("a lease of PT1H1M, but engine 'hazelcast' supports at most PT1H"));
	}

	@Test
	void fencedMethodFailsStartup() {
		this.configured.withBean(Fenced.class)
			.withBean("guard", FencingGuard.class, () -> HeldLockScope::open)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("Fenced.run is fenced, but its engine loses data without notice"));
	}

	static class Fenced {

		@DistributedLock(key = "'k'", fenced = true)
		public void run() {
		}

	}

}
