package io.leasehold.engine.redis;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Where the primaries are: the servers that decide who has a lock. Thread-safe.
 */
interface Topology {

	/** Return the primary of a lock, as far as is known. */
	CompletableFuture<Node> primaryOf(String lock);

	/** Return a primary to hear messages from. */
	CompletableFuture<Node> anyPrimary();

	/**
	 * Refuse a new connection if its server is no primary. May block.
	 * @throws RedisFailure if so
	 */
	default void verify(Connection connection) {
	}

	/** Take note that a primary was not reached, or a connection to it broke. */
	default void doubt(Node primary) {
	}

	/**
	 * Return whether the locks are spread over servers: a script may use the keys of one
	 * lock only, and a message is passed on to listeners that its server does not count.
	 */
	default boolean isCluster() {
		return false;
	}

	/**
	 * Return where a refusal sends its request, or {@code null} if nowhere.
	 * @throws RedisFailure if the request can never be served
	 */
	default @Nullable Redirection redirection(RedisFailure refusal, Node from) {
		return null;
	}

	/**
	 * Where a request has to go.
	 *
	 * @param node the node
	 * @param asking whether only this request goes there, since its slot is on the move
	 */
	record Redirection(Node node, boolean asking) {
	}

}
