package io.leasehold.autoconfigure.hazelcast;

import java.time.Duration;

import io.leasehold.autoconfigure.EngineValues;
import io.leasehold.autoconfigure.LeaseholdProperties;
import io.leasehold.engine.cas.CasSettings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the Hazelcast engine.
 *
 * @param map Name of the map that contains all locks.
 * @param callTimeout Maximum time to wait for a response.
 * @param pollMin Minimum time between two polls of a waiting process.
 * @param pollMax Maximum time between two polls of a waiting process. Waiters are also
 * notified of changes.
 */
@ConfigurationProperties("leasehold.hazelcast")
public record HazelcastProperties(@DefaultValue("leasehold-locks") String map, @DefaultValue("1s") Duration callTimeout,
		@DefaultValue("20ms") Duration pollMin, @DefaultValue("1s") Duration pollMax) {

	/** Return the settings of the engine, or reject invalid ones. */
	CasSettings toSettings(LeaseholdProperties shared) {
		return EngineValues.accepted("Hazelcast", "Change the named property below leasehold.hazelcast.",
				() -> new CasSettings(shared.namespace(), this.callTimeout, this.pollMin, this.pollMax,
						shared.fencing().retention()));
	}

}
