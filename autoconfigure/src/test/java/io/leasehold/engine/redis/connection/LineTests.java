package io.leasehold.engine.redis.connection;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.leasehold.engine.redis.InterruptedClock;
import io.leasehold.engine.redis.ScriptedConnection;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for when a {@link Line} is given up.
 */
class LineTests {

	private static final Script<Long> SCRIPT = new Script<>("return 1", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");

	private static final Duration SILENCE = Duration.ofMillis(100);

	private static final Node NODE = new Node("localhost", 1);

	private final InterruptedClock clock = new InterruptedClock();

	/**
	 * Another caller checks the line while the first request in a while notes its time.
	 */
	@Test
	void checkDuringTheFirstRequestAfterAPauseFindsNoSilence() {
		Line line = new Line(NODE, ScriptedConnection.silent(), SILENCE.toNanos(), this.clock);
		this.clock.pass(SILENCE.multipliedBy(5));
		this.clock.afterNext(() -> assertThat(line.isUsable()).isTrue());
		line.send(SCRIPT, new String[0], new String[0]);
		assertThat(line.isUsable()).isTrue();
	}

	/** Another caller sends while the first request in a while notes its time. */
	@Test
	void requestsThatComeTogetherAfterAPauseAreNoSilence() {
		Line line = new Line(NODE, ScriptedConnection.silent(), SILENCE.toNanos(), this.clock);
		this.clock.pass(SILENCE.multipliedBy(5));
		this.clock.afterNext(() -> {
			line.send(SCRIPT, new String[0], new String[0]);
			assertThat(line.isUsable()).isTrue();
		});
		line.send(SCRIPT, new String[0], new String[0]);
		assertThat(line.isUsable()).isTrue();
	}

	@Test
	void lineThatIsSilentForTooLongIsNotUsedAgain() {
		Line line = new Line(NODE, ScriptedConnection.silent(), SILENCE.toNanos(), this.clock);
		line.send(SCRIPT, new String[0], new String[0]);
		line.send(SCRIPT, new String[0], new String[0]);
		assertThat(line.isUsable()).isTrue();
		this.clock.pass(SILENCE);
		assertThat(line.isUsable()).isFalse();
	}

	@Test
	void lineWhoseConnectionTakesNoRequestIsNotUsedAgain() {
		Line line = new Line(NODE, new Refusing(), SILENCE);
		assertThat(line.isUsable()).isTrue();
		assertThat(line.send(SCRIPT, new String[0], new String[0])).isCompletedExceptionally();
		assertThat(line.isUsable()).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "READONLY You can't write against a read only replica., false", "MOVED 1 a:1, true", "OOM, true" })
	void lineToAServerThatBecameAReplicaIsNotUsedAgain(String refusal, boolean usable) {
		Line line = new Line(NODE, ScriptedConnection.refusing(refusal), SILENCE);
		assertThat(line.send(SCRIPT, new String[0], new String[0])).isCompletedExceptionally();
		assertThat(line.isUsable()).isEqualTo(usable);
	}

	@Test
	void requestsWithAResponseAreNoSilence() {
		Line line = new Line(NODE, ScriptedConnection.responding(1L), SILENCE.toNanos(), this.clock);
		line.send(SCRIPT, new String[0], new String[0]);
		this.clock.pass(SILENCE.multipliedBy(5));
		assertThat(line.isUsable()).isTrue();
	}

	@Test
	void scriptIsSentWithItsKeysAndArguments() {
		ScriptedConnection connection = ScriptedConnection.responding(1L);
		Line line = new Line(NODE, connection, SILENCE);
		line.send(SCRIPT, new String[] { "a", "b", "c" }, new String[] { "x", "y" });
		line.sendText(SCRIPT, new String[] { "a" }, new String[] { "x" });
		assertThat(connection.sent()).containsExactly("EVALSHA " + SCRIPT.digest() + " 3 a b c x y",
				"EVAL " + SCRIPT.text() + " 1 a x");
	}

	@Test
	void scriptThatTheServerDoesNotKnowIsSentAsText() {
		ScriptedConnection connection = new ScriptedConnection((command) -> command.startsWith("EVALSHA")
				? ScriptedConnection.refusal("NOSCRIPT No matching script") : CompletableFuture.completedFuture(1L));
		Line line = new Line(NODE, connection, SILENCE);
		assertThat(line.run(SCRIPT, new String[0], new String[0], System.nanoTime())).isOne();
		assertThat(connection.sent()).hasSize(2);
	}

	@Test
	void scriptThatIsRefusedIsNotSentAgain() {
		ScriptedConnection connection = ScriptedConnection.refusing("OOM");
		Line line = new Line(NODE, connection, SILENCE);
		assertThatExceptionOfType(RedisFailure.class)
			.isThrownBy(() -> line.run(SCRIPT, new String[0], new String[0], System.nanoTime()))
			.withMessage("OOM");
		assertThat(connection.sent()).hasSize(1);
	}

	@ParameterizedTest
	@CsvSource(value = { "2, 2, ", "3, 2, ", "1, 2, 1", "null, 1, 0" }, nullValues = "null")
	void grantNeedsAsManyReplicasAsAreConfigured(Long reached, int replicas, Integer notified) {
		ScriptedConnection connection = ScriptedConnection.responding(reached);
		ThrowingCallable waiting = () -> new Line(NODE, connection, SILENCE).awaitReplicas(replicas, SILENCE,
				System.nanoTime());
		if (notified == null) {
			assertThatNoException().isThrownBy(waiting);
		}
		else {
			assertThatExceptionOfType(RedisFailure.class).isThrownBy(waiting)
				.withMessageStartingWith("NOREPLICAS The grant reached %d of the %d replicas", notified, replicas);
		}
		assertThat(connection.sent()).containsExactly("WAIT " + replicas + " 100");
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
		public CompletableFuture<@Nullable Object> send(Consumer<@Nullable RedisFailure> ended, String command,
				String... arguments) {
			Reply reply = new Reply(ended);
			reply.fail(RedisFailure.noResponse("connection is closed", null));
			return reply;
		}

		@Override
		public void close() {
			this.open = false;
		}

	}

}
