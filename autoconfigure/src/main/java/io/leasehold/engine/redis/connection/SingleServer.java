package io.leasehold.engine.redis.connection;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Single server at a fixed address.
 */
public final class SingleServer implements Topology {

	private final CompletableFuture<Node> node;

	public SingleServer(Node node) {
		this.node = CompletableFuture.completedFuture(node);
	}

	@Override
	public CompletableFuture<Node> primaryOf(String lock) {
		return this.node;
	}

	@Override
	public CompletableFuture<Node> anyPrimary() {
		return this.node;
	}

	/**
	 * Reject a redirection: a retry at this cluster node cannot succeed.
	 */
	@Override
	public @Nullable Redirection redirection(RedisFailure refusal, Node from) {
		if (refusal.isRedirection()) {
			throw RedisFailure.refusal(("CLUSTER %s is a node of a cluster: set spring.data.redis.cluster.nodes "
					+ "instead of host and port (%s)")
				.formatted(from, refusal.getMessage()), refusal);
		}
		return null;
	}

}
