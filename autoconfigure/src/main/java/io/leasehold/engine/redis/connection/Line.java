package io.leasehold.engine.redis.connection;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Connection for scripts. The store runs requests in the order of sending, each at most
 * once. A broken line stays broken, and its requests are never repeated. A response
 * therefore proves that all earlier requests of the line have run or never will.
 * Thread-safe.
 */
public final class Line {

	private final Node node;

	private final Connection connection;

	private final long silenceTimeout;

	private final LongSupplier nanoTime;

	private final AtomicInteger pending = new AtomicInteger();

	private final Consumer<@Nullable RedisFailure> ended = this::ended;

	/** Time of the last response, or of the first request since none was pending. */
	private volatile long lastReceived;

	public Line(Node node, Connection connection, Duration silenceTimeout) {
		this(node, connection, silenceTimeout.toNanos(), System::nanoTime);
	}

	/**
	 * Create a line.
	 * @param nanoTime the clock that measures silence
	 */
	public Line(Node node, Connection connection, long silenceTimeout, LongSupplier nanoTime) {
		this.node = node;
		this.connection = connection;
		this.silenceTimeout = silenceTimeout;
		this.nanoTime = nanoTime;
	}

	Node node() {
		return this.node;
	}

	/**
	 * Return whether requests may use this line. A line that is silent for too long is
	 * closed, because the operating system detects a dead network only after minutes.
	 */
	boolean isUsable() {
		// Read the counter first: a request sets the time before it is counted
		if (this.pending.get() > 0 && this.nanoTime.getAsLong() - this.lastReceived > this.silenceTimeout) {
			close();
		}
		return this.connection.isOpen();
	}

	/**
	 * Run a script.
	 * @param deadline reading of {@link System#nanoTime()} at which to stop waiting
	 * @throws RedisFailure if the server did not respond or rejected the request
	 */
	public <T> T run(Script<T> script, String[] keys, String[] args, long deadline) {
		String[] words = words(script.digest(), keys, args);
		try {
			return Replies.await(this.<T>send("EVALSHA", words), deadline);
		}
		catch (RedisFailure ex) {
			if (ex.is("NOSCRIPT")) { // not loaded by the server yet
				words[0] = script.text();
				return Replies.await(this.<T>send("EVAL", words), deadline);
			}
			throw ex;
		}
	}

	/** Send a script without waiting for its response. */
	public <T> CompletableFuture<T> send(Script<T> script, String[] keys, String[] args) {
		return send("EVALSHA", words(script.digest(), keys, args));
	}

	/**
	 * Send a script's text, for a caller that cannot retry if the script is unknown.
	 */
	public <T> CompletableFuture<T> sendText(Script<T> script, String[] keys, String[] args) {
		return send("EVAL", words(script.text(), keys, args));
	}

	/**
	 * Return a part of the server's keys that match a pattern.
	 * @param cursor {@code 0}, or the cursor in the last response
	 * @param count how many keys the server visits, about
	 * @return the next cursor, {@code 0} after the last part, and a list of keys
	 */
	@SuppressWarnings("unchecked")
	public List<Object> scan(String cursor, String pattern, int count, long deadline) {
		return (List<Object>) Objects.requireNonNull(
				Replies.await(send("SCAN", cursor, "MATCH", pattern, "COUNT", Integer.toString(count)), deadline));
	}

	/** Publish a message without waiting for its delivery, which may fail. */
	public void publish(String channel, String message) {
		send("PUBLISH", channel, message);
	}

	private static String[] words(String script, String[] keys, String[] args) {
		String[] words = new String[2 + keys.length + args.length];
		words[0] = script;
		words[1] = Integer.toString(keys.length);
		System.arraycopy(keys, 0, words, 2, keys.length);
		System.arraycopy(args, 0, words, 2 + keys.length, args.length);
		return words;
	}

	@SuppressWarnings("unchecked")
	private <T extends @Nullable Object> CompletableFuture<T> send(String command, String... arguments) {
		if (this.pending.get() == 0) {
			// Before the request is counted
			this.lastReceived = this.nanoTime.getAsLong();
		}
		this.pending.incrementAndGet();
		return (CompletableFuture<T>) this.connection.send(this.ended, command, arguments);
	}

	/** Record the end of a request, before its response is available. */
	private void ended(@Nullable RedisFailure failure) {
		this.lastReceived = this.nanoTime.getAsLong();
		this.pending.decrementAndGet();
		// The name may resolve to another server by now, or sending fails
		if (failure != null && (failure.is("READONLY") || failure.isNeverSent())) {
			close();
		}
	}

	/**
	 * Wait until replicas have the earlier writes of this line.
	 * @throws RedisFailure if too few replicas have confirmed them
	 */
	public void awaitReplicas(int replicas, Duration timeout, long deadline) {
		Long reached;
		try {
			reached = Replies.await(
					this.<@Nullable Long>send("WAIT", Integer.toString(replicas), Long.toString(timeout.toMillis())),
					deadline);
		}
		catch (RedisFailure ex) {
			throw ex.ofSeveralCommands("leasehold.redis.replicas-to-wait needs the command WAIT");
		}
		if (reached == null || reached < replicas) {
			throw RedisFailure
				.refusal(("NOREPLICAS The grant reached %s of the %s replicas that leasehold.redis.replicas-to-wait "
						+ "requires")
					.formatted((reached != null) ? reached : 0, replicas), null);
		}
	}

	/**
	 * Return a line for slots that migrate to its server. It replaces this line, whose
	 * connection must not be used for other requests.
	 */
	Line asking() {
		return new Line(this.node, new AskingConnection(this.connection), this.silenceTimeout, this.nanoTime);
	}

	void close() {
		this.connection.close();
	}

}
