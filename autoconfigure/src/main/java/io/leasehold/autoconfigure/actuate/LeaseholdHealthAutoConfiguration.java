package io.leasehold.autoconfigure.actuate;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.leasehold.LockInspector;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.health.LeadershipHealthIndicator;
import io.leasehold.health.LockEngineHealthIndicator;
import io.leasehold.leadership.Leaderships;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorNameGenerator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.ReactiveHealthContributor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.Ordered;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Auto-configuration of the health of engines and roles, as components of {@code locks}.
 */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass({ HealthContributor.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(LockInspector.class)
public final class LeaseholdHealthAutoConfiguration {

	private static final HealthContributorNameGenerator NAMES = HealthContributorNameGenerator
		.withoutStandardSuffixes();

	@Bean
	@ConditionalOnEnabledHealthIndicator("locks")
	@Conditional(OnNoOtherHealthCondition.class)
	HealthContributor locksHealthContributor(LockInspector locks, ObjectProvider<Leaderships> leaderships) {
		Map<String, HealthContributor> components = new TreeMap<>();
		locks.engines().forEach((engine) -> components.put(engine, new LockEngineHealthIndicator(locks, engine)));
		leaderships.ifAvailable((roles) -> components.put("leadership", new LeadershipHealthIndicator(roles)));
		return CompositeHealthContributor.fromMap(components);
	}

	/** Boot rejects two contributors of one name. */
	static class OnNoOtherHealthCondition extends SpringBootCondition implements ConfigurationCondition {

		@Override
		public ConfigurationPhase getConfigurationPhase() {
			return ConfigurationPhase.REGISTER_BEAN;
		}

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			ListableBeanFactory beans = Objects.requireNonNull(context.getBeanFactory());
			Optional<String> other = Stream.of(HealthContributor.class, ReactiveHealthContributor.class)
				.flatMap((type) -> Arrays
					.stream(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false)))
				.filter((bean) -> NAMES.generateContributorName(bean).equals("locks"))
				.findAny();
			return new ConditionOutcome(other.isEmpty(),
					ConditionMessage.of("the health of locks is that of %s".formatted(other.orElse("Leasehold"))));
		}

	}

}
