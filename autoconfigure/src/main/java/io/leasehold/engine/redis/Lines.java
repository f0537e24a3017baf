package io.leasehold.engine.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The present {@link Line} of an engine, opened when needed and replaced when broken.
 * Thread-safe; callers share one attempt to open.
 */
final class Lines {

	private final Supplier<Line> opener;

	private final Executor executor;

	private final AtomicReference<@Nullable CompletableFuture<Line>> current = new AtomicReference<>();

	Lines(Supplier<Line> opener, Executor executor) {
		this.opener = opener;
		this.executor = executor;
	}

	/**
	 * Return an open line.
	 * @param deadline reading of {@link System#nanoTime()} when to give up waiting
	 * @throws io.lettuce.core.RedisException if there is none
	 */
	Line get(long deadline) {
		CompletableFuture<Line> known = this.current.get();
		return Replies.await((known != null && !isOver(known)) ? known : reopen(known), deadline);
	}

	/** Return the line if one is open now. */
	@Nullable Line ifOpen() {
		CompletableFuture<Line> known = this.current.get();
		return (known != null && known.isDone() && !isOver(known)) ? known.join() : null;
	}

	private CompletableFuture<Line> reopen(@Nullable CompletableFuture<Line> former) {
		CompletableFuture<Line> next = new CompletableFuture<>();
		CompletableFuture<Line> witness = this.current.compareAndExchange(former, next);
		if (witness != former && witness != null) {
			return witness;
		}
		return next.completeAsync(this.opener, this.executor);
	}

	private static boolean isOver(CompletableFuture<Line> line) {
		return line.isCompletedExceptionally() || (line.isDone() && !line.join().isOpen());
	}

}
