package io.leasehold.autoconfigure;

import java.util.stream.Collectors;

import io.leasehold.LockInspector;
import io.leasehold.LockOptions;
import io.leasehold.interceptor.UnavailablePolicy;
import io.leasehold.service.LockService;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Line at startup that says which stores keep the locks, or warns that methods run
 * without them.
 */
record StartupLog(LeaseholdProperties properties, LockService service) implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(StartupLog.class);

	@Override
	public void afterSingletonsInstantiated() {
		if (!this.properties.enabled()) {
			logger.warn("leasehold.enabled is 'false': methods annotated with @DistributedLock run without their "
					+ "locks, DistributedLocks acquires locks inside this JVM only, each instance leads in its roles, "
					+ "and jobs of ShedLock run on each");
			return;
		}
		LockOptions defaults = this.service.defaults();
		logger.info("Locks use engine %s by default, namespace '%s', lease %s ms, wait time %s ms%s".formatted(
				describe(defaults.engine()), this.properties.namespace(), defaults.lease().toMillis(),
				defaults.waitTime().toMillis(), describeOthers(defaults.engine())));
		if (this.properties.whenUnavailable() == UnavailablePolicy.PROCEED) {
			logger.warn("leasehold.when-unavailable is 'proceed': methods annotated with @DistributedLock run "
					+ "without their locks while the store is unavailable");
		}
	}

	private String describeOthers(String engine) {
		String others = this.service.inspector()
			.engines()
			.stream()
			.filter((name) -> !name.equals(engine))
			.map(this::describe)
			.collect(Collectors.joining(", "));
		return others.isEmpty() ? "" : ". Other engines: " + others;
	}

	private String describe(String engine) {
		LockInspector inspector = this.service.inspector();
		String location = inspector.location(engine);
		return (location != null) ? "'%s' (%s)".formatted(engine, location) : "'%s'".formatted(engine);
	}

}
