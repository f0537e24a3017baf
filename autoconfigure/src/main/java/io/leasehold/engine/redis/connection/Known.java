package io.leasehold.engine.redis.connection;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.leasehold.engine.support.PlannedOnce;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Cached response to a query. The query is sent on first use, and concurrent callers
 * share it. Thread-safe.
 */
final class Known<T> {

	private static final Log logger = LogFactory.getLog(Known.class);

	private final Supplier<T> question;

	private final Consumer<T> listener;

	private final Executor executor;

	private final AtomicReference<@Nullable CompletableFuture<T>> response = new AtomicReference<>();

	private final PlannedOnce refresh = new PlannedOnce();

	/**
	 * Create a cache.
	 * @param question the query; may block, and throw a {@link RedisFailure}
	 * @param listener called with each response
	 * @param executor runs the query
	 */
	Known(Supplier<T> question, Consumer<T> listener, Executor executor) {
		this.question = question;
		this.listener = listener;
		this.executor = executor;
	}

	/** Return the last response, or send the query if there is none. */
	CompletableFuture<T> get() {
		CompletableFuture<T> last = this.response.get();
		if (last != null && !last.isCompletedExceptionally()) {
			return last;
		}
		CompletableFuture<T> next = new CompletableFuture<>();
		if (!this.response.compareAndSet(last, next)) {
			return get();
		}
		next.thenAccept(this.listener);
		try {
			return next.completeAsync(this.question, this.executor);
		}
		catch (RuntimeException | Error ex) {
			next.completeExceptionally(ex); // the next caller sends it
			throw ex;
		}
	}

	/** Remove an outdated response; the next caller sends the query again. */
	void forget(T outdated) {
		CompletableFuture<T> last = this.response.get();
		if (last != null && last.isDone() && !last.isCompletedExceptionally() && outdated.equals(last.join())) {
			this.response.compareAndSet(last, null);
		}
	}

	/** Repeat the query in the background; the last response remains until a new one. */
	void refresh() {
		this.refresh.plan(() -> this.executor.execute(this::retry));
	}

	private void retry() {
		try {
			T next = this.question.get();
			this.response.set(CompletableFuture.completedFuture(next));
			this.listener.accept(next);
		}
		catch (RedisFailure ex) {
			logger.debug("A query failed; the last response remains in use", ex);
		}
		finally {
			this.refresh.done();
		}
	}

}
