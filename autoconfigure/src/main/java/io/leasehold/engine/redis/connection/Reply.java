package io.leasehold.engine.redis.connection;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import org.jspecify.annotations.Nullable;

/**
 * Response to one request, and record of whether the request may have been sent. A
 * request is either written once or reported as never sent. Thread-safe.
 */
final class Reply extends CompletableFuture<@Nullable Object> {

	private static final AtomicIntegerFieldUpdater<Reply> STATE = AtomicIntegerFieldUpdater.newUpdater(Reply.class,
			"state");

	private static final int UNWRITTEN = 0;

	private static final int WRITTEN = 1;

	private static final int NEVER_WRITTEN = 2;

	private volatile int state = UNWRITTEN;

	/**
	 * Record that the request is about to be written.
	 * @return {@code false} if it was written before or reported as never sent
	 */
	boolean beginWriting() {
		return STATE.compareAndSet(this, UNWRITTEN, WRITTEN);
	}

	/** Fail the request, as never sent unless writing has begun. */
	void fail(RedisFailure failure) {
		boolean neverSent = STATE.compareAndSet(this, UNWRITTEN, NEVER_WRITTEN);
		completeExceptionally(neverSent ? RedisFailure.neverSent(failure) : failure);
	}

}
