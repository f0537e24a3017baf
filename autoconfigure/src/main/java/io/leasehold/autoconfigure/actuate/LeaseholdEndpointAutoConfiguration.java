package io.leasehold.autoconfigure.actuate;

import io.leasehold.LockInspector;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.leadership.LeaseholdLeadershipAutoConfiguration;
import io.leasehold.endpoint.LeadershipEndpoint;
import io.leasehold.endpoint.LockActivity;
import io.leasehold.endpoint.LocksEndpoint;
import io.leasehold.endpoint.LocksEndpointWebExtension;
import io.leasehold.leadership.Leaderships;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of the actuator endpoints {@code locks} and {@code leadership}.
 */
@AutoConfiguration(after = { LeaseholdAutoConfiguration.class, LeaseholdLeadershipAutoConfiguration.class })
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnBean(LockInspector.class)
public final class LeaseholdEndpointAutoConfiguration {

	@Bean
	@ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class)
	@ConditionalOnMissingBean
	LockActivity leaseholdLockActivity(Environment environment) {
		return new LockActivity(System::nanoTime, environment.getProperty("leasehold.contention", Boolean.class, true));
	}

	@Bean
	@ConditionalOnAvailableEndpoint
	@ConditionalOnMissingBean
	LocksEndpoint leaseholdLocksEndpoint(LockInspector locks, LockActivity activity, ApplicationEventPublisher events) {
		return new LocksEndpoint(locks, activity, events);
	}

	@Bean
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
	@ConditionalOnMissingBean
	@ConditionalOnBean(LocksEndpoint.class)
	LocksEndpointWebExtension leaseholdLocksEndpointWebExtension(LocksEndpoint endpoint) {
		return new LocksEndpointWebExtension(endpoint);
	}

	@Bean
	@ConditionalOnAvailableEndpoint
	@ConditionalOnMissingBean
	@ConditionalOnBean(Leaderships.class)
	LeadershipEndpoint leaseholdLeadershipEndpoint(Leaderships leaderships, LockInspector locks,
			ApplicationEventPublisher events) {
		return new LeadershipEndpoint(leaderships, locks, events);
	}

}
