package io.leasehold.engine.redis.connection;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Response to one request, and record of whether the request may have been sent. A
 * request is either written once or reported as never sent. Thread-safe.
 */
class Reply extends CompletableFuture<@Nullable Object> {

	private static final AtomicIntegerFieldUpdater<Reply> STATE = AtomicIntegerFieldUpdater.newUpdater(Reply.class,
			"state");

	private static final int UNWRITTEN = 0;

	private static final int WRITTEN = 1;

	private static final int ENDED = 2;

	private final Consumer<@Nullable RedisFailure> ended;

	private volatile int state = UNWRITTEN;

	/**
	 * Create a reply.
	 * @param ended called once, before the response is available, with its failure or
	 * {@code null}
	 */
	Reply(Consumer<@Nullable RedisFailure> ended) {
		this.ended = ended;
	}

	/**
	 * Record that the request is about to be written.
	 * @return {@code false} if it was written before or has ended
	 */
	final boolean beginWriting() {
		return STATE.compareAndSet(this, UNWRITTEN, WRITTEN);
	}

	@Override
	public final boolean complete(@Nullable Object response) {
		if (STATE.getAndSet(this, ENDED) == ENDED) {
			return false;
		}
		this.ended.accept(null);
		return super.complete(response);
	}

	/**
	 * Fail the request as never sent, unless writing has begun or it has ended.
	 */
	final void failUnlessWritten(RedisFailure failure) {
		if (STATE.compareAndSet(this, UNWRITTEN, ENDED)) {
			end(RedisFailure.neverSent(failure));
		}
	}

	/**
	 * Fail the request, as never sent unless writing has begun.
	 * @return {@code false} if it had a response or a failure before
	 */
	final boolean fail(RedisFailure failure) {
		int before = STATE.getAndSet(this, ENDED);
		if (before == ENDED) {
			return false;
		}
		end((before == UNWRITTEN) ? RedisFailure.neverSent(failure) : failure);
		return true;
	}

	private void end(RedisFailure failure) {
		this.ended.accept(failure);
		super.completeExceptionally(failure);
	}

}
