package io.leasehold.autoconfigure;

import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/**
 * Auto-configuration of the local engine, which has to be enabled by name.
 */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnBean(LeaseholdAutoConfiguration.class)
@ConditionalOnLockEngine(value = LocalLockEngine.NAME, onlyIfNamed = true)
public final class LeaseholdLocalAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LocalLockEngine leaseholdLocalLockEngine(MonotonicClock clock) {
		return new LocalLockEngine(clock);
	}

}
