package io.leasehold.engine.redis.connection;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.leasehold.engine.redis.ScriptedConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for which responses {@link Questions} accept, and how long they wait.
 */
class QuestionsTests {

	private static final Duration LONG = Duration.ofSeconds(20);

	@Test
	void responseIsAwaited() throws Exception {
		CompletableFuture<Object> response = new CompletableFuture<>();
		CompletableFuture<Void> requested = new CompletableFuture<>();
		ScriptedConnection connection = new ScriptedConnection((command) -> {
			requested.complete(null);
			return response;
		});
		CompletableFuture<List<?>> list = CompletableFuture
			.supplyAsync(() -> new Questions(LONG).list(connection, "CLUSTER", "SLOTS"));
		requested.join();
		response.complete(List.of("response"));
		assertThat(list.join()).isEqualTo(List.of("response"));
		assertThat(connection.sent()).containsExactly("CLUSTER SLOTS");
	}

	@Test
	void missingResponseIsAwaitedForItsTimeAtMost() {
		assertThatExceptionOfType(RedisFailure.class)
			.isThrownBy(() -> new Questions(Duration.ofMillis(1)).list(ScriptedConnection.silent(), "ROLE"))
			.withMessageStartingWith("no response in time (");
	}

	@ParameterizedTest
	@MethodSource("others")
	void responseThatIsNoListWithElementsIsRejected(Object response) {
		assertThatExceptionOfType(RedisFailure.class)
			.isThrownBy(() -> new Questions(LONG).list(ScriptedConnection.responding(response), "ROLE"))
			.withMessage("Unexpected response to ROLE: " + response);
	}

	static Object[] others() {
		return new Object[] { null, "OK", List.of() };
	}

}
