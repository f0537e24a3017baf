package io.leasehold.engine.redis.connection;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Current {@link Line} to each primary, opened on demand and replaced when broken.
 * Thread-safe; concurrent callers share one attempt to open it.
 */
public final class Lines {

	/**
	 * Maximum attempts per request. A migrating slot redirects a request back and forth,
	 * and a connection may break just before sending. More attempts are useless.
	 */
	public static final int MOST_ATTEMPTS = 6;

	private final Topology topology;

	private final Function<Node, Line> opener;

	private final Executor executor;

	private final Map<Node, CompletableFuture<Line>> lines = new ConcurrentHashMap<>();

	/** Lines for migrating slots, by the server to which the slots migrate. */
	private final Map<Node, CompletableFuture<Line>> askingLines = new ConcurrentHashMap<>();

	public Lines(Topology topology, Function<Node, Line> opener, Executor executor) {
		this.topology = topology;
		this.opener = opener;
		this.executor = executor;
	}

	/**
	 * Send a request to a lock's primary. A request that has not run there is repeated:
	 * at the server that a redirection names, or on a new line if it was never sent.
	 * @param deadline reading of {@link System#nanoTime()} at which to stop waiting
	 * @throws RedisFailure if the server did not respond or rejected the request
	 */
	public <T> T request(String lock, long deadline, Function<Line, T> request) {
		CompletableFuture<Line> next = to(lock);
		for (int attempt = 1;; attempt++) {
			Line line = Replies.await(next, deadline);
			try {
				return request.apply(line);
			}
			catch (RedisFailure ex) {
				CompletableFuture<Line> other = (attempt < MOST_ATTEMPTS) ? instead(lock, ex, line) : null;
				if (other == null) {
					throw ex;
				}
				next = other;
			}
		}
	}

	/** Return all primaries, as the servers report them now. */
	public Set<Node> primaries(long deadline) {
		return Replies.await(this.topology.primaries(), deadline);
	}

	/**
	 * Send a request to a primary. It is not repeated.
	 * @param deadline reading of {@link System#nanoTime()} at which to stop waiting
	 * @throws RedisFailure if the server did not respond or rejected the request
	 */
	public <T> T requestAt(Node primary, long deadline, Function<Line, T> request) {
		CompletableFuture<Line> known = this.lines.get(primary);
		if (known != null && isOver(known) && remove(this.lines, primary, known)) {
			this.topology.doubt(primary);
		}
		return request.apply(Replies.await(to(primary), deadline));
	}

	/** Return the line to a lock's primary, which may still be opening. */
	public CompletableFuture<Line> to(String lock) {
		return this.topology.primaryOf(lock).thenCompose((node) -> to(lock, node));
	}

	private CompletableFuture<Line> to(String lock, Node node) {
		CompletableFuture<Line> known = this.lines.get(node);
		if (known == null) {
			return to(node);
		}
		if (!isOver(known)) {
			return known;
		}
		if (remove(this.lines, node, known)) {
			this.topology.doubt(node);
		}
		return this.topology.primaryOf(lock).thenCompose(this::to);
	}

	private CompletableFuture<Line> to(Node node) {
		return this.lines.computeIfAbsent(node, this::open);
	}

	private CompletableFuture<Line> open(Node node) {
		return CompletableFuture.supplyAsync(() -> this.opener.apply(node), this.executor);
	}

	/**
	 * Return the line on which to repeat a request that has not run, or {@code null} if
	 * the request fails.
	 * @throws RedisFailure if the request can never be served
	 */
	public @Nullable CompletableFuture<Line> instead(String lock, RedisFailure failure, Line from) {
		if (failure.isNeverSent()) {
			return to(lock);
		}
		Topology.Redirection redirection = this.topology.redirection(failure, from.node());
		if (redirection == null) {
			return null;
		}
		return redirection.asking() ? asking(redirection.node()) : to(redirection.node());
	}

	private CompletableFuture<Line> asking(Node node) {
		CompletableFuture<Line> known = this.askingLines.get(node);
		if (known != null && isOver(known)) {
			remove(this.askingLines, node, known);
		}
		return this.askingLines.computeIfAbsent(node, (unknown) -> open(node).thenApply(Line::asking));
	}

	/** Return the line to a lock's primary, or {@code null} if none is open now. */
	public @Nullable Line ifOpen(String lock) {
		CompletableFuture<Line> line = to(lock);
		return (line.isDone() && !isOver(line)) ? line.join() : null;
	}

	/** Close the lines to servers that are no longer primaries. */
	public void keepOnly(Set<Node> primaries) {
		keepOnly(primaries, this.lines);
		keepOnly(primaries, this.askingLines);
	}

	private static void keepOnly(Set<Node> primaries, Map<Node, CompletableFuture<Line>> lines) {
		lines.forEach((node, line) -> {
			if (!primaries.contains(node)) {
				remove(lines, node, line);
			}
		});
	}

	/** Remove a line and close it: until then, Lettuce keeps even a broken connection. */
	private static boolean remove(Map<Node, CompletableFuture<Line>> lines, Node node, CompletableFuture<Line> line) {
		boolean removed = lines.remove(node, line);
		if (removed) {
			line.thenAccept(Line::close);
		}
		return removed;
	}

	private static boolean isOver(CompletableFuture<Line> line) {
		return line.isCompletedExceptionally() || (line.isDone() && !line.join().isUsable());
	}

}
