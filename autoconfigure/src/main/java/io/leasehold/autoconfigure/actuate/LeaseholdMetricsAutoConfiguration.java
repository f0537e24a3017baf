package io.leasehold.autoconfigure.actuate;

import io.leasehold.LockInspector;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.leadership.LeaseholdLeadershipAutoConfiguration;
import io.leasehold.event.ApplicationEvents;
import io.leasehold.leadership.Leaderships;
import io.leasehold.metrics.DroppedEventMetrics;
import io.leasehold.metrics.EngineStateMetrics;
import io.leasehold.metrics.LeadershipMetrics;
import io.leasehold.metrics.LockMetrics;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/**
 * Auto-configuration of the lock meters.
 */
@AutoConfiguration(after = { LeaseholdAutoConfiguration.class, LeaseholdLeadershipAutoConfiguration.class })
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ LeaseholdAutoConfiguration.class, MeterRegistry.class })
public final class LeaseholdMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockMetrics leaseholdLockMetrics(MeterRegistry registry) {
		return new LockMetrics(registry);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(LockInspector.class)
	DroppedEventMetrics leaseholdDroppedEventMetrics(ApplicationEvents applicationEvents, LockInspector locks) {
		return new DroppedEventMetrics(applicationEvents, locks);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(LockInspector.class)
	EngineStateMetrics leaseholdEngineStateMetrics(LockInspector locks) {
		return new EngineStateMetrics(locks);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(Leaderships.class)
	LeadershipMetrics leaseholdLeadershipMetrics(Leaderships leaderships) {
		return new LeadershipMetrics(leaderships);
	}

}
