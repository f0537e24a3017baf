package io.leasehold.autoconfigure.memcached;

import java.util.List;

import io.leasehold.DistributedLocks;
import io.leasehold.FencingGuard;
import io.leasehold.HeldLockScope;
import io.leasehold.LockEngineException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import io.leasehold.engine.LockEngine;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LeaseholdMemcachedAutoConfigurationTests {

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withPropertyValues("leasehold.memcached.call-timeout=100ms", "leasehold.memcached.servers=127.0.0.1:1");

	private final ApplicationContextRunner configured = this.runner.withPropertyValues("leasehold.engine=memcached");

	/** Its locks promise less than those of other engines: never by accident. */
	@Test
	void engineIsOnlyCreatedIfItIsNamed() {
		this.runner.withPropertyValues("leasehold.engine=local")
			.run((context) -> assertThat(context.getBeansOfType(LockEngine.class).values()).extracting(LockEngine::name)
				.containsExactly("local"));
		this.runner.withPropertyValues("leasehold.engine=local", "leasehold.memcached.enabled=true")
			.run((context) -> assertThat(context.getBeansOfType(LockEngine.class).values()).extracting(LockEngine::name)
				.containsExactlyInAnyOrder("local", "memcached"));
		this.configured.run((context) -> assertThat(context).getBean(LockService.class)
			.extracting((service) -> service.defaults().engine())
			.isEqualTo("memcached"));
	}

	@Test
	void contextStartsWithoutAServer() {
		this.configured.run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> locks.tryAcquire("order:42"))
				.withMessageContaining("Could not acquire lock 'order:42' on engine 'memcached'");
		});
	}

	@Test
	void connectionDetailsReplaceTheProperty() {
		this.configured
			.withBean("details", MemcachedConnectionDetails.class,
					() -> (MemcachedConnectionDetails) () -> List.of("[details"))
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("[details"));
	}

	@Test
	void missingClientIsNamed() {
		this.configured.withClassLoader(new FilteredClassLoader("com.spotify.folsom"))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockEngineConfigurationException.class)
				.hasMessageContaining(
						"leasehold.engine is 'memcached', but the client of that engine is not on the classpath"));
	}

	@ParameterizedTest
	@CsvSource({ "servers, '[x', 'servers of memcached, [[x], are invalid'",
			"servers, '', 'servers of memcached, [], are invalid: a host is missing'",
			"call-timeout, 0ms, call-timeout must be at least 1ms", "poll-min, 0ms, poll-min must be at least 1ms",
			"poll-max, 1ms, poll-max must not be shorter than poll-min" })
	void invalidPropertiesAreNamed(String property, String value, String message) {
		this.configured.withPropertyValues("leasehold.memcached.%s=%s".formatted(property, value))
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining(message));
	}

	@Fault(value = 51, engine = "memcached")
	@ParameterizedTest
	@CsvSource({ "leasehold.lease, 30d, 'a lease of PT720H, but'",
			"leasehold.lock-delay, 30d, 'a lease of PT30S and a lock delay of PT720H, but'" })
	void defaultThatMemcachedCannotKeepFailsStartup(String property, String value, String message) {
		this.configured.withPropertyValues(property + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasFieldOrPropertyWithValue("name", property)
				.hasMessageContaining(message + " engine 'memcached' supports at most PT719H59M57S"));
	}

	@Fault(value = 51, engine = "memcached")
	@Test
	void methodWhoseMinimumHoldMemcachedCannotKeepFailsStartup() {
		this.configured.withBean(Monthly.class)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("Monthly.run requires a minimum hold of PT720H, but engine 'memcached'"));
	}

	@Test
	void fencedMethodFailsStartup() {
		this.configured.withBean(Fenced.class)
			.withBean("guard", FencingGuard.class, () -> HeldLockScope::open)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("Fenced.run is fenced, but its engine loses data without notice"));
	}

	static class Monthly {

		@DistributedLock(key = "'k'", minHold = "30d")
		public void run() {
		}

	}

	static class Fenced {

		@DistributedLock(key = "'k'", fenced = true)
		public void run() {
		}

	}

}
