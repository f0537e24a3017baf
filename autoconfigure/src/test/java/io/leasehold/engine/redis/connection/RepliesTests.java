package io.leasehold.engine.redis.connection;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for how {@link Replies} are awaited.
 */
class RepliesTests {

	private static final RedisFailure REFUSAL = RedisFailure.refusal("OOM", null);

	@Test
	void missingReplyIsNoResponse() {
		assertThatExceptionOfType(RedisFailure.class)
			.isThrownBy(() -> Replies.await(new CompletableFuture<>(), System.nanoTime()))
			.withMessage("no response in time (0 ms)")
			.matches((failure) -> !failure.hasNotRun());
	}

	@Test
	void cancelledReplyIsNoResponse() {
		CompletableFuture<String> reply = new CompletableFuture<>();
		reply.cancel(false);
		assertThatExceptionOfType(RedisFailure.class).isThrownBy(() -> Replies.await(reply, later()))
			.withCauseInstanceOf(CancellationException.class);
	}

	@Test
	void failureIsFoundInsideWhatWrapsIt() {
		assertThat(Replies.failure(new ExecutionException(new CompletionException(REFUSAL)))).isSameAs(REFUSAL);
		assertThat(Replies.failure(REFUSAL)).isSameAs(REFUSAL);
	}

	@Test
	void otherExceptionIsNoResponse() {
		IllegalStateException other = new IllegalStateException("broken", REFUSAL);
		assertThat(Replies.failure(new CompletionException(other)))
			.hasMessage("java.lang.IllegalStateException: broken")
			.hasCause(other);
		CompletionException empty = new CompletionException("empty", null);
		assertThat(Replies.failure(empty)).hasCause(empty);
		ExecutionException none = new ExecutionException("none", null);
		assertThat(Replies.failure(none)).hasCause(none);
	}

	private static long later() {
		return System.nanoTime() + Duration.ofSeconds(20).toNanos();
	}

}
