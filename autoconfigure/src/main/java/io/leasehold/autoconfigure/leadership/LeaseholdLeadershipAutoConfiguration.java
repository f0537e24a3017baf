package io.leasehold.autoconfigure.leadership;

import java.util.Set;

import io.leasehold.LockOptions;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.leadership.Candidate;
import io.leasehold.leadership.Leaderships;
import io.leasehold.service.LockService;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

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

	/** Without locks, each instance leads: it has the local engine. */
	@Bean
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
	LeadershipLifecycle leaseholdLeadershipLifecycle(Leaderships leaderships, ApplicationContext context) {
		return new LeadershipLifecycle(leaderships, context);
	}

	/** Whether there is a role. */
	static final class OnRoles extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			Set<String> roles = LeadershipBeans.roles(context.getEnvironment());
			return new ConditionOutcome(!roles.isEmpty(), "leasehold.leadership.roles are " + roles);
		}

	}

}
