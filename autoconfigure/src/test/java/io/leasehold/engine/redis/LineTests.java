package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.leasehold.test.contract.Parallel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for when a {@link Line} is given up.
 */
class LineTests {

	private static final Duration SILENCE = Duration.ofMillis(100);

	@Test
	void requestsThatComeTogetherAfterAPauseAreNoSilence() throws Exception {
		for (int i = 0; i < 3000; i++) {
			Line line = new Line(new Node("localhost", 1), new Unanswered(), Duration.ofSeconds(1));
			CyclicBarrier together = new CyclicBarrier(3);
			Callable<Void> request = () -> {
				together.await();
				line.send(Script.CLOSE, new String[0], new String[0]);
				assertThat(line.isUsable()).isTrue();
				return null;
			};
			Parallel.run(Collections.nCopies(3, request));
		}
	}

	@Test
	void lineThatIsSilentForTooLongIsNotUsedAgain() {
		Line line = new Line(new Node("localhost", 1), new Unanswered(), SILENCE);
		line.send(Script.CLOSE, new String[0], new String[0]);
		line.send(Script.CLOSE, new String[0], new String[0]);
		assertThat(line.isUsable()).isTrue();
		long sent = System.nanoTime();
		while (System.nanoTime() - sent <= SILENCE.toNanos()) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
		}
		assertThat(line.isUsable()).isFalse();
	}

	@Test
	void lineWhoseConnectionTakesNoRequestIsNotUsedAgain() {
		Line line = new Line(new Node("localhost", 1), new Refusing(), SILENCE);
		assertThat(line.isUsable()).isTrue();
		assertThat(line.send(Script.CLOSE, new String[0], new String[0])).isCompletedExceptionally();
		assertThat(line.isUsable()).isFalse();
	}

	/** The request whose copies are awaited was sent. */
	@Test
	void replicasThatWereNeverAskedForDoNotMakeTheirRequestOneThatWasNeverSent() {
		Line line = new Line(new Node("localhost", 1), new Refusing(), SILENCE);
		assertThatExceptionOfType(RedisFailure.class)
			.isThrownBy(() -> line.awaitReplicas(1, SILENCE, System.nanoTime() + SILENCE.toNanos()))
			.withMessage("connection is closed")
			.matches((failure) -> !failure.isNeverSent() && !failure.hasNotRun());
	}

	/** A connection that seems to be open and takes no request. */
	private static final class Refusing implements Connection {

		private volatile boolean open = true;

		@Override
		public boolean isOpen() {
			return this.open;
		}

		@Override
		public CompletableFuture<@Nullable Object> send(String command, String... arguments) {
			Reply reply = new Reply();
			reply.fail(RedisFailure.noAnswer("connection is closed", null));
			return reply;
		}

		@Override
		public void close() {
			this.open = false;
		}

	}

	/** A connection whose other end says nothing. */
	private static final class Unanswered implements Connection {

		private volatile boolean open = true;

		@Override
		public boolean isOpen() {
			return this.open;
		}

		@Override
		public CompletableFuture<@Nullable Object> send(String command, String... arguments) {
			return new CompletableFuture<>();
		}

		@Override
		public void close() {
			this.open = false;
		}

	}

}
