package io.leasehold.autoconfigure.memcached;

import java.time.Duration;
import java.util.List;

import io.leasehold.autoconfigure.EngineValues;
import io.leasehold.autoconfigure.LeaseholdProperties;
import io.leasehold.engine.cas.CasSettings;
import io.leasehold.engine.memcached.MemcachedStore;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the memcached engine.
 *
 * @param servers Servers of memcached. Each lock is on one of them.
 * @param callTimeout Maximum time to wait for a response.
 * @param pollMin Minimum time between two polls of a waiting process.
 * @param pollMax Maximum time between two polls of a waiting process.
 */
@ConfigurationProperties("leasehold.memcached")
public record MemcachedProperties(@DefaultValue("localhost:11211") List<String> servers,
		@DefaultValue("1s") Duration callTimeout, @DefaultValue("5ms") Duration pollMin,
		@DefaultValue("100ms") Duration pollMax) {

	/** Return the settings of the engine, or reject invalid ones. */
	CasSettings toSettings(LeaseholdProperties shared) {
		Duration retention = shared.fencing().retention();
		Duration most = MemcachedStore.LONGEST.minusDays(1);
		return EngineValues.accepted("memcached", "Change the named property below leasehold.memcached.",
				() -> new CasSettings(shared.namespace(), this.callTimeout, this.pollMin, this.pollMax,
						(retention.compareTo(most) < 0) ? retention : most));
	}

	/** Return the name only: unchecked addresses may contain a password. */
	@Override
	public String toString() {
		return "MemcachedProperties";
	}

}
