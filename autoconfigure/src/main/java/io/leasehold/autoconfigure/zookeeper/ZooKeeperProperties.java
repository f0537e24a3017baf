package io.leasehold.autoconfigure.zookeeper;

import java.time.Duration;

import io.leasehold.autoconfigure.EngineValues;
import io.leasehold.autoconfigure.LeaseholdProperties;
import io.leasehold.engine.RenewalRule;
import io.leasehold.engine.zookeeper.ZooKeeperSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the ZooKeeper engine.
 *
 * @param connectString Servers of the ensemble, such as 'zk1:2181,zk2:2181,zk3:2181'.
 * Locks then use a separate session; otherwise they use the application's
 * CuratorFramework.
 * @param sessionTimeout How long locks outlive a process that died or was disconnected.
 * After each renewal a lock is valid for three quarters of it, so the default is four
 * thirds of 'leasehold.lease'. The servers limit it. A CuratorFramework of the
 * application has its own.
 * @param connectionTimeout Maximum time to wait for the connection to one server of the
 * ensemble. A CuratorFramework of the application has its own.
 * @param callTimeout Maximum time to wait for a response, including the time to connect.
 * @param pollInterval Maximum time between two polls of a waiting process. Waiters are
 * notified of their turn; polls only detect lost messages.
 * @param basePath Path of the node that contains all locks.
 */
@ConfigurationProperties("leasehold.zookeeper")
public record ZooKeeperProperties(@Nullable String connectString, @Nullable Duration sessionTimeout,
		@DefaultValue("3s") Duration connectionTimeout, @DefaultValue("2s") Duration callTimeout,
		@DefaultValue("2s") Duration pollInterval, @DefaultValue("/leasehold") String basePath) {

	/** Return the settings of the engine, or reject invalid ones. */
	ZooKeeperSettings toSettings(LeaseholdProperties shared) {
		return EngineValues.accepted("ZooKeeper", "Change the named property.", () -> {
			checkOwnClient();
			return new ZooKeeperSettings(shared.namespace(), this.basePath, this.callTimeout, this.pollInterval);
		});
	}

	private void checkOwnClient() {
		if (this.connectionTimeout.toMillis() < 1) {
			throw new IllegalArgumentException("leasehold.zookeeper.connection-timeout (%s) must be at least 1ms"
				.formatted(this.connectionTimeout));
		}
		Duration least = RenewalRule.sessionTimeout(RenewalRule.minLease(this.callTimeout));
		if (this.sessionTimeout != null && this.sessionTimeout.compareTo(least) < 0) {
			throw new IllegalArgumentException(
					"leasehold.zookeeper.session-timeout (%s) must be at least %s, eight thirds of call-timeout"
						.formatted(this.sessionTimeout, least));
		}
	}

	/** Return the session timeout to request from the servers. */
	Duration sessionTimeout(LeaseholdProperties shared) {
		return (this.sessionTimeout != null) ? this.sessionTimeout : RenewalRule.sessionTimeout(shared.lease());
	}

	/** Return the name only: unchecked addresses may contain a password. */
	@Override
	public String toString() {
		return "ZooKeeperProperties";
	}

}
