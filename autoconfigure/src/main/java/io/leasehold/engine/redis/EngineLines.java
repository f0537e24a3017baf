package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.leasehold.engine.redis.connection.Line;
import io.leasehold.engine.redis.connection.Lines;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.RedisConnections;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.Replies;
import io.leasehold.engine.redis.connection.Topology;
import io.leasehold.engine.support.Deadlines;
import io.leasehold.engine.support.StartedThreads;

/**
 * Topology and lines of an engine, and the threads that connect them. Thread-safe;
 * connects with the first request.
 */
final class EngineLines implements AutoCloseable {

	private static final int CONNECTING_THREADS = 8;

	private static final String WARM_UP = "warm-up";

	private final RedisConnections connections;

	private final RedisSettings settings;

	private final Consumer<Set<Node>> whenQueried;

	/** Threads that connect and query the topology; both may block. */
	private final ScheduledExecutorService executor = StartedThreads.of("leasehold-redis-connect-", CONNECTING_THREADS);

	private final Topology topology;

	private final Lines claims;

	private final Lines renewals;

	/**
	 * Create the lines.
	 * @param whenQueried called with all primaries after each query of the topology
	 */
	EngineLines(RedisConnections connections, RedisSettings settings, Consumer<Set<Node>> whenQueried) {
		this.connections = connections;
		this.settings = settings;
		this.whenQueried = whenQueried;
		this.topology = connections.topology(this.executor, this::keepOnly);
		this.claims = new Lines(this.topology, this::open, this.executor);
		// WAIT delays later requests on its line, which could make renewals too late
		this.renewals = (settings.replicasToWait() > 0) ? new Lines(this.topology, this::open, this.executor)
				: this.claims;
	}

	private Line open(Node node) {
		return new Line(node, this.connections.connect(node, this.topology), this.settings.silenceTimeout());
	}

	/** Close lines to former primaries; a deposed one may be the last to detect it. */
	private void keepOnly(Set<Node> primaries) {
		this.claims.keepOnly(primaries);
		this.renewals.keepOnly(primaries);
		this.whenQueried.accept(primaries);
	}

	/** Run a task after about a minute. */
	void runLater(Runnable task) {
		this.executor.schedule(task, 1, TimeUnit.MINUTES);
	}

	ScheduledExecutorService executor() {
		return this.executor;
	}

	Topology topology() {
		return this.topology;
	}

	/** Return the lines for claims. The requests of one claim keep their order. */
	Lines ofClaims() {
		return this.claims;
	}

	Lines ofRenewals() {
		return this.renewals;
	}

	/** Connect in the background. Never blocks or fails. */
	void warmUp(Consumer<RedisFailure> failed) {
		this.executor.execute(() -> this.claims.to(WARM_UP).exceptionally((failure) -> {
			failed.accept(Replies.failure(failure));
			return null;
		}));
	}

	/**
	 * Wait for the connection that is opened first.
	 * @throws RedisFailure if it failed, or is not open yet
	 */
	void awaitFirst(Duration timeout) {
		Replies.await(this.claims.to(WARM_UP), Deadlines.after(timeout));
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
		this.connections.close();
	}

}
