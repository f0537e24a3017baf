package io.leasehold.autoconfigure;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Warning at startup that methods run without their locks, or may do so.
 */
class UnprotectedMethodsWarning implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(UnprotectedMethodsWarning.class);

	private final LeaseholdProperties properties;

	UnprotectedMethodsWarning(LeaseholdProperties properties) {
		this.properties = properties;
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (!this.properties.enabled()) {
			logger.warn("leasehold.enabled is 'false': methods annotated with @DistributedLock run without their "
					+ "locks, DistributedLocks acquires locks inside this JVM only, each instance leads in its roles, "
					+ "and jobs of ShedLock run on each");
		}
		else if (this.properties.whenUnavailable() == LeaseholdProperties.WhenUnavailable.PROCEED) {
			logger.warn("leasehold.when-unavailable is 'proceed': methods annotated with @DistributedLock run "
					+ "without their locks while the store is unavailable");
		}
	}

}
