package io.leasehold.engine.redis;

import java.util.concurrent.CompletableFuture;

/**
 * One server, by its name.
 */
final class SingleServer implements Topology {

	private final CompletableFuture<Node> node;

	SingleServer(Node node) {
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

}
