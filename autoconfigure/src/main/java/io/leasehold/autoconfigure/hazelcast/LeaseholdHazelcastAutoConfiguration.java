package io.leasehold.autoconfigure.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import io.leasehold.autoconfigure.ConditionalOnLockEngine;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdProperties;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.cas.BoundedStore;
import io.leasehold.engine.cas.CasLockEngine;
import io.leasehold.engine.cas.CasSettings;
import io.leasehold.engine.hazelcast.HazelcastStore;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/**
 * Auto-configuration of the Hazelcast engine with the application's instance, a member or
 * a client. It has to be enabled by name, since a split of the cluster may grant a lock
 * twice.
 */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass(HazelcastInstance.class)
@ConditionalOnLockEngine(value = HazelcastStore.NAME, onlyIfNamed = true)
@ConditionalOnBean({ LeaseholdAutoConfiguration.class, HazelcastInstance.class })
@EnableConfigurationProperties(HazelcastProperties.class)
public final class LeaseholdHazelcastAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = "leaseholdHazelcastLockEngine")
	CasLockEngine leaseholdHazelcastLockEngine(ObjectProvider<HazelcastInstance> instances,
			HazelcastProperties properties, LeaseholdProperties shared, MonotonicClock clock) {
		HazelcastInstance instance = instances.getIfUnique();
		if (instance == null) {
			throw new LockEngineConfigurationException(
					"There are several HazelcastInstance beans, and none of them is primary. The one for locks is unknown.",
					"Mark one of them as @Primary.");
		}
		CasSettings settings = properties.toSettings(shared);
		HazelcastStore store = open(instance, properties.map(), settings);
		return new CasLockEngine(HazelcastStore.NAME,
				new BoundedStore(HazelcastStore.NAME, store, settings.callTimeout()), settings, clock);
	}

	private static HazelcastStore open(HazelcastInstance instance, String map, CasSettings settings) {
		try {
			return HazelcastStore.open(instance, map, settings.retention());
		}
		catch (IllegalArgumentException ex) {
			throw new LockEngineConfigurationException(ex.getMessage() + ".",
					"Configure the map '%s' by its exact name, without eviction, idle time, near cache and reads from backups, and without a time to live. Or set leasehold.hazelcast.map to another name."
						.formatted(map));
		}
	}

}
