package io.leasehold.autoconfigure.redlock;

import java.time.Duration;
import java.util.List;

import io.leasehold.autoconfigure.EngineValues;
import io.leasehold.autoconfigure.LeaseholdProperties;
import io.leasehold.engine.redlock.RedlockSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the Redlock engine.
 *
 * @param nodes Addresses of the independent Redis masters, such as 'redis-1:6379'. Three,
 * five or another odd number.
 * @param username User name at all masters. The default account if not set.
 * @param password Password at all masters.
 * @param ssl TLS settings of the connections.
 * @param commandTimeout Maximum time to wait for a connection and for the responses to a
 * request. Masters that are slower do not delay a lock that a majority has granted.
 * @param pollInterval Maximum time between two polls of a waiting process. Waiters are
 * also notified of releases.
 * @param restartDelay How long a master does not count after it started, because it may
 * have lost its locks. The longest lease that is requested. All applications that share
 * the masters need the same value. Zero only if all masters keep every write over a
 * restart.
 */
@ConfigurationProperties("leasehold.redlock")
public record RedlockProperties(@DefaultValue List<String> nodes, @Nullable String username, @Nullable String password,
		@DefaultValue Ssl ssl, @DefaultValue("500ms") Duration commandTimeout,
		@DefaultValue("200ms") Duration pollInterval, @DefaultValue("30s") Duration restartDelay) {

	static final String CORRECTION = "Change the named property.";

	/** Return the settings of the engine, or reject invalid ones. */
	RedlockSettings toSettings(LeaseholdProperties shared) {
		return EngineValues.accepted("Redlock", CORRECTION, () -> new RedlockSettings(shared.namespace(),
				this.commandTimeout, this.pollInterval, this.restartDelay, shared.fencing().retention()));
	}

	/** Return the name only: unchecked addresses may contain a password. */
	@Override
	public String toString() {
		return "RedlockProperties";
	}

	/**
	 * TLS settings.
	 *
	 * @param bundle Name of the SSL bundle of the connections. Unencrypted if not set.
	 */
	public record Ssl(@Nullable String bundle) {
	}

}
