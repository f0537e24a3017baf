package io.leasehold.engine.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

import io.leasehold.LockKey;
import io.leasehold.engine.HeldKeys;
import io.leasehold.engine.support.KeyNames;
import io.leasehold.engine.support.StoreCalls;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * List of the held keys, in the order of their nodes. A position is the name of a node. A
 * node remains for a while after its last lock was released.
 *
 * @param operator requests the holders of a key
 */
record HeldNodes(Store store, NodePaths paths, Operator operator, StoreCalls calls) implements HeldKeys {

	/**
	 * Maximum number of keys with nodes. ZooKeeper returns the names of all children in
	 * one response, and a client that receives more than a megabyte disconnects, which
	 * would put all locks in doubt. The name of the longest key has 1,536 bytes.
	 */
	private static final int MOST_NODES = 600;

	@Override
	public Page list(String prefix, @Nullable String after, int limit) {
		return this.calls.run("list the held locks", null, (deadline) -> list(prefix, after, limit, false, deadline));
	}

	@Override
	public Page listAwaited(@Nullable String after, int limit) {
		return this.calls.run("list the awaited locks", null, (deadline) -> list("", after, limit, true, deadline));
	}

	private Page list(String prefix, @Nullable String after, int limit, boolean awaited, long deadline)
			throws KeeperException, TimeoutException {
		if (after != null && !begins(after, prefix)) {
			throw HeldKeys.noPosition(after);
		}
		List<String> following = names(deadline).stream()
			.filter((name) -> (after == null || name.compareTo(after) > 0) && begins(name, prefix))
			.sorted()
			.toList();
		List<LockKey> keys = following.stream().limit(limit).map((name) -> Objects.requireNonNull(key(name))).toList();
		List<HeldKey> visited = this.operator.inspectAll(keys, awaited, deadline);
		return new Page(visited.stream().filter((found) -> found.isListed(awaited)).toList(),
				(visited.size() < following.size()) ? following.get(visited.size() - 1) : null);
	}

	private static boolean begins(String name, String prefix) {
		LockKey key = key(name);
		return key != null && key.value().startsWith(prefix);
	}

	private static @Nullable LockKey key(String name) {
		return KeyNames.parse(name, StandardCharsets.UTF_8);
	}

	private List<String> names(long deadline) throws KeeperException, TimeoutException {
		this.store.awaitConnection(deadline);
		CompletableFuture<Integer> count = this.store.stat(this.paths.root()).thenApply(Stat::getNumChildren);
		int nodes = Store.await(Store.orIfNoNode(count, 0), deadline);
		if (nodes > MOST_NODES) {
			throw new UnsupportedOperationException(
					"Engine '%s' cannot list its locks while there are more than %s keys (now %s)"
						.formatted(ZooKeeperLockEngine.NAME, MOST_NODES, nodes));
		}
		return Store.await(this.store.children(this.paths.root()), deadline);
	}

}
