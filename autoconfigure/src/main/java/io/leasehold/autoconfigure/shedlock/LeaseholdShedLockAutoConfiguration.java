package io.leasehold.autoconfigure.shedlock;

import io.leasehold.DistributedLocks;
import io.leasehold.LockInspector;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.shedlock.LeaseholdLockProvider;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockProvider;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/**
 * Auto-configuration of the provider of locks for ShedLock, unless the application has
 * another one.
 */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass(ExtensibleLockProvider.class)
@ConditionalOnBean(LeaseholdAutoConfiguration.class)
@EnableConfigurationProperties(ShedLockProperties.class)
public final class LeaseholdShedLockAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(LockProvider.class)
	LeaseholdLockProvider leaseholdLockProvider(DistributedLocks locks, LockInspector inspector,
			ShedLockProperties properties) {
		return new LeaseholdLockProvider(locks, inspector.minLease(locks.defaults().engine()), properties.keepAlive());
	}

}
