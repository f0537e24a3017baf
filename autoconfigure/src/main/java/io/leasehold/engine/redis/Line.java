package io.leasehold.engine.redis;

import java.time.Duration;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulRedisConnection;

/**
 * One connection for scripts. The store runs what is sent on it in the order of sending,
 * each once at most; once broken it stays so, and nothing sent on it is repeated. So an
 * answer on a line proves that all that was sent on it before has run or never will.
 * Thread-safe.
 */
final class Line {

	private final StatefulRedisConnection<String, String> connection;

	private final long silenceTimeout;

	/** When the first request was sent that is unanswered since, or 0. */
	private volatile long silentSince;

	Line(StatefulRedisConnection<String, String> connection, Duration silenceTimeout) {
		this.connection = connection;
		this.silenceTimeout = silenceTimeout.toNanos();
	}

	boolean isOpen() {
		return this.connection.isOpen();
	}

	/**
	 * Run a script.
	 * @param deadline reading of {@link System#nanoTime()} when to give up waiting
	 * @throws io.lettuce.core.RedisException if there is no answer, or a refusal
	 */
	<T> T run(Script<T> script, String[] keys, String[] args, long deadline) {
		return receive(script, keys, args, send(script, keys, args), deadline);
	}

	/** Send a script without waiting for its answer. */
	<T> RedisFuture<T> send(Script<T> script, String[] keys, String[] args) {
		return this.connection.async().evalsha(script.digest(), script.output(), keys, args);
	}

	/** Wait for the answer to a script that was sent. */
	<T> T receive(Script<T> script, String[] keys, String[] args, RedisFuture<T> reply, long deadline) {
		try {
			return await(reply, deadline);
		}
		catch (RedisNoScriptException ex) { // a fresh server
			return await(sendText(script, keys, args), deadline);
		}
	}

	/**
	 * Send a script's text, for a caller that does not wait to hear that it is unknown.
	 */
	<T> RedisFuture<T> sendText(Script<T> script, String[] keys, String[] args) {
		return this.connection.async().eval(script.text(), script.output(), keys, args);
	}

	private <T> T await(RedisFuture<T> reply, long deadline) {
		long sent = System.nanoTime();
		try {
			T result = Replies.await(reply, deadline);
			this.silentSince = 0;
			return result;
		}
		catch (RedisCommandTimeoutException ex) {
			reply.cancel(false);
			noteSilence(sent);
			throw ex;
		}
	}

	/**
	 * The system's own time limits for a dead network are minutes, and its retries grow
	 * rare.
	 */
	private void noteSilence(long sent) {
		long since = this.silentSince;
		if (since == 0) {
			this.silentSince = sent;
		}
		else if (System.nanoTime() - since > this.silenceTimeout) {
			close();
		}
	}

	void close() {
		this.connection.closeAsync();
	}

}
