package io.leasehold.engine.redis;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The present {@link Line} to each primary, opened when needed and replaced when broken.
 * Thread-safe; callers share one attempt to open.
 */
final class Lines {

	/**
	 * A slot on the move sends a request there and back, and a connection may break just
	 * before the request is sent; more is confusion.
	 */
	static final int MOST_ATTEMPTS = 6;

	private final Topology topology;

	private final Function<Node, Line> opener;

	private final Executor executor;

	private final Map<Node, CompletableFuture<Line>> lines = new ConcurrentHashMap<>();

	/** Lines for slots on the move, by the server that they are on the move to. */
	private final Map<Node, CompletableFuture<Line>> askingLines = new ConcurrentHashMap<>();

	Lines(Topology topology, Function<Node, Line> opener, Executor executor) {
		this.topology = topology;
		this.opener = opener;
		this.executor = executor;
	}

	/**
	 * Make a request where a lock is. A request that has not run there is repeated: where
	 * its refusal sends it, or through a new line if it was never sent.
	 * @param deadline reading of {@link System#nanoTime()} when to give up waiting
	 * @throws RedisFailure if there is no answer
	 */
	<T> T ask(String lock, long deadline, Function<Line, T> request) {
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

	/** Return the line to a lock's primary, open or being opened. */
	CompletableFuture<Line> to(String lock) {
		return this.topology.primaryOf(lock).thenCompose((node) -> {
			CompletableFuture<Line> known = this.lines.get(node);
			if (known == null || !isOver(known)) {
				return to(node);
			}
			if (this.lines.remove(node, known)) {
				this.topology.doubt(node);
			}
			return this.topology.primaryOf(lock).thenCompose(this::to);
		});
	}

	private CompletableFuture<Line> to(Node node) {
		return this.lines.computeIfAbsent(node, this::open);
	}

	private CompletableFuture<Line> open(Node node) {
		return CompletableFuture.supplyAsync(() -> this.opener.apply(node), this.executor);
	}

	/**
	 * Return the line for a request that has not run, or {@code null} if it has to fail.
	 * @throws RedisFailure if the request can never be served
	 */
	@Nullable CompletableFuture<Line> instead(String lock, RedisFailure failure, Line from) {
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
			this.askingLines.remove(node, known);
		}
		return this.askingLines.computeIfAbsent(node, (unknown) -> open(node).thenApply(Line::asking));
	}

	/** Return the line to a lock's primary if one is open now. */
	@Nullable Line ifOpen(String lock) {
		CompletableFuture<Line> line = to(lock);
		return (line.isDone() && !isOver(line)) ? line.join() : null;
	}

	/** Close the lines to servers that are primaries no longer. */
	void keepOnly(Set<Node> primaries) {
		keepOnly(primaries, this.lines);
		keepOnly(primaries, this.askingLines);
	}

	private static void keepOnly(Set<Node> primaries, Map<Node, CompletableFuture<Line>> lines) {
		lines.forEach((node, line) -> {
			if (!primaries.contains(node) && lines.remove(node, line)) {
				line.thenAccept(Line::close);
			}
		});
	}

	private static boolean isOver(CompletableFuture<Line> line) {
		return line.isCompletedExceptionally() || (line.isDone() && !line.join().isUsable());
	}

}
