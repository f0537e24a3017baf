package io.leasehold.autoconfigure.actuate;

import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.autoconfigure.StubEngine;
import io.leasehold.engine.LockEngine;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributors;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseholdHealthAutoConfigurationTests {

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withConfiguration(AutoConfigurations.of(HealthContributorAutoConfiguration.class,
				HealthContributorRegistryAutoConfiguration.class))
		.withPropertyValues("leasehold.engine=local")
		.withBean("stub", LockEngine.class, () -> new StubEngine("stub"));

	@Test
	void eachEngineHasItsHealthBelowLocks() {
		this.runner.run((context) -> {
			CompositeHealthContributor locks = (CompositeHealthContributor) context
				.getBean(HealthContributorRegistry.class)
				.getContributor("locks");
			assertThat(locks.stream().map(HealthContributors.Entry::name)).containsExactly("local", "stub");
			assertThat(((HealthIndicator) locks.getContributor("local")).health().getStatus()).isEqualTo(Status.UP);
		});
	}

	@Test
	void healthIsSwitchedOff() {
		this.runner.withPropertyValues("management.health.locks.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean("locksHealthContributor"));
		this.runner.withPropertyValues("management.health.defaults.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean("locksHealthContributor"));
	}

	@Test
	void applicationWithoutHealthStarts() {
		Leasehold.runner()
			.withBean("stub", LockEngine.class, () -> new StubEngine("stub"))
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("locksHealthContributor"));
	}

}
