package io.leasehold.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;

import io.leasehold.LockInspector;
import io.leasehold.LockOptions;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.ApplicationEvents;
import io.leasehold.event.LeakDetection;
import io.leasehold.event.LockEventListener;
import io.leasehold.service.EngineForms;
import io.leasehold.service.LockService;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.service.ServiceSettings;
import io.leasehold.service.UnsupportedForm;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.StringUtils;

/**
 * Auto-configuration of an application's locks, for all engines.
 */
@AutoConfiguration
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@EnableConfigurationProperties(LeaseholdProperties.class)
@Import({ LockAdviceConfiguration.class, LockTransactionConfiguration.class, ReactiveTransactionConfiguration.class })
@ImportRuntimeHints(ResourceHints.class)
public final class LeaseholdAutoConfiguration {

	/** Static, because it is required before the first properties are bound. */
	@Bean
	static DurationUnits leaseholdDurationUnits() {
		return new DurationUnits();
	}

	@Bean
	MisspelledProperties leaseholdMisspelledProperties(Environment environment, ResourceLoader resources) {
		return new MisspelledProperties(environment, Objects.requireNonNull(resources.getClassLoader()));
	}

	@Bean
	@ConditionalOnMissingBean
	Member leaseholdMember(Environment environment) {
		String application = environment.getProperty("spring.application.name");
		return Member.of(StringUtils.hasText(application) ? application : "application");
	}

	@Bean
	@ConditionalOnMissingBean
	MonotonicClock leaseholdClock() {
		return MonotonicClock.SYSTEM;
	}

	@Bean
	@ConditionalOnMissingBean
	ApplicationEvents leaseholdApplicationEvents(ApplicationEventPublisher publisher) {
		return new ApplicationEvents(publisher);
	}

	@Bean
	@ConditionalOnSwitch("leasehold.leak-detection")
	LeakDetection leaseholdLeakDetection() {
		return new LeakDetection();
	}

	@Bean
	@ConditionalOnMissingBean
	ReleaseTiming leaseholdReleaseTiming() {
		return ReleaseTiming.IMMEDIATE;
	}

	@Bean
	@ConditionalOnMissingBean
	LockService leaseholdLockService(LeaseholdProperties properties, ObjectProvider<Map<String, LockEngine>> engines,
			Member member, MonotonicClock clock, ObjectProvider<LockEventListener> listeners, ReleaseTiming timing,
			ResourceLoader resources, Environment environment) {
		Map<String, LockEngine> all = engines.getIfAvailable(Map::of);
		if (properties.enabled()) {
			DefaultEngine.checkEnabled(environment, all.values(), resources.getClassLoader());
		}
		LockEngine engine = DefaultEngine.find(properties.enabled() ? properties.engine() : LocalLockEngine.NAME, all,
				resources.getClassLoader());
		if (properties.lease().compareTo(engine.minLease()) < 0) {
			throw new InvalidConfigurationPropertyValueException("leasehold.lease", properties.lease(),
					("Engine '%s' cannot renew a lease shorter than %s ms in time. This limit is a multiple of the engine's "
							+ "command or call timeout, if it has one: use a longer lease, or shorten that timeout.")
						.formatted(engine.name(), engine.minLease().toMillis()));
		}
		ServiceSettings settings = properties.toServiceSettings(engine.name());
		UnsupportedForm lacking = EngineForms.unsupported(settings.defaults(), engine);
		if (lacking != null) {
			throw invalid(properties, settings.defaults(), lacking, engine);
		}
		return new LockService(settings, all.values(), member, clock, listeners.orderedStream().toList(), timing);
	}

	/** Return the failure for the first property that the default engine rejects. */
	private static RuntimeException invalid(LeaseholdProperties properties, LockOptions defaults,
			UnsupportedForm lacking, LockEngine engine) {
		String property = "leasehold.lock-delay";
		Duration value = properties.lockDelay();
		if (EngineForms.unsupported(defaults.toBuilder().linger(Duration.ZERO).build(), engine) == null) {
			property = "leasehold.linger";
			value = properties.linger();
		}
		else if (properties.lease().compareTo(engine.maxLease()) > 0) {
			property = "leasehold.lease";
			value = properties.lease();
		}
		return new InvalidConfigurationPropertyValueException(property, value, "It requires %s.".formatted(lacking));
	}

	@Bean
	@ConditionalOnMissingBean
	LockInspector leaseholdLockInspector(LockService service) {
		return service.inspector();
	}

	/** The context that owns the service stops it, not a child that uses it. */
	@Bean
	@ConditionalOnBean(value = LockService.class, search = SearchStrategy.CURRENT)
	LeaseholdLifecycle leaseholdLifecycle(LockService service, Member member, ApplicationContext context) {
		return new LeaseholdLifecycle(service, member, context);
	}

	@Bean
	StoreCheck leaseholdStoreCheck(LeaseholdProperties properties, LockService service) {
		return new StoreCheck(properties.enabled() && properties.failFast(), service);
	}

	/** A child of the context that owns the service uses the same stores. */
	@Bean
	@ConditionalOnBean(value = LockService.class, search = SearchStrategy.CURRENT)
	StartupLog leaseholdStartupLog(LeaseholdProperties properties, LockService service) {
		return new StartupLog(properties, service);
	}

}
