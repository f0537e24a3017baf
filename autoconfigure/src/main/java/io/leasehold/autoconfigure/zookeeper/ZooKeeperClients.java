package io.leasehold.autoconfigure.zookeeper;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import io.leasehold.autoconfigure.EngineValues;
import io.leasehold.autoconfigure.LeaseholdProperties;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;
import org.apache.zookeeper.client.ConnectStringParser;

import org.springframework.beans.factory.ListableBeanFactory;

/**
 * Factory of the locks' client: a separate one, or the application's.
 */
final class ZooKeeperClients {

	private static final int RETRY_MILLIS = 200;

	/** Servers limit sessions to less. With a week, the client never connects. */
	private static final Duration LONGEST_TIMEOUT = Duration.ofDays(1);

	private ZooKeeperClients() {
	}

	/**
	 * Return a client that is not started yet. It retries without limit; callers do not
	 * wait for that, because the engine bounds each call.
	 */
	static CuratorFramework own(ZooKeeperConnectionDetails details, ZooKeeperProperties properties,
			LeaseholdProperties shared) {
		return CuratorFrameworkFactory.newClient(check(details.getConnectString()),
				millis(properties.sessionTimeout(shared)), millis(properties.connectionTimeout()),
				new RetryForever(RETRY_MILLIS));
	}

	private static int millis(Duration duration) {
		return (int) Collections.min(List.of(LONGEST_TIMEOUT, duration)).toMillis();
	}

	private static String check(String connectString) {
		EngineValues.refuseCredentials("leasehold.zookeeper.connect-string", List.of(connectString),
				"Write the servers as 'host:port'. For authentication, declare a CuratorFramework bean.");
		try {
			if (!new ConnectStringParser(connectString).getServerAddresses().isEmpty()) {
				return connectString;
			}
		}
		catch (IllegalArgumentException ex) {
			throw malformed(connectString, ": " + ex.getMessage());
		}
		throw malformed(connectString, "");
	}

	private static LockEngineConfigurationException malformed(String connectString, String reason) {
		return new LockEngineConfigurationException(
				"The connect string of ZooKeeper, '%s', names no servers%s.".formatted(connectString, reason),
				"Set leasehold.zookeeper.connect-string to the servers of the ensemble, such as 'zk1:2181,zk2:2181,zk3:2181'.");
	}

	static CuratorFramework ofTheApplication(ListableBeanFactory beans) {
		CuratorFramework client = beans.getBeanProvider(CuratorFramework.class).getIfUnique();
		if (client == null) {
			throw new LockEngineConfigurationException(
					"There are several CuratorFramework beans, and none of them is primary: %s. The one for locks is unknown."
						.formatted(Arrays.toString(beans.getBeanNamesForType(CuratorFramework.class))),
					"Mark one of them as @Primary, or configure a separate session in leasehold.zookeeper.connect-string.");
		}
		return client;
	}

}
