package io.leasehold.autoconfigure.actuate;

import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.observation.AcquireObservationConvention;
import io.leasehold.observation.HoldObservationConvention;
import io.leasehold.observation.LockObservations;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

/**
 * Auto-configuration of the lock observations.
 */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean({ LeaseholdAutoConfiguration.class, ObservationRegistry.class })
public final class LeaseholdObservationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockObservations leaseholdLockObservations(ObservationRegistry registry,
			ObjectProvider<AcquireObservationConvention> acquireConvention,
			ObjectProvider<HoldObservationConvention> holdConvention) {
		return new LockObservations(registry, acquireConvention.getIfAvailable(), holdConvention.getIfAvailable());
	}

	/**
	 * Filter of the timers that Boot creates for observations, which would duplicate the
	 * lock meters.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterFilter.class)
	static class NoTimersConfiguration {

		@Bean
		static MeterFilter leaseholdObservationMeterFilter() {
			return MeterFilter.denyNameStartsWith("leasehold.lock.");
		}

	}

}
