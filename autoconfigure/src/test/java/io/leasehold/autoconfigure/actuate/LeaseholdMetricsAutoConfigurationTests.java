package io.leasehold.autoconfigure.actuate;

import io.leasehold.DistributedLocks;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.autoconfigure.StubEngine;
import io.leasehold.engine.LockEngine;
import io.leasehold.metrics.LockMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseholdMetricsAutoConfigurationTests {

	private final ApplicationContextRunner bare = Leasehold.runner()
		.withBean("stub", LockEngine.class, () -> new StubEngine("stub"));

	private final ApplicationContextRunner runner = this.bare
		.withConfiguration(AutoConfigurations.of(CompositeMeterRegistryAutoConfiguration.class,
				MetricsAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class));

	@Test
	void locksAreMeasuredByTheRegistryOfBoot() {
		this.runner.run((context) -> {
			context.getBean(DistributedLocks.class).acquire("order:42").close();
			assertThat(context.getBean(MeterRegistry.class)
				.get("leasehold.acquire")
				.tags("name", "unnamed", "engine", "stub", "outcome", "acquired")
				.timer()
				.count()).isOne();
		});
	}

	@Test
	void droppedEventsAreCountedForTheApplicationAndEachEngine() {
		this.runner
			.run((context) -> assertThat(context.getBean(MeterRegistry.class).find("leasehold.events.dropped").meters())
				.extracting((meter) -> meter.getId().getTag("queue"))
				.containsExactlyInAnyOrder("application", "stub"));
	}

	@Test
	void ownMetricsWin() {
		LockMetrics own = new LockMetrics(new SimpleMeterRegistry());
		this.runner.withBean("own", LockMetrics.class, () -> own)
			.run((context) -> assertThat(context).getBean(LockMetrics.class).isSameAs(own));
	}

	@Test
	void nothingIsMeasuredWithoutARegistry() {
		this.bare.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockMetrics.class));
	}

	@Test
	void nothingIsMeasuredWithoutMicrometer() {
		this.bare.withClassLoader(new FilteredClassLoader(MeterRegistry.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("leaseholdLockMetrics"));
	}

}
