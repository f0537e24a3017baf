package io.leasehold.server;

import java.time.Duration;
import java.util.Map;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;

/**
 * A real ZooKeeper server in this JVM, with ticks short enough for short sessions.
 */
public final class ZooKeeperTestServer {

	/** Timeout of the sessions of tests. */
	public static final int SESSION_MILLIS = 4000;

	private static final int TICK = 200;

	private static final String CONTAINER_CHECK = "znode.container.checkIntervalMs";

	private static final String NEVER = String.valueOf(Duration.ofDays(1).toMillis());

	static {
		// Tests create and list nodes in containers that may be empty
		System.setProperty(CONTAINER_CHECK, NEVER);
		System.setProperty("znode.container.maxPerMinute", "60000");
		// Disks of test machines are slow
		System.setProperty("zookeeper.forceSync", "no");
	}

	private ZooKeeperTestServer() {
	}

	/** Connect string of the server that tests share, stopped at the end of the JVM. */
	public static String shared() {
		return Shared.SERVER.getConnectString();
	}

	/** Start a server for one test. */
	public static TestingServer start() {
		try {
			return new TestingServer(spec(), true);
		}
		catch (Exception ex) {
			throw new IllegalStateException("ZooKeeper does not start", ex);
		}
	}

	/** Start a server that removes empty containers in this interval. */
	public static TestingServer removingContainersEvery(Duration interval) {
		System.setProperty(CONTAINER_CHECK, String.valueOf(interval.toMillis()));
		try {
			return start();
		}
		finally {
			System.setProperty(CONTAINER_CHECK, NEVER);
		}
	}

	/** Connect, and start the client. */
	public static CuratorFramework connect(String connectString) {
		return connect(connectString, SESSION_MILLIS);
	}

	/** Connect for sessions of a length of their own. */
	public static CuratorFramework connect(String connectString, int sessionMillis) {
		CuratorFramework client = CuratorFrameworkFactory.newClient(connectString, sessionMillis, 2000,
				new RetryForever(100));
		client.start();
		return client;
	}

	/** What a server of a test is like. */
	public static InstanceSpec spec() {
		return new InstanceSpec(null, Ports.free(), Ports.free(), Ports.free(), true, -1, TICK, 1000,
				Map.of("admin.enableServer", "false", "maxSessionTimeout", "120000"));
	}

	/** Starts the server when the first test asks for it. */
	private static final class Shared {

		private static final TestingServer SERVER = ZooKeeperTestServer.start();

	}

}
