package io.leasehold.autoconfigure.actuate;

import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.autoconfigure.StubEngine;
import io.leasehold.engine.LockEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributors;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.ReactiveHealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.health.registry.ReactiveHealthContributorRegistry;
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

	/** Boot would reject two contributors of one name. */
	@ParameterizedTest
	@ValueSource(strings = { "locks", "locksHealthContributor", "locksHealthIndicator", "locksHEALTHINDICATOR" })
	void contributorOfTheApplicationWins(String name) {
		HealthIndicator own = () -> Health.up().build();
		this.runner.withBean(name, HealthIndicator.class, () -> own)
			.run((context) -> assertThat(context.getBean(HealthContributorRegistry.class).getContributor("locks"))
				.isSameAs(own));
	}

	@Test
	void reactiveContributorOfTheApplicationWins() {
		ReactiveHealthIndicator own = () -> Mono.just(Health.up().build());
		this.runner.withBean("locks", ReactiveHealthIndicator.class, () -> own).run((context) -> {
			assertThat(context.getBean(ReactiveHealthContributorRegistry.class).getContributor("locks")).isSameAs(own);
			assertThat(context.getBean(HealthContributorRegistry.class).getContributor("locks")).isNull();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "locks", "locksHealthIndicator" })
	void otherBeanOfSuchANameReplacesNothing(String name) {
		this.runner.withBean(name, String.class, () -> "of the application")
			.run((context) -> assertThat(context.getBean(HealthContributorRegistry.class).getContributor("locks"))
				.isInstanceOf(CompositeHealthContributor.class));
	}

	@Test
	void applicationWithoutHealthStarts() {
		Leasehold.runner()
			.withBean("stub", LockEngine.class, () -> new StubEngine("stub"))
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("locksHealthContributor"));
	}

}
