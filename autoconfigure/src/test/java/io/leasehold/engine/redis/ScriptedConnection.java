package io.leasehold.engine.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

import io.leasehold.engine.redis.connection.Connection;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.Replies;
import org.jspecify.annotations.Nullable;

/**
 * A connection whose server is a function of the command line, for responses at moments
 * that no real server can be made to choose.
 */
public final class ScriptedConnection implements Connection {

	private final Function<String, CompletableFuture<@Nullable Object>> server;

	private final List<String> sent = new CopyOnWriteArrayList<>();

	private final AtomicInteger closings = new AtomicInteger();

	public ScriptedConnection(Function<String, CompletableFuture<@Nullable Object>> server) {
		this.server = server;
	}

	/** A server that never responds. */
	public static ScriptedConnection silent() {
		return new ScriptedConnection((command) -> new CompletableFuture<>());
	}

	/** A server that gives the same response to all requests. */
	public static ScriptedConnection responding(@Nullable Object response) {
		return new ScriptedConnection((command) -> CompletableFuture.completedFuture(response));
	}

	/** A server that refuses all requests. */
	public static ScriptedConnection refusing(String message) {
		return new ScriptedConnection((command) -> refusal(message));
	}

	public static CompletableFuture<@Nullable Object> refusal(String message) {
		return CompletableFuture.failedFuture(RedisFailure.refusal(message, null));
	}

	/** The response to a request that was not written. */
	static CompletableFuture<@Nullable Object> neverSent() {
		return CompletableFuture
			.failedFuture(RedisFailure.neverSent(RedisFailure.noResponse("connection is closed", null)));
	}

	/** The commands that were sent, each with its arguments. */
	public List<String> sent() {
		return this.sent;
	}

	public int closings() {
		return this.closings.get();
	}

	@Override
	public boolean isOpen() {
		return this.closings.get() == 0;
	}

	@Override
	public CompletableFuture<@Nullable Object> send(Consumer<@Nullable RedisFailure> ended, String command,
			String... arguments) {
		String line = command + " " + String.join(" ", arguments);
		this.sent.add(line.trim());
		return this.server.apply(line.trim())
			.whenComplete((response, failure) -> ended.accept((failure != null) ? Replies.failure(failure) : null));
	}

	@Override
	public void close() {
		this.closings.incrementAndGet();
	}

}
