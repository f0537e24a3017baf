package io.leasehold.engine.zookeeper;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Function;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.HeldKeys.HeldKey;
import io.leasehold.engine.Holder;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * Requests of operators: list the holders of a lock, and release it by force.
 */
record Operator(Store store, NodePaths paths) {

	/** Maximum number of waiting claims in a page, before those of its last key. */
	private static final int MOST_WAITS = 1_000;

	private static final Function<String, CompletableFuture<Boolean>> UNTESTED = (path) -> CompletableFuture
		.completedFuture(true);

	List<Holder> inspect(LockKey key, long deadline) throws KeeperException, TimeoutException {
		return find(key, deadline, UNTESTED);
	}

	/**
	 * Return the holders of keys, by two rounds of concurrent requests.
	 * @param awaited whether to return also the waiting claims
	 * @return the keys in the same order, without the last ones if too many claims wait
	 */
	List<HeldKey> inspectAll(List<LockKey> keys, boolean awaited, long deadline)
			throws KeeperException, TimeoutException {
		List<CompletableFuture<List<String>>> children = keys.stream()
			.map((key) -> this.store.children(this.paths.container(key)))
			.toList();
		List<List<NodeRead>> reads = new ArrayList<>();
		List<List<NodeRead>> waiting = new ArrayList<>();
		for (int i = 0, waits = 0; i < keys.size() && waits < MOST_WAITS; i++) {
			NodeOrder order = new NodeOrder(this.paths.container(keys.get(i)), Store.await(children.get(i), deadline));
			reads.add(read(order, UNTESTED));
			waiting.add(awaited ? order.waiters(HeldKey.MOST_WAITERS).stream().map(this::read).toList() : List.of());
			waits += waiting.get(i).size();
		}
		List<HeldKey> held = new ArrayList<>();
		for (int i = 0; i < reads.size(); i++) {
			List<Holder> present = present(reads.get(i), Operator::holder, deadline);
			// All were removed meanwhile: their successors, if any
			boolean removed = present.isEmpty() && !reads.get(i).isEmpty();
			held.add(new HeldKey(keys.get(i), removed ? inspect(keys.get(i), deadline) : present,
					removed ? List.of() : present(waiting.get(i), Operator::waiter, deadline)));
		}
		return held;
	}

	private NodeRead read(String waiting) {
		return new NodeRead(this.store.data(waiting), false, UNTESTED.apply(waiting));
	}

	List<Holder> forceRelease(LockKey key, long deadline) throws KeeperException, TimeoutException {
		return find(key, deadline, this.store::remove);
	}

	/** Return the holders whose nodes pass the test, empty if the key is free. */
	private List<Holder> find(LockKey key, long deadline, Function<String, CompletableFuture<Boolean>> test)
			throws KeeperException, TimeoutException {
		this.store.awaitConnection(deadline);
		String container = this.paths.container(key);
		while (true) {
			NodeOrder order = new NodeOrder(container, Store.await(this.store.children(container), deadline));
			List<NodeRead> reads = read(order, test);
			List<Holder> present = present(reads, Operator::holder, deadline);
			if (!present.isEmpty() || reads.isEmpty()) {
				return present;
			}
			// All were removed meanwhile: retry with their successors, if any
		}
	}

	private List<NodeRead> read(NodeOrder order, Function<String, CompletableFuture<Boolean>> test) {
		return order.holders()
			.stream()
			.map((path) -> new NodeRead(this.store.data(path), path.equals(order.lingering()), test.apply(path)))
			.toList();
	}

	/** Return a node's holder. Its end is unknown: the lease or the session ends it. */
	private static Holder holder(CuratorEvent node, boolean lingering) {
		Stat stat = node.getStat();
		Holder holder = claim(node, Instant.ofEpochMilli(stat.getMtime()).minus(LockNode.held(node.getData())));
		return lingering ? holder.withReserved(AcquisitionOutcome.Granted.RESERVED, stat.getVersion() == 0) : holder;
	}

	private static Holder waiter(CuratorEvent node, boolean lingering) {
		return claim(node, Instant.ofEpochMilli(node.getStat().getCtime()));
	}

	private static Holder claim(CuratorEvent node, Instant since) {
		return Holder.of(LockNode.token(node.getData()), LockNode.number(node.getStat().getCzxid()), since, null);
	}

	private static List<Holder> present(List<NodeRead> reads, BiFunction<CuratorEvent, Boolean, Holder> description,
			long deadline) throws KeeperException, TimeoutException {
		List<Holder> present = new ArrayList<>();
		for (NodeRead read : reads) {
			try {
				Holder holder = description.apply(Store.await(read.node, deadline), read.lingering);
				if (Store.await(read.passed, deadline)) {
					present.add(holder);
				}
			}
			catch (KeeperException.NoNodeException ex) {
				// removed meanwhile
			}
		}
		return present;
	}

	/**
	 * Read of a holder's node, followed by a test.
	 *
	 * @param lingering whether its grant lingers, unless the node was written
	 * @param passed whether it passed the test
	 */
	private record NodeRead(CompletableFuture<CuratorEvent> node, boolean lingering,
			CompletableFuture<Boolean> passed) {
	}

}
