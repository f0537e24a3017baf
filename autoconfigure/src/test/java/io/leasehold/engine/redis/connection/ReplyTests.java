package io.leasehold.engine.redis.connection;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;

import io.leasehold.test.contract.Parallel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for what a {@link Reply} knows of its request.
 */
class ReplyTests {

	private static final RedisFailure CLOSED = RedisFailure.noResponse("connection is closed", null);

	private final List<Object> ends = new ArrayList<>();

	private final Reply reply = new Reply(this::record);

	/** Record the failure of an end, or whether its response is available. */
	private void record(@Nullable RedisFailure failure) {
		this.ends.add((failure != null) ? failure.isNeverSent() : this.reply.isDone());
	}

	@Test
	void requestThatFailsUnwrittenWasNeverSentAndIsNotWrittenLater() {
		this.reply.fail(CLOSED);
		assertThat(failure(this.reply).isNeverSent()).isTrue();
		assertThat(failure(this.reply)).hasMessage("connection is closed");
		assertThat(this.reply.beginWriting()).isFalse();
	}

	@Test
	void requestWhoseWritingHasBegunMayHaveBeenSent() {
		assertThat(this.reply.beginWriting()).isTrue();
		this.reply.fail(CLOSED);
		assertThat(failure(this.reply)).isSameAs(CLOSED);
		assertThat(CLOSED.isNeverSent()).isFalse();
	}

	@Test
	void requestIsWrittenOnce() {
		assertThat(this.reply.beginWriting()).isTrue();
		assertThat(this.reply.beginWriting()).isFalse();
	}

	@Test
	void endIsReportedOnceBeforeTheResponseIsAvailable() {
		this.reply.beginWriting();
		assertThat(this.reply.complete("a")).isTrue();
		assertThat(this.reply.complete("b")).isFalse();
		assertThat(this.reply.fail(CLOSED)).isFalse();
		assertThat(this.ends).containsExactly(false);
		assertThat(this.reply).isCompletedWithValue("a");
	}

	@Test
	void failureIsReportedOnceAsTheCallerReceivesIt() {
		assertThat(this.reply.fail(CLOSED)).isTrue();
		assertThat(this.reply.fail(CLOSED)).isFalse();
		assertThat(this.reply.complete("a")).isFalse();
		assertThat(this.ends).containsExactly(true);
	}

	@Test
	void requestThatFailsWhileItsWritingBeginsIsEitherWrittenOrNeverSent() throws Exception {
		for (int i = 0; i < 3000; i++) {
			Reply next = new Reply((failure) -> {
			});
			AtomicBoolean written = new AtomicBoolean();
			CyclicBarrier together = new CyclicBarrier(2);
			Callable<Void> writer = () -> {
				together.await();
				written.set(next.beginWriting());
				return null;
			};
			Callable<Void> closer = () -> {
				together.await();
				next.fail(CLOSED);
				return null;
			};
			Parallel.run(List.of(writer, closer));
			assertThat(failure(next).isNeverSent()).isNotEqualTo(written.get());
		}
	}

	private static RedisFailure failure(Reply failed) {
		RedisFailure[] failure = new RedisFailure[1];
		assertThatExceptionOfType(RedisFailure.class).isThrownBy(() -> Replies.await(failed, System.nanoTime()))
			.satisfies((thrown) -> failure[0] = thrown);
		return failure[0];
	}

}
