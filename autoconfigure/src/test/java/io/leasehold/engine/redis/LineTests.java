package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for when a {@link Line} is given up.
 */
class LineTests {

	private static final Duration SILENCE = Duration.ofMillis(100);

	private static final Node NODE = new Node("localhost", 1);

	private final InterruptedClock clock = new InterruptedClock();

	/**
	 * Another caller checks the line while the first request in a while notes its time.
	 */
	@Test
	void checkDuringTheFirstRequestAfterAPauseFindsNoSilence() {
		Line line = new Line(NODE, new Unanswered(), SILENCE.toNanos(), this.clock);
		this.clock.pass(SILENCE.multipliedBy(5));
		this.clock.afterNext(() -> assertThat(line.isUsable()).isTrue());
		line.send(Script.CLOSE, new String[0], new String[0]);
		assertThat(line.isUsable()).isTrue();
	}

	/** Another caller sends while the first request in a while notes its time. */
	@Test
	void requestsThatComeTogetherAfterAPauseAreNoSilence() {
		Line line = new Line(NODE, new Unanswered(), SILENCE.toNanos(), this.clock);
		this.clock.pass(SILENCE.multipliedBy(5));
		this.clock.afterNext(() -> {
			line.send(Script.CLOSE, new String[0], new String[0]);
			assertThat(line.isUsable()).isTrue();
		});
		line.send(Script.CLOSE, new String[0], new String[0]);
		assertThat(line.isUsable()).isTrue();
	}

	@Test
	void lineThatIsSilentForTooLongIsNotUsedAgain() {
		Line line = new Line(NODE, new Unanswered(), SILENCE.toNanos(), this.clock);
		line.send(Script.CLOSE, new String[0], new String[0]);
		line.send(Script.CLOSE, new String[0], new String[0]);
		assertThat(line.isUsable()).isTrue();
		this.clock.pass(SILENCE);
		assertThat(line.isUsable()).isFalse();
	}

	@Test
	void lineWhoseConnectionTakesNoRequestIsNotUsedAgain() {
		Line line = new Line(NODE, new Refusing(), SILENCE);
		assertThat(line.isUsable()).isTrue();
		assertThat(line.send(Script.CLOSE, new String[0], new String[0])).isCompletedExceptionally();
		assertThat(line.isUsable()).isFalse();
	}

	/** The request whose copies are awaited was sent. */
	@Test
	void replicasThatWereNeverAskedForDoNotMakeTheirRequestOneThatWasNeverSent() {
		Line line = new Line(NODE, new Refusing(), SILENCE);
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
