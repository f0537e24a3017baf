package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

import io.leasehold.engine.redis.connection.Line;
import io.leasehold.engine.redis.connection.Replies;
import io.leasehold.engine.support.Deadlines;
import io.leasehold.engine.support.PlannedOnce;
import org.jspecify.annotations.Nullable;

/**
 * Ends of claims that a master has not executed. They are sent again until it has, or
 * nothing of the claims is left anyway. Thread-safe.
 */
final class Leftovers {

	private static final long RECONNECT_NANOS = Duration.ofMillis(100).toNanos();

	/** Pause while the master cannot be reached, or rejects the ends. */
	private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();

	private final Supplier<CompletableFuture<Line>> connection;

	private final ScheduledExecutorService executor;

	private final Queue<Leftover> all = new ConcurrentLinkedQueue<>();

	/** Attempt to connect for them that is planned or in progress. */
	private final PlannedOnce attempt = new PlannedOnce();

	Leftovers(Supplier<CompletableFuture<Line>> connection, ScheduledExecutorService executor) {
		this.connection = connection;
		this.executor = executor;
	}

	/**
	 * Keep the end of a claim if its request has failed.
	 * @param lifetime time after which nothing of the claim is left anyway
	 */
	void keep(Function<Line, ? extends CompletableFuture<?>> request, Duration lifetime, @Nullable Throwable failure) {
		keep(new Leftover(request, Deadlines.after(lifetime)), failure);
	}

	private void keep(Leftover leftover, @Nullable Throwable failure) {
		if (failure != null && !leftover.isOver()) {
			this.all.add(leftover);
			sendAfter(Replies.failure(failure).isLasting() ? RETRY_NANOS : RECONNECT_NANOS);
		}
	}

	/** Connect after a pause, and again after a longer one until that succeeds. */
	private void sendAfter(long pause) {
		this.attempt.plan(() -> this.executor.schedule(() -> this.connection.get().whenComplete(this::connected), pause,
				TimeUnit.NANOSECONDS));
	}

	private void connected(@Nullable Line line, @Nullable Throwable failure) {
		this.attempt.done();
		this.all.removeIf(Leftover::isOver);
		if (line != null) {
			send(line);
		}
		else if (!this.all.isEmpty()) {
			sendAfter(RETRY_NANOS);
		}
	}

	/** Send one of the ends, and the others if the master executes it. */
	void send(Line line) {
		Leftover first = this.all.poll();
		if (first != null) {
			send(first, line).thenRun(() -> drain().forEach((leftover) -> send(leftover, line)));
		}
	}

	private CompletableFuture<?> send(Leftover leftover, Line line) {
		return leftover.request().apply(line).whenComplete((response, failure) -> keep(leftover, failure));
	}

	/** Take the present ones: those that fail are added again. */
	private List<Leftover> drain() {
		List<Leftover> drained = new ArrayList<>();
		for (Leftover each = this.all.poll(); each != null; each = this.all.poll()) {
			drained.add(each);
		}
		return drained;
	}

	private record Leftover(Function<Line, ? extends CompletableFuture<?>> request, long until) {

		private boolean isOver() {
			return Deadlines.left(this.until) <= 0;
		}

	}

}
