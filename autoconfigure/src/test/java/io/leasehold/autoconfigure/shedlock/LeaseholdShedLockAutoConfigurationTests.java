package io.leasehold.autoconfigure.shedlock;

import java.util.Optional;

import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import io.leasehold.shedlock.LeaseholdLockProvider;
import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaseholdShedLockAutoConfiguration}.
 */
class LeaseholdShedLockAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class,
				LeaseholdLocalAutoConfiguration.class, LeaseholdShedLockAutoConfiguration.class))
		.withPropertyValues("leasehold.engine=local");

	@Test
	void providerIsTheOnlyOne() {
		this.runner.run(
				(context) -> assertThat(context.getBean(LockProvider.class)).isInstanceOf(LeaseholdLockProvider.class));
	}

	@Test
	void providerOfTheApplicationIsKept() {
		LockProvider own = (configuration) -> Optional.empty();
		this.runner.withBean(LockProvider.class, () -> own)
			.run((context) -> assertThat(context.getBean(LockProvider.class)).isSameAs(own));
	}

	@Test
	void nothingIsThereWithoutShedLock() {
		this.runner.withClassLoader(new FilteredClassLoader("net.javacrumbs.shedlock"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("leaseholdLockProvider"));
	}

}
