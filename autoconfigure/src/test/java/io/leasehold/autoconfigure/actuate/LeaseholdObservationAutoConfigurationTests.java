package io.leasehold.autoconfigure.actuate;

import io.leasehold.DistributedLocks;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.autoconfigure.StubEngine;
import io.leasehold.engine.LockEngine;
import io.leasehold.observation.DefaultHoldObservationConvention;
import io.leasehold.observation.HoldObservationConvention;
import io.leasehold.observation.LockObservations;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseholdObservationAutoConfigurationTests {

	private final ApplicationContextRunner bare = Leasehold.runner()
		.withBean("stub", LockEngine.class, () -> new StubEngine("stub"));

	private final ApplicationContextRunner runner = this.bare.withConfiguration(
			AutoConfigurations.of(ObservationAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class,
					MetricsAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class));

	@Test
	void locksAreObservedByTheRegistryOfTheApplication() {
		TestObservationRegistry registry = TestObservationRegistry.create();
		this.runner.withBean(ObservationRegistry.class, () -> registry).run((context) -> {
			context.getBean(DistributedLocks.class).acquire("order:42").close();
			assertThat(registry).hasObservationWithNameEqualTo("leasehold.lock.acquire");
			assertThat(registry).hasObservationWithNameEqualTo("leasehold.lock.hold");
		});
	}

	@Test
	void ownConventionIsUsed() {
		TestObservationRegistry registry = TestObservationRegistry.create();
		this.runner.withBean(ObservationRegistry.class, () -> registry)
			.withBean(HoldObservationConvention.class, () -> new DefaultHoldObservationConvention() {
				@Override
				public String getName() {
					return "own.hold";
				}
			})
			.run((context) -> {
				context.getBean(DistributedLocks.class).acquire("order:42").close();
				assertThat(registry).hasObservationWithNameEqualTo("own.hold");
			});
	}

	@Test
	void nothingIsCountedTwice() {
		this.runner.run((context) -> {
			ObservationRegistry registry = context.getBean(ObservationRegistry.class);
			assertThat(registry.isNoop()).isFalse();
			Observation.createNotStarted("request", registry)
				.observe(() -> context.getBean(DistributedLocks.class).acquire("order:42").close());
			assertThat(context.getBean(MeterRegistry.class).getMeters()).extracting(Meter::getId)
				.extracting(Meter.Id::getName)
				.contains("request", "leasehold.acquire", "leasehold.hold")
				.noneMatch((name) -> name.startsWith("leasehold.lock."));
		});
	}

	@Test
	void propertyOfBootSwitchesThemOff() {
		TestObservationRegistry registry = TestObservationRegistry.create();
		this.runner.withBean(ObservationRegistry.class, () -> registry)
			.withPropertyValues("management.observations.enable.leasehold=false")
			.run((context) -> {
				context.getBean(DistributedLocks.class).acquire("order:42").close();
				assertThat(registry).doesNotHaveAnyObservation();
			});
	}

	@Test
	void nothingIsObservedWithoutARegistry() {
		this.bare.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockObservations.class));
	}

	@Test
	void applicationWithoutMicrometerStarts() {
		this.bare.withClassLoader(new FilteredClassLoader("io.micrometer"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("leaseholdLockObservations"));
		this.bare.withBean(ObservationRegistry.class, TestObservationRegistry::create)
			.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockObservations.class)
				.doesNotHaveBean("leaseholdObservationMeterFilter"));
	}

}
