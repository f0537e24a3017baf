package io.leasehold.autoconfigure;

import java.time.Duration;

import io.leasehold.engine.redis.RedisSettings;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * What only the Redis engine needs. The defaults suit a server in the same data centre.
 */
@ConfigurationProperties("leasehold.redis")
class RedisProperties {

	/**
	 * Longest time between two polls of a waiting process. Waiters are told of their
	 * turn; polls only find what a lost message or a crashed holder would have hidden.
	 */
	private Duration pollInterval = Duration.ofSeconds(2);

	/**
	 * Lease of a lock that was handed to a waiting process, until that extends it. Has to
	 * be longer than poll interval and command timeout together. A waiter that died costs
	 * the others this time.
	 */
	private Duration grantLease = Duration.ofSeconds(5);

	/**
	 * Longest time to wait for a connection and for the answer to a command.
	 */
	private Duration commandTimeout = Duration.ofSeconds(1);

	/**
	 * Least validity that a lock handed over by a message must have left to be entered
	 * without asking the server again. At least the command timeout.
	 */
	private Duration minValidity = Duration.ofSeconds(1);

	/**
	 * How long a connection may leave requests unanswered before it is given up for a new
	 * one.
	 */
	private Duration silenceTimeout = Duration.ofSeconds(5);

	/**
	 * How long the server remembers that a claim is over whose connection broke. Has to
	 * be longer than silence timeout and the longest pause of the server together.
	 */
	private Duration markerLifetime = Duration.ofSeconds(60);

	/**
	 * Number of replicas that must have received a grant before it counts, or 0 not to
	 * wait for any. With fewer within half the command timeout, the lock is unavailable.
	 */
	private int replicasToWait = 0;

	/**
	 * Return what the engine has to know.
	 * @throws LockEngineConfigurationException if it cannot work with these figures
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
					"Change one of the properties that are named.");
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
