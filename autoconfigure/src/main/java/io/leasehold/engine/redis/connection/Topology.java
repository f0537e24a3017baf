package io.leasehold.engine.redis.connection;

import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Addresses of the primaries: the servers that grant locks. Thread-safe.
 */
public interface Topology {

	/** Return the primary of a lock, as far as is known. */
	CompletableFuture<Node> primaryOf(String lock);

	/** Return a primary to subscribe at. */
	CompletableFuture<Node> anyPrimary();

	/** Return all primaries, as the servers report them now. */
	default CompletableFuture<Set<Node>> primaries() {
		return anyPrimary().thenApply(Set::of);
	}

	/**
	 * Reject a new connection if its server is not a primary. May block.
	 * @throws RedisFailure if the server is not a primary, or did not respond
	 */
	default void verify(Connection connection) {
	}

	/** Record that a primary was unreachable, or a connection to it broke. */
	default void doubt(Node primary) {
	}

	/**
	 * Return whether the locks are distributed over servers. A script may then use the
	 * keys of one lock only, and the server of a message cannot count its subscribers.
	 */
	default boolean isCluster() {
		return false;
	}

	/**
	 * Return the target of a redirected request, or {@code null} if it is not redirected.
	 * @throws RedisFailure if the request can never be served
	 */
	default @Nullable Redirection redirection(RedisFailure refusal, Node from) {
		return null;
	}

	/**
	 * Target of a redirected request.
	 *
	 * @param asking whether only this request is redirected, because its slot migrates
	 */
	record Redirection(Node node, boolean asking) {
	}

}
