package io.leasehold.engine.redis.connection;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Redis Cluster: several primaries, each with a part of the slots. Any node returns the
 * slot map. It is queried again when a slot has moved or a primary was unreachable.
 */
final class Cluster implements Topology {

	private final List<Node> seeds;

	private final Function<Node, Connection> connector;

	private final Questions questions;

	private final Executor executor;

	private final Known<SlotMap> slots;

	private final AtomicReference<Set<Node>> nodes = new AtomicReference<>(Set.of());

	/**
	 * Create a cluster.
	 * @param seeds some of its nodes
	 * @param connector opens a connection to a node
	 * @param questions queries nodes
	 * @param executor runs the queries
	 * @param primaries called with the primaries after each query
	 */
	Cluster(List<Node> seeds, Function<Node, Connection> connector, Questions questions, Executor executor,
			Consumer<Set<Node>> primaries) {
		this.seeds = List.copyOf(seeds);
		this.connector = connector;
		this.questions = questions;
		this.executor = executor;
		this.slots = new Known<>(this::readSlots, (map) -> primaries.accept(map.primaries()), executor);
	}

	@Override
	public CompletableFuture<Node> primaryOf(String lock) {
		return this.slots.get().thenApply((map) -> primaryOf(SlotMap.slot(lock), map));
	}

	private Node primaryOf(int slot, SlotMap map) {
		Node primary = map.primary(slot);
		if (primary == null) {
			this.slots.refresh();
			throw RedisFailure.refusal("CLUSTERDOWN No node serves slot %s".formatted(slot), null);
		}
		return primary;
	}

	@Override
	public CompletableFuture<Node> anyPrimary() {
		return this.slots.get().thenApply((map) -> shuffled(map.primaries()).get(0));
	}

	@Override
	public CompletableFuture<Set<Node>> primaries() {
		return CompletableFuture.supplyAsync(this::readSlots, this.executor).thenApply(SlotMap::primaries);
	}

	@Override
	public void doubt(Node primary) {
		this.slots.refresh();
	}

	@Override
	public boolean isCluster() {
		return true;
	}

	@Override
	public @Nullable Redirection redirection(RedisFailure refusal, Node from) {
		if (!refusal.isRedirection()) {
			return null;
		}
		boolean asking = refusal.is("ASK");
		// Such as MOVED 3999 10.0.0.7:6381
		String[] words = String.valueOf(refusal.getMessage()).split(" ");
		Node named = Node.parse(words[2]);
		if (named.host().equals(SlotMap.UNKNOWN)) {
			this.slots.refresh();
			return null;
		}
		Node to = named.host().isEmpty() ? new Node(from.host(), named.port()) : named;
		if (!asking) {
			this.slots.get().thenAccept((map) -> map.moved(Integer.parseInt(words[1]), to));
			this.slots.refresh();
		}
		return new Redirection(to, asking);
	}

	private SlotMap readSlots() {
		List<RedisFailure> failures = new ArrayList<>();
		Set<Node> candidates = new LinkedHashSet<>(shuffled(this.nodes.get()));
		candidates.addAll(this.seeds);
		for (Node node : candidates) {
			try {
				SlotMap map = readSlots(node);
				this.nodes.set(map.primaries());
				return map;
			}
			catch (RedisFailure ex) {
				failures.add(ex);
			}
		}
		throw RedisFailure.ofSeveral("No node of the cluster responds", failures, failures.size());
	}

	private SlotMap readSlots(Node node) {
		Connection connection = this.connector.apply(node);
		try {
			return SlotMap.parse(this.questions.list(connection, "CLUSTER", "SLOTS"), node);
		}
		finally {
			connection.close();
		}
	}

	private static List<Node> shuffled(Set<Node> nodes) {
		List<Node> result = new ArrayList<>(nodes);
		Collections.shuffle(result);
		return result;
	}

}
