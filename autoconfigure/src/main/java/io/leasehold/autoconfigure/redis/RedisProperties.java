package io.leasehold.autoconfigure.redis;

import java.time.Duration;

import io.leasehold.autoconfigure.EngineValues;
import io.leasehold.autoconfigure.LeaseholdProperties;
import io.leasehold.engine.redis.RedisSettings;
import io.leasehold.engine.redis.WakeUp;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the Redis engine. The defaults suit a server in the same data centre.
 *
 * @param pollInterval Maximum time between two polls of a waiting process. Waiters are
 * notified of their turn; polls only detect lost messages and crashed holders.
 * @param grantLease Lease of a lock that was granted to a waiting process, until the
 * process extends it. Must exceed poll interval plus command timeout. If the waiter died,
 * others wait for this time.
 * @param commandTimeout Maximum time to wait for a connection and for the response to a
 * command.
 * @param minValidity Minimum remaining validity of a lock that was granted by a message.
 * With less, the process queries the server before it uses the lock. At least the command
 * timeout.
 * @param silenceTimeout How long a connection may leave requests unanswered before it is
 * replaced.
 * @param markerLifetime How long the server remembers that a claim whose connection broke
 * has ended. Must exceed silence timeout plus the longest pause of the server.
 * @param replicasToWait Number of replicas that must receive a grant before it counts, or
 * 0 for none. If fewer respond within half the command timeout, the lock is unavailable.
 * @param wakeUp How waiting processes are notified of their turn: by the scripts of the
 * server, or by the client that released the lock where scripts must not publish
 * messages. With poll they are not notified. Auto finds out what the server accepts.
 * @param connectionFactory Name of the connection factory bean whose servers keep the
 * locks. Needed only if several connection factories exist and none is primary.
 */
@ConfigurationProperties("leasehold.redis")
public record RedisProperties(@DefaultValue("2s") Duration pollInterval, @DefaultValue("5s") Duration grantLease,
		@DefaultValue("1s") Duration commandTimeout, @DefaultValue("1s") Duration minValidity,
		@DefaultValue("5s") Duration silenceTimeout, @DefaultValue("60s") Duration markerLifetime,
		@DefaultValue("0") int replicasToWait, @DefaultValue("auto") WakeUp wakeUp,
		@Nullable String connectionFactory) {

	/** Return the settings of the engine, or reject invalid ones. */
	RedisSettings toSettings(LeaseholdProperties shared) {
		return EngineValues.accepted("Redis", "Change one of the named properties.",
				() -> new RedisSettings(shared.namespace(), this.pollInterval, this.grantLease, this.commandTimeout,
						this.minValidity, this.silenceTimeout, this.markerLifetime, shared.fencing().retention(),
						this.replicasToWait, this.wakeUp));
	}

}
