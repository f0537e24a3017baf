package io.leasehold.autoconfigure.integration;

import io.leasehold.DistributedLocks;
import io.leasehold.LockInspector;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.integration.LeaseholdLockRegistry;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * Auto-configuration of the registry of locks for Spring Integration, unless the
 * application has another one.
 */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass(DistributedLock.class)
@ConditionalOnBean(LeaseholdAutoConfiguration.class)
public final class LeaseholdIntegrationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(LockRegistry.class)
	LeaseholdLockRegistry leaseholdLockRegistry(DistributedLocks locks, LockInspector inspector) {
		return new LeaseholdLockRegistry(locks, inspector.minLease(locks.defaults().engine()));
	}

}
