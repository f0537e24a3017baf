package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.leasehold.engine.redis.connection.Connection;
import io.leasehold.engine.redis.connection.Connector;
import io.leasehold.engine.redis.connection.EvictionWarning;
import io.leasehold.engine.redis.connection.Line;
import io.leasehold.engine.redis.connection.Lines;
import io.leasehold.engine.redis.connection.Login;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.Replies;
import io.leasehold.engine.redis.connection.Script;
import io.leasehold.engine.redis.connection.ServerInfo;
import io.leasehold.engine.redis.connection.SingleServer;
import io.leasehold.engine.redis.connection.SubscribedConnection;
import io.leasehold.engine.support.Deadlines;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One of the independent masters, with one connection. Thread-safe.
 */
final class Master {

	private static final Log logger = LogFactory.getLog(Master.class);

	private static final String ANY_LOCK = "";

	private static final long RECONNECT_NANOS = Duration.ofMillis(100).toNanos();

	private final Node address;

	private final Connector connector;

	private final Supplier<Login> login;

	private final RedlockSettings settings;

	private final Lines lines;

	private final Leftovers leftovers;

	private final Map<String, Master> servers;

	private final EvictionWarning evictionWarning = new EvictionWarning();

	/** State at the last connection, from which on the master counts. */
	private volatile @Nullable Standing standing;

	private volatile boolean late;

	/** Why the last connection failed; no other one is attempted for a short time. */
	private volatile @Nullable Missed missed;

	/**
	 * Create a master.
	 * @param servers the masters by the identities of their servers, shared by all
	 */
	Master(Node address, Connector connector, Supplier<Login> login, RedlockSettings settings,
			ScheduledExecutorService executor, Map<String, Master> servers) {
		this.servers = servers;
		this.address = address;
		this.connector = connector;
		this.login = login;
		this.settings = settings;
		this.lines = new Lines(new SingleServer(address), this::open, executor);
		this.leftovers = new Leftovers(() -> this.lines.to(ANY_LOCK), executor);
	}

	private Line open(Node node) {
		Missed before = this.missed;
		if (before != null && System.nanoTime() - before.at() < RECONNECT_NANOS) {
			throw before.failure();
		}
		try {
			Line line = connect(node);
			if (before != null) {
				logger.info("Redis master %s can be reached again".formatted(this.address));
			}
			this.missed = null;
			return line;
		}
		catch (RedisFailure ex) {
			if (before == null) {
				logger.warn("Redis master %s is not available to Redlock: %s".formatted(this.address, ex.getMessage()));
			}
			this.missed = new Missed(ex, System.nanoTime());
			throw ex;
		}
	}

	private Line connect(Node node) {
		Connection connection = this.connector.connect(node, this.login.get());
		try {
			long deadline = Deadlines.after(this.settings.commandTimeout());
			ServerInfo info = ServerInfo.query(connection, deadline);
			ServerState state = ServerState.query(connection, info, deadline);
			checkIsNoOther(state.runId());
			this.standing = standing(state);
			this.evictionWarning.check(node, info);
			Line line = new Line(node, connection, this.settings.silenceTimeout());
			this.leftovers.send(line);
			return line;
		}
		catch (RedisFailure ex) {
			connection.close();
			throw ex;
		}
	}

	/**
	 * Reject a server that another address leads to, or led to at its last connection.
	 */
	private void checkIsNoOther(String runId) {
		Master same = runId.isEmpty() ? null : this.servers.putIfAbsent(runId, this);
		Standing before = this.standing;
		if (before != null && !before.state().runId().equals(runId)) {
			this.servers.remove(before.state().runId(), this);
		}
		if (same != null && same != this) {
			throw RedisFailure.unsuitable("%s and %s are the same server".formatted(same, this));
		}
	}

	private Standing standing(ServerState state) {
		Duration out = state.outFor(this.settings.restartDelay());
		if (!out.isZero()) {
			logger.warn(("Redis master %s started %s s ago and may have lost locks. It does not count for %s s "
					+ "(leasehold.redlock.restart-delay)")
				.formatted(this.address, state.uptime().toSeconds(), out.toSeconds()));
		}
		return new Standing(state, Deadlines.after(out));
	}

	/**
	 * Send a request. One that was never sent, since the connection had broken, is
	 * repeated once.
	 */
	<T> CompletableFuture<T> send(Function<Line, CompletableFuture<T>> request) {
		return this.lines.to(ANY_LOCK)
			.thenCompose(request)
			.exceptionallyCompose((failure) -> Replies.failure(failure).isNeverSent()
					? this.lines.to(ANY_LOCK).thenCompose(request) : CompletableFuture.failedFuture(failure))
			.whenComplete((response, failure) -> this.late = failure != null);
	}

	/** Send a script. */
	<T> CompletableFuture<T> send(Script<T> script, String[] keys, String... arguments) {
		return send((line) -> run(line, script, keys, arguments, Supplier::get));
	}

	/**
	 * Run a script. It is sent again if the server does not know it yet.
	 * @param sender sends a request, or does not if it is no longer wanted
	 */
	static <T> CompletableFuture<T> run(Line line, Script<T> script, String[] keys, String[] arguments,
			Function<Supplier<CompletableFuture<T>>, CompletableFuture<T>> sender) {
		return sender.apply(() -> line.send(script, keys, arguments))
			.exceptionallyCompose((failure) -> Replies.failure(failure).is("NOSCRIPT")
					? sender.apply(() -> line.sendText(script, keys, arguments))
					: CompletableFuture.failedFuture(failure));
	}

	/**
	 * Send the end of a claim. Without a response it is sent again with the next
	 * connection, which is opened for it, if necessary after several attempts.
	 * @param lifetime time after which nothing of the claim is left anyway
	 */
	<T> CompletableFuture<T> sendEnd(Function<Line, CompletableFuture<T>> request, Duration lifetime) {
		return send(request).whenComplete((response, failure) -> this.leftovers.keep(request, lifetime, failure));
	}

	/**
	 * Open a subscribed connection. Blocks for a few command timeouts at most.
	 * @param lost called when the connection breaks or is closed
	 * @throws RedisFailure if the connection fails
	 */
	SubscribedConnection listen(String channel, Consumer<String> messages, Runnable lost) {
		return this.connector.listen(this.address, this.login.get(), channel, messages, lost);
	}

	/** Connect, and return the state of the server. */
	CompletableFuture<ServerState> query() {
		return send((line) -> CompletableFuture.completedFuture(known().state()));
	}

	private Standing known() {
		Standing known = this.standing;
		if (known == null) {
			throw RedisFailure.noResponse("not connected yet", null);
		}
		return known;
	}

	/** Return the start of the server by its clock, in microseconds. */
	long started() {
		return known().state().started();
	}

	/**
	 * Check that this master counts.
	 * @throws RedisFailure if it started so recently that it may have lost locks
	 */
	void checkCounts() {
		long rest = untilItCounts();
		if (rest > 0) {
			throw RedisFailure
				.refusal("RESTARTED the server restarted and does not count for %s ms (leasehold.redlock.restart-delay)"
					.formatted(Duration.ofNanos(rest).toMillis()), null);
		}
	}

	/** Return whether this master counts. */
	boolean counts() {
		return untilItCounts() <= 0;
	}

	private long untilItCounts() {
		return Deadlines.left(known().countsFrom());
	}

	/** Return whether the last request has no response yet or failed. */
	boolean isLate() {
		return this.late;
	}

	/** Mark this master as late until it responds. */
	void isLateNow() {
		this.late = true;
	}

	@Override
	public String toString() {
		return this.address.toString();
	}

	private record Standing(ServerState state, long countsFrom) {
	}

	private record Missed(RedisFailure failure, long at) {
	}

}
