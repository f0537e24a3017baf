package io.leasehold.engine.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeoutException;

import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.KeeperException;

/**
 * Keys as operators see them: by what their lowest nodes say.
 */
final class Keys {

	private final Store store;

	private final NodePaths paths;

	Keys(Store store, NodePaths paths) {
		this.store = store;
		this.paths = paths;
	}

	/** What a claim's node says to operators. */
	static byte[] data(Claim claim) {
		return (claim.owner().token() + "\n" + claim.lease().toMillis()).getBytes(StandardCharsets.US_ASCII);
	}

	List<Holder> inspect(LockKey key, long deadline) throws KeeperException, TimeoutException {
		return find(key, deadline, (path) -> true);
	}

	List<Holder> forceRelease(LockKey key, long deadline) throws KeeperException, TimeoutException {
		return find(key, deadline, (path) -> Store.await(this.store.remove(path), deadline));
	}

	/** Find the holder whose node passes the test, or that nobody holds the key. */
	private List<Holder> find(LockKey key, long deadline, NodeTest test) throws KeeperException, TimeoutException {
		this.store.awaitConnection(deadline);
		String container = this.paths.container(key);
		while (true) {
			String lowest = LockNode.lowest(Store.await(this.store.children(container), deadline));
			if (lowest == null) {
				return List.of();
			}
			String path = container + "/" + lowest;
			try {
				Holder holder = holder(Store.await(this.store.data(path), deadline));
				if (test.passes(path)) {
					return List.of(holder);
				}
			}
			catch (KeeperException.NoNodeException ex) {
				// gone meanwhile: the next one holds the key, if there is one
			}
		}
	}

	private static Holder holder(CuratorEvent node) {
		String[] lines = new String(node.getData(), StandardCharsets.US_ASCII).split("\n");
		Duration lease = (lines.length == 2) ? Duration.ofMillis(Long.parseLong(lines[1])) : Duration.ZERO;
		return Holder.of(lines[0], node.getStat().getCzxid(), Instant.ofEpochMilli(node.getStat().getCtime()), lease);
	}

	/** Looks at a node, or does something to it. */
	@FunctionalInterface
	private interface NodeTest {

		boolean passes(String path) throws KeeperException, TimeoutException;

	}

}
