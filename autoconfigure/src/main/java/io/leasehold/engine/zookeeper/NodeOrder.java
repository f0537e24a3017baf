package io.leasehold.engine.zookeeper;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

import io.leasehold.engine.Access;
import io.leasehold.engine.zookeeper.AwaitedChange.Effect;
import org.jspecify.annotations.Nullable;

/**
 * Nodes of a key in their order. The first ones, up to the first incompatible one, hold
 * the key; no node passes a waiting node. Nodes that are not claims' do not count.
 */
final class NodeOrder {

	private final String container;

	private final List<NodeName> nodes;

	private final int holders;

	NodeOrder(String container, Collection<String> names) {
		this.container = container;
		this.nodes = names.stream()
			.flatMap((name) -> Stream.ofNullable(NodeName.parse(name)))
			.sorted((a, b) -> a.sequence() - b.sequence())
			.toList();
		this.holders = countHolders();
	}

	private int countHolders() {
		int count = 0;
		while (count < this.nodes.size() && this.nodes.get(count).access().joins(this.nodes.get(0).access(), count)) {
			count++;
		}
		return count;
	}

	List<String> holders() {
		return this.nodes.subList(0, this.holders).stream().map((node) -> path(node)).toList();
	}

	/**
	 * Return the paths of nodes that wait for all holders, none if they wait for permits.
	 */
	List<String> waiters(int most) {
		boolean permits = !this.nodes.isEmpty() && held().isPermit();
		return permits ? List.of()
				: this.nodes.stream().skip(this.holders).limit(most).map((node) -> path(node)).toList();
	}

	/** Return the access of the holders; there must be at least one. */
	Access held() {
		return this.nodes.get(0).access();
	}

	/** Return the path of the holder if its grant may linger, or {@code null}. */
	@Nullable String lingering() {
		return this.nodes.get(0).lingers() ? path(this.nodes.get(0)) : null;
	}

	/**
	 * Return the obstacle of a waiting node: usually the last incompatible node before
	 * it. If permits of the same number exhaust the limit, at most one node waits for any
	 * holder to end. Each further node waits for the grant of its predecessor.
	 * @return {@code null} if the node holds the key
	 */
	@Nullable AwaitedChange awaited(String name) {
		int own = index(name);
		if (own < this.holders) {
			return null;
		}
		Access access = this.nodes.get(own).access();
		int alike = (access.limit() > 1) ? alikeBefore(own) : 0;
		if (alike < Math.min(own, access.limit())) {
			return end(own - 1 - alike, access);
		}
		if (alike == own && own == access.limit()) {
			return new AwaitedChange(this.container, AwaitedChange.Kind.CHILDREN, Effect.UNKNOWN);
		}
		return new AwaitedChange(path(this.nodes.get(own - 1)), AwaitedChange.Kind.GRANT, Effect.UNKNOWN);
	}

	/**
	 * Return a removal as obstacle. Its effect is never only likely for permits: their
	 * successors rely on a write only after the grant.
	 */
	private AwaitedChange end(int index, Access waiting) {
		NodeName other = this.nodes.get(index);
		boolean likely = waiting.kind() != Access.Kind.PERMITS && other.access().limit() == 1;
		Effect effect = (index == 0) ? Effect.CERTAIN : likely ? Effect.LIKELY : Effect.UNKNOWN;
		return new AwaitedChange(path(other), AwaitedChange.Kind.REMOVAL, effect);
	}

	/** Return whether the successor of a node may wait for its grant, as permits do. */
	boolean isAwaited(String name) {
		int own = index(name);
		Access access = this.nodes.get(own).access();
		return access.kind() == Access.Kind.PERMITS && own + 1 < this.nodes.size()
				&& access.equals(this.nodes.get(own + 1).access());
	}

	private int index(String name) {
		int index = 0;
		while (!this.nodes.get(index).text().equals(name)) {
			index++;
		}
		return index;
	}

	private int alikeBefore(int own) {
		int count = 0;
		while (count < own && this.nodes.get(own - 1 - count).access().equals(this.nodes.get(own).access())) {
			count++;
		}
		return count;
	}

	private String path(NodeName node) {
		return this.container + "/" + node.text();
	}

}
