package io.leasehold.engine.zookeeper;

import java.time.Duration;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * Repair of a Curator client that missed its connection. Curator processes the end of a
 * session in that session's event thread, and records last that it is not connected. If
 * the next session has connected by then, Curator stays unconnected: no event follows,
 * and it sends no request. Not thread-safe.
 */
final class MissedConnection {

	private static final Log logger = LogFactory.getLog(MissedConnection.class);

	/** Longer than the event thread usually takes to report a connection. */
	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private final CuratorFramework client;

	private @Nullable ZooKeeper suspect;

	private long since;

	MissedConnection(CuratorFramework client) {
		this.client = client;
	}

	/**
	 * Check the client, and repair it if it misses the same connection for a while.
	 * Called periodically.
	 * @param now the present time
	 * @throws Exception if the client could not be checked
	 */
	void check(long now) throws Exception {
		ZooKeeper missed = find();
		if (missed == null || missed != this.suspect) {
			this.suspect = missed;
			this.since = now;
		}
		else if (now - this.since >= PATIENCE.toNanos()) {
			this.since = now;
			report(missed);
		}
	}

	private @Nullable ZooKeeper find() throws Exception {
		if (this.client.getState() != CuratorFrameworkState.STARTED || this.client.getZookeeperClient().isConnected()) {
			return null;
		}
		ZooKeeper handle = this.client.getZookeeperClient().getZooKeeper();
		return (handle.getState() == ZooKeeper.States.CONNECTED) ? handle : null;
	}

	/** Report the connection, after a break: a handle reports only changes. */
	private static void report(ZooKeeper handle) {
		logger.warn("Curator missed the connection event of ZooKeeper session 0x%x; sending the event again"
			.formatted(handle.getSessionId()));
		handle.getTestable().queueEvent(new WatchedEvent(EventType.None, KeeperState.Disconnected, null));
		handle.getTestable().queueEvent(new WatchedEvent(EventType.None, KeeperState.SyncConnected, null));
	}

}
