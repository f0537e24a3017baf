package io.leasehold.autoconfigure.actuate;

import java.util.Map;
import java.util.TreeMap;

import io.leasehold.LockInspector;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.health.LeadershipHealthIndicator;
import io.leasehold.health.LockEngineHealthIndicator;
import io.leasehold.leadership.Leaderships;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/**
 * Auto-configuration of the health of engines and roles, as components of {@code locks}.
 */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass({ HealthContributor.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(LockInspector.class)
public final class LeaseholdHealthAutoConfiguration {

	LeaseholdHealthAutoConfiguration() {
	}

	@Bean
	@ConditionalOnEnabledHealthIndicator("locks")
	@ConditionalOnMissingBean(name = { "locksHealthContributor", "locksHealthIndicator" })
	HealthContributor locksHealthContributor(LockInspector locks, ObjectProvider<Leaderships> leaderships) {
		Map<String, HealthContributor> components = new TreeMap<>();
		locks.engines().forEach((engine) -> components.put(engine, new LockEngineHealthIndicator(locks, engine)));
		leaderships.ifAvailable((roles) -> components.put("leadership", new LeadershipHealthIndicator(roles)));
		return CompositeHealthContributor.fromMap(components);
	}

}
