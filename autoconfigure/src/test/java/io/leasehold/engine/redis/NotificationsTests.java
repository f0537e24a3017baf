package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.leasehold.LockKey;
import io.leasehold.engine.redis.connection.Line;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.RedisFailure;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for how {@link Notifications} find out which form of a script a server accepts.
 */
@ExtendWith(OutputCaptureExtension.class)
class NotificationsTests {

	private static final String REJECTED = "ERR bad lua script for redis cluster, PUBLISH is not supported";

	private static final String GRANT = "7:shop@a:1:0/main/1";

	private static final RedisKeys KEYS = RedisKeys.of("ns", new LockKey("k"));

	private static final String MESSAGE = "PUBLISH ns:inbox:shop@a:1:0 7:shop@a:1:0/main/1 ns:2:{k}";

	private static final List<Object> WITH_MESSAGES = List.of(1L, List.of(GRANT));

	private @Nullable ScriptedConnection connection;

	private final Notifications notifications = new Notifications("ns:inbox:", WakeUp.AUTO);

	@Test
	void messagesThatAScriptReturnsArePublished(CapturedOutput output) {
		serve((command) -> WITH_MESSAGES);
		assertThat(close(this.notifications)).isOne();
		assertThat(sent()).containsExactly("publishing", MESSAGE);
		assertThat(this.notifications.areByClient()).isTrue();
		assertThat(close(this.notifications)).isOne();
		assertThat(sent()).containsExactly("publishing", MESSAGE, "returning", MESSAGE);
		assertThat(output).containsOnlyOnce("Redis rejects messages from scripts. From now on");
	}

	@Test
	void responseWithoutMessagesIsNoRejection(CapturedOutput output) {
		serve((command) -> 1L);
		assertThat(close(this.notifications)).isOne();
		assertThat(close(this.notifications)).isOne();
		assertThat(sent()).containsExactly("publishing", "publishing");
		assertThat(this.notifications.areByClient()).isFalse();
		assertThat(output).doesNotContain("rejects");
	}

	@Test
	void grantsThatAnOperatorReleasedAreNoMessages() {
		serve((command) -> List.of(GRANT, 5L));
		assertThat(force(this.notifications)).containsExactly(GRANT, 5L);
		serve((command) -> List.of(List.of(GRANT, 5L), List.of(GRANT)));
		assertThat(force(this.notifications)).containsExactly(GRANT, 5L);
		assertThat(sent()).containsExactly("publishing", MESSAGE);
	}

	@Test
	void otherFormFollowsATextThatWasRejected(CapturedOutput output) {
		serve((command) -> isPublishing(command) ? REJECTED : WITH_MESSAGES);
		assertThat(close(this.notifications)).isOne();
		assertThat(sent()).containsExactly("publishing", "returning", MESSAGE);
		assertThat(close(this.notifications)).isOne();
		assertThat(sent()).containsExactly("publishing", "returning", MESSAGE, "returning", MESSAGE);
		assertThat(output).containsOnlyOnce("Redis rejects messages from scripts (" + REJECTED + ")");
	}

	/** Any other error leaves open whether the script has run. */
	@Test
	void otherFormDoesNotFollowAnyOtherError() {
		serve((command) -> "ERR Error running script");
		assertThatExceptionOfType(RedisFailure.class).isThrownBy(() -> close(this.notifications));
		assertThat(sent()).containsExactly("publishing");
		assertThat(this.notifications.areByClient()).isFalse();
	}

	@Test
	void formThatIsConfiguredIsKept(CapturedOutput output) {
		Notifications byScript = new Notifications("ns:inbox:", WakeUp.SCRIPT);
		serve((command) -> isPublishing(command) ? REJECTED : 1L);
		assertThatExceptionOfType(RedisFailure.class).isThrownBy(() -> close(byScript)).withMessage(REJECTED);
		assertThat(sent()).containsExactly("publishing");
		serve((command) -> WITH_MESSAGES);
		assertThat(close(byScript)).isOne();
		assertThat(close(byScript)).isOne();
		assertThat(sent()).containsExactly("publishing", MESSAGE, "publishing", MESSAGE);
		assertThat(byScript.areByClient()).isFalse();
		assertThat(output).doesNotContain("rejects");
	}

	@ParameterizedTest
	@EnumSource(names = { "CLIENT", "POLL" })
	void formWithoutMessagesCanBeConfigured(WakeUp wakeUp) {
		Notifications byClient = new Notifications("ns:inbox:", wakeUp);
		serve((command) -> WITH_MESSAGES);
		assertThat(close(byClient)).isOne();
		byClient.send(Scripts.CLOSE, line(), KEYS, new String[0]);
		assertThat(sent()).containsExactly("returning", MESSAGE, "returning", MESSAGE);
	}

	@Test
	void messagesOfARequestWithoutAWaitingCallerArePublished() {
		serve((command) -> WITH_MESSAGES);
		this.notifications.send(Scripts.CLOSE, line(), KEYS, new String[0]);
		assertThat(sent()).containsExactly("publishing", MESSAGE);
		assertThat(this.notifications.areByClient()).isTrue();
	}

	@Test
	void otherFormFollowsATextThatWasRejectedWithoutAWaitingCaller() {
		serve((command) -> isPublishing(command) ? REJECTED : WITH_MESSAGES);
		this.notifications.send(Scripts.CLOSE, line(), KEYS, new String[0]);
		assertThat(sent()).containsExactly("publishing", "returning", MESSAGE);
		serve((command) -> "ERR Error running script");
		new Notifications("ns:inbox:", WakeUp.AUTO).send(Scripts.CLOSE, line(), KEYS, new String[0]);
		assertThat(sent()).containsExactly("publishing");
	}

	private long close(Notifications through) {
		return through.run(Scripts.CLOSE, line(), KEYS, new String[0], soon());
	}

	private List<Object> force(Notifications through) {
		return through.run(Scripts.FORCE, line(), KEYS, new String[0], soon());
	}

	private static long soon() {
		return System.nanoTime() + Duration.ofSeconds(20).toNanos();
	}

	/** Connect to a server whose errors are texts. */
	private void serve(Function<String, Object> server) {
		this.connection = new ScriptedConnection((command) -> {
			Object response = server.apply(command);
			return (response instanceof String error) ? ScriptedConnection.refusal(error)
					: CompletableFuture.completedFuture(response);
		});
	}

	private Line line() {
		return new Line(new Node("localhost", 1), this.connection, Duration.ofSeconds(20));
	}

	private static boolean isPublishing(String command) {
		return List.of(Scripts.CLOSE, Scripts.FORCE)
			.stream()
			.map(NotifyingScript::publishing)
			.anyMatch((script) -> command.contains(script.digest()) || command.contains(script.text()));
	}

	/** Requests, with the form of the script instead of the whole request. */
	private List<String> sent() {
		return this.connection.sent()
			.stream()
			.map((command) -> command.startsWith("PUBLISH") ? command
					: isPublishing(command) ? "publishing" : "returning")
			.toList();
	}

}
