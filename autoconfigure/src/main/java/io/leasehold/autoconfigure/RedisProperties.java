package io.leasehold.autoconfigure;

import java.time.Duration;

import io.leasehold.engine.redis.RedisSettings;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties of the Redis engine. The defaults suit a server in the same data centre.
 */
@ConfigurationProperties("leasehold.redis")
class RedisProperties {

	/**
	 * Maximum time between two polls of a waiting process. Waiters are notified of their
	 * turn; polls only detect lost messages and crashed holders.
	 */
	private Duration pollInterval = Duration.ofSeconds(2);

	/**
	 * Lease of a lock that was granted to a waiting process, until the process extends
	 * it. Must exceed poll interval plus command timeout. If the waiter died, others wait
	 * for this time.
	 */
	private Duration grantLease = Duration.ofSeconds(5);

	/**
	 * Maximum time to wait for a connection and for the response to a command.
	 */
	private Duration commandTimeout = Duration.ofSeconds(1);

	/**
	 * Minimum remaining validity of a lock that was granted by a message. With less, the
	 * process queries the server before it uses the lock. At least the command timeout.
	 */
	private Duration minValidity = Duration.ofSeconds(1);

	/**
	 * How long a connection may leave requests unanswered before it is replaced.
	 */
	private Duration silenceTimeout = Duration.ofSeconds(5);

	/**
	 * How long the server remembers that a claim whose connection broke has ended. Must
	 * exceed silence timeout plus the longest pause of the server.
	 */
	private Duration markerLifetime = Duration.ofSeconds(60);

	/**
	 * Number of replicas that must receive a grant before it counts, or 0 for none. If
	 * fewer respond within half the command timeout, the lock is unavailable.
	 */
	private int replicasToWait = 0;

	/**
	 * Return the settings of the engine.
	 * @throws LockEngineConfigurationException if they are invalid
	 */
	RedisSettings toSettings(LeaseholdProperties shared) {
		try {
			return new RedisSettings(shared.getNamespace(), this.pollInterval, this.grantLease, this.commandTimeout,
					this.minValidity, this.silenceTimeout, this.markerLifetime, shared.getFencing().getRetention(),
					this.replicasToWait);
		}
		catch (IllegalArgumentException ex) {
			throw new LockEngineConfigurationException(
					"The Redis engine cannot work as configured: %s.".formatted(ex.getMessage()),
					"Change one of the named properties.");
		}
	}

	public Duration getPollInterval() {
		return this.pollInterval;
	}

	public void setPollInterval(Duration pollInterval) {
		this.pollInterval = pollInterval;
	}

	public Duration getGrantLease() {
		return this.grantLease;
	}

	public void setGrantLease(Duration grantLease) {
		this.grantLease = grantLease;
	}

	public Duration getCommandTimeout() {
		return this.commandTimeout;
	}

	public void setCommandTimeout(Duration commandTimeout) {
		this.commandTimeout = commandTimeout;
	}

	public Duration getMinValidity() {
		return this.minValidity;
	}

	public void setMinValidity(Duration minValidity) {
		this.minValidity = minValidity;
	}

	public Duration getSilenceTimeout() {
		return this.silenceTimeout;
	}

	public void setSilenceTimeout(Duration silenceTimeout) {
		this.silenceTimeout = silenceTimeout;
	}

	public Duration getMarkerLifetime() {
		return this.markerLifetime;
	}

	public void setMarkerLifetime(Duration markerLifetime) {
		this.markerLifetime = markerLifetime;
	}

	public int getReplicasToWait() {
		return this.replicasToWait;
	}

	public void setReplicasToWait(int replicasToWait) {
		this.replicasToWait = replicasToWait;
	}

}
