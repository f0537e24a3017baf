package io.leasehold.autoconfigure.memcached;

import com.spotify.folsom.MemcacheClient;
import io.leasehold.autoconfigure.ConditionalOnLockEngine;
import io.leasehold.autoconfigure.EngineValues;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdProperties;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.cas.CasLockEngine;
import io.leasehold.engine.cas.CasSettings;
import io.leasehold.engine.memcached.MemcachedStore;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/**
 * Auto-configuration of the memcached engine, which has to be enabled by name, since
 * memcached may lose locks.
 */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnBean(LeaseholdAutoConfiguration.class)
@ConditionalOnClass(MemcacheClient.class)
@ConditionalOnLockEngine(value = MemcachedStore.NAME, onlyIfNamed = true)
@EnableConfigurationProperties(MemcachedProperties.class)
public final class LeaseholdMemcachedAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	MemcachedConnectionDetails leaseholdMemcachedConnectionDetails(MemcachedProperties properties) {
		return properties::servers;
	}

	@Bean
	@ConditionalOnMissingBean(name = "leaseholdMemcachedLockEngine")
	CasLockEngine leaseholdMemcachedLockEngine(MemcachedConnectionDetails connection, MemcachedProperties properties,
			LeaseholdProperties shared, MonotonicClock clock) {
		CasSettings settings = properties.toSettings(shared);
		EngineValues.refuseCredentials("leasehold.memcached.servers", connection.getServers(),
				"Write the address of each server as 'host:port'. The engine does not authenticate.");
		try {
			MemcachedStore store = MemcachedStore.connect(connection.getServers(), settings.callTimeout());
			return new CasLockEngine(MemcachedStore.NAME, store, settings, clock);
		}
		catch (IllegalArgumentException ex) {
			throw new LockEngineConfigurationException(
					"The servers of memcached, %s, are invalid: %s.".formatted(connection.getServers(),
							ex.getMessage()),
					"Set leasehold.memcached.servers to addresses such as 'cache1:11211,cache2:11211'.");
		}
	}

}
