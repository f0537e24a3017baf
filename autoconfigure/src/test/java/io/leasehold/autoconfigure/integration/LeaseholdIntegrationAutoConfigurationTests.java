package io.leasehold.autoconfigure.integration;

import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import io.leasehold.integration.LeaseholdLockRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaseholdIntegrationAutoConfiguration}.
 */
class LeaseholdIntegrationAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class,
				LeaseholdLocalAutoConfiguration.class, LeaseholdIntegrationAutoConfiguration.class))
		.withPropertyValues("leasehold.engine=local");

	@Test
	void registryIsTheOnlyOne() {
		this.runner.run(
				(context) -> assertThat(context.getBean(LockRegistry.class)).isInstanceOf(LeaseholdLockRegistry.class));
	}

	@Test
	void registryOfTheApplicationIsKept() {
		this.runner.withUserConfiguration(OwnRegistry.class)
			.run((context) -> assertThat(context.getBean(LockRegistry.class)).isInstanceOf(DefaultLockRegistry.class));
	}

	@Test
	void nothingIsThereWithoutSpringIntegration() {
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.integration"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("leaseholdLockRegistry"));
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnRegistry {

		@Bean
		DefaultLockRegistry ownRegistry() {
			return new DefaultLockRegistry();
		}

	}

}
