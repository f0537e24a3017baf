package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * One connection for scripts. The store runs what is sent on it in the order of sending,
 * each once at most; once broken it stays so, and nothing sent on it is repeated. So an
 * answer on a line proves that all that was sent on it before has run or never will.
 * Thread-safe.
 */
final class Line {

	private final Node node;

	private final Connection connection;

	private final long silenceTimeout;

	private final LongSupplier nanoTime;

	private final AtomicInteger unanswered = new AtomicInteger();

	/** When the last answer came, or the first request was sent that had none before. */
	private volatile long heard;

	Line(Node node, Connection connection, Duration silenceTimeout) {
		this(node, connection, silenceTimeout.toNanos(), System::nanoTime);
	}

	/**
	 * Create a line.
	 * @param nanoTime the clock that measures silence
	 */
	Line(Node node, Connection connection, long silenceTimeout, LongSupplier nanoTime) {
		this.node = node;
		this.connection = connection;
		this.silenceTimeout = silenceTimeout;
		this.nanoTime = nanoTime;
	}

	Node node() {
		return this.node;
	}

	/**
	 * Return whether requests may go through this line. Closes it if it is silent for too
	 * long: the system's own time limits for a dead network are minutes.
	 */
	boolean isUsable() {
		// The counter is read first: the first request in a while notes its time before
		if (this.unanswered.get() > 0 && this.nanoTime.getAsLong() - this.heard > this.silenceTimeout) {
			close();
		}
		return this.connection.isOpen();
	}

	/**
	 * Run a script.
	 * @param deadline reading of {@link System#nanoTime()} when to give up waiting
	 * @throws RedisFailure if there is no answer, or a refusal
	 */
	<T> T run(Script<T> script, String[] keys, String[] args, long deadline) {
		try {
			return Replies.await(send(script, keys, args), deadline);
		}
		catch (RedisFailure ex) {
			if (ex.is("NOSCRIPT")) { // a fresh server
				return Replies.await(sendText(script, keys, args), deadline);
			}
			throw ex;
		}
	}

	/** Send a script without waiting for its answer. */
	<T> CompletableFuture<T> send(Script<T> script, String[] keys, String[] args) {
		return send("EVALSHA", script.digest(), keys, args);
	}

	/**
	 * Send a script's text, for a caller that does not wait to hear that it is unknown.
	 */
	<T> CompletableFuture<T> sendText(Script<T> script, String[] keys, String[] args) {
		return send("EVAL", script.text(), keys, args);
	}

	@SuppressWarnings("unchecked")
	private <T> CompletableFuture<T> send(String command, String script, String[] keys, String[] args) {
		String[] words = new String[2 + keys.length + args.length];
		words[0] = script;
		words[1] = Integer.toString(keys.length);
		System.arraycopy(keys, 0, words, 2, keys.length);
		System.arraycopy(args, 0, words, 2 + keys.length, args.length);
		return (CompletableFuture<T>) send(command, words);
	}

	private CompletableFuture<@Nullable Object> send(String command, String... arguments) {
		if (this.unanswered.get() == 0) {
			this.heard = this.nanoTime.getAsLong(); // before this request counts
		}
		this.unanswered.incrementAndGet();
		return this.connection.send(command, arguments).whenComplete(this::answered);
	}

	private void answered(@Nullable Object answer, @Nullable Throwable failure) {
		this.heard = this.nanoTime.getAsLong();
		this.unanswered.decrementAndGet();
		if (failure != null) {
			RedisFailure cause = Replies.failure(failure);
			// Its name may lead to another server by now, or it takes no requests
			if (cause.is("READONLY") || cause.isNeverSent()) {
				close();
			}
		}
	}

	/**
	 * Wait until replicas have what was written here before.
	 * @throws RedisFailure if not enough of them have
	 */
	void awaitReplicas(int replicas, Duration timeout, long deadline) {
		Long reached = (Long) await(send("WAIT", Integer.toString(replicas), Long.toString(timeout.toMillis())),
				deadline);
		if (reached == null || reached < replicas) {
			throw RedisFailure
				.refusal(("NOREPLICAS The grant reached %d of the %d replicas that leasehold.redis.replicas-to-wait "
						+ "asks for")
					.formatted((reached != null) ? reached : 0, replicas), null);
		}
	}

	private static @Nullable Object await(CompletableFuture<@Nullable Object> reply, long deadline) {
		try {
			return Replies.await(reply, deadline);
		}
		catch (RedisFailure ex) {
			throw ex.ofSeveralCommands();
		}
	}

	/**
	 * Return a line for slots that are on the move to its server, which takes the place
	 * of this one: nothing else may be sent through its connection.
	 */
	Line asking() {
		return new Line(this.node, new AskingConnection(this.connection), this.silenceTimeout, this.nanoTime);
	}

	void close() {
		this.connection.close();
	}

}
