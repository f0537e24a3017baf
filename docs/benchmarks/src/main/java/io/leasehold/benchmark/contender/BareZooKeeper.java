package io.leasehold.benchmark.contender;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;

/**
 * The least that a lock in ZooKeeper has to do, by its own client: the creation of an
 * ephemeral node, and its deletion.
 */
final class BareZooKeeper implements Contender {

	private static final String ROOT = "/bare";

	private static final List<ACL> ANYBODY = Collections
		.singletonList(new ACL(ZooDefs.Perms.ALL, new Id("world", "anyone")));

	private final ZooKeeper client;

	private final byte[] owner = ProcessHandle.current().toString().getBytes(StandardCharsets.US_ASCII);

	BareZooKeeper(String address) {
		try {
			CountDownLatch connected = new CountDownLatch(1);
			this.client = new ZooKeeper(address, (int) Leases.LEASE.toMillis(), (event) -> {
				if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
					connected.countDown();
				}
			});
			connected.await();
			create(ROOT, CreateMode.PERSISTENT);
		}
		catch (IOException | InterruptedException | KeeperException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public Held acquire(String key) throws Exception {
		String path = ROOT + "/" + key;
		Polling.until(() -> create(path, CreateMode.EPHEMERAL));
		return () -> this.client.delete(path, -1);
	}

	private boolean create(String path, CreateMode mode) throws KeeperException, InterruptedException {
		try {
			this.client.create(path, this.owner, ANYBODY, mode);
			return true;
		}
		catch (KeeperException.NodeExistsException ex) {
			return false;
		}
	}

	@Override
	public void close() {
		try {
			this.client.close();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
