package io.leasehold.autoconfigure.leadership;

import io.leasehold.LockOptions;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.leadership.Candidate;
import io.leasehold.leadership.Leaderships;
import io.leasehold.service.LockService;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.OnPropertyListCondition;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of leadership in the roles of {@code leasehold.leadership.roles}.
 */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@Conditional(LeaseholdLeadershipAutoConfiguration.OnRoles.class)
@ConditionalOnBean(LeaseholdAutoConfiguration.class)
@EnableConfigurationProperties(LeadershipProperties.class)
@Import(LeadershipBeans.class)
public final class LeaseholdLeadershipAutoConfiguration {

	/** Name of the bean that creates those of the roles. */
	static final String LEADERSHIPS = "leaseholdLeaderships";

	LeaseholdLeadershipAutoConfiguration() {
	}

	/** Without locks, each instance leads: it has the local engine. */
	@Bean(LEADERSHIPS)
	@ConditionalOnMissingBean
	Leaderships leaseholdLeaderships(LeadershipProperties properties, LockService locks,
			ApplicationEventPublisher events, Environment environment) {
		boolean enabled = environment.getProperty("leasehold.enabled", Boolean.class, true);
		LockOptions options = enabled ? properties.toOptions(locks) : locks.defaults();
		return new Leaderships(properties.roles()
			.stream()
			.map((role) -> new Candidate(role, locks, options, events::publishEvent))
			.toList());
	}

	/** The context that owns the candidates stops them, not a child that uses them. */
	@Bean
	@ConditionalOnBean(value = Leaderships.class, search = SearchStrategy.CURRENT)
	LeadershipLifecycle leaseholdLeadershipLifecycle(Leaderships leaderships) {
		return new LeadershipLifecycle(leaderships);
	}

	/** Whether there is a role. */
	static final class OnRoles extends OnPropertyListCondition {

		OnRoles() {
			super("leasehold.leadership.roles", () -> ConditionMessage.forCondition("Leadership roles"));
		}

	}

}
