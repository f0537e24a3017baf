package io.leasehold.engine.redis.connection;

import java.time.Duration;
import java.util.List;

import io.leasehold.engine.redis.ScriptedConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ServerInfo}.
 */
class ServerInfoTests {

	private final Questions questions = new Questions(Duration.ofSeconds(10));

	@Test
	void valuesHaveNamesAndMayContainColons() {
		ServerInfo info = this.questions.info(ScriptedConnection
			.responding("# Server\r\nredis_version:7.0.15\r\nexecutable:C:\\redis\r\nrole:master"));
		assertThat(info.get("redis_version", "")).isEqualTo("7.0.15");
		assertThat(info.get("executable", "")).isEqualTo("C:\\redis");
		assertThat(info.get("role", "")).isEqualTo("master");
		assertThat(info.get("# Server", "none")).isEqualTo("none");
	}

	@ParameterizedTest
	@ValueSource(strings = { "2.8.0", "5.0.14", "6.0.16", "6.1", "6.0" })
	void versionsBefore62AreUnsuitable(String version) {
		assertThatExceptionOfType(RedisFailure.class).isThrownBy(() -> check("redis_version:" + version))
			.withMessage("UNSUITABLE The server has version %s. Locks need Redis 6.2 or later", version)
			.matches(RedisFailure::isUnsuitable)
			.matches((failure) -> !failure.toEngineException("Redis", "acquire a lock").isRetryable());
	}

	/**
	 * Valkey, Dragonfly and KeyDB report the version of Redis that they correspond to.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "6.2", "6.2.0", "6.2-rc1", "6.10.1", "7.0.15", "8.4.0", "10.0.0", "255.255.255", "unknown",
			"6", "" })
	void laterAndUnknownVersionsAreSuitable(String version) {
		assertThatCode(() -> check("redis_version:" + version)).doesNotThrowAnyException();
	}

	@Test
	void activeReplicaIsUnsuitable() {
		assertThatExceptionOfType(RedisFailure.class)
			.isThrownBy(() -> check("redis_version:6.3.4\r\nrole:active-replica"))
			.withMessageStartingWith("UNSUITABLE The server is an active replica of KeyDB.")
			.matches(RedisFailure::isUnsuitable);
		assertThatCode(() -> check("redis_version:6.3.4\r\nrole:master")).doesNotThrowAnyException();
	}

	@ParameterizedTest
	@ValueSource(strings = { "NOPERM no permission to run 'info'", "ERR unknown command 'INFO'" })
	void serverThatRejectsTheQueryIsNotChecked(String rejection) {
		assertThat(this.questions.info(ScriptedConnection.refusing(rejection)).values()).isEmpty();
	}

	/** The next connection asks again. */
	@ParameterizedTest
	@ValueSource(strings = { "BUSY Redis is busy running a script", "LOADING Redis is loading" })
	void serverThatRejectsAllRequestsForTheTimeBeingIsNotUsed(String rejection) {
		assertThatExceptionOfType(RedisFailure.class)
			.isThrownBy(() -> this.questions.info(ScriptedConnection.refusing(rejection)))
			.withMessage(rejection);
	}

	@Test
	void serverThatDoesNotRespondIsNotUsed() {
		assertThatExceptionOfType(RedisFailure.class)
			.isThrownBy(() -> new Questions(Duration.ofMillis(1)).info(ScriptedConnection.silent()))
			.matches((failure) -> !failure.isUnsuitable());
	}

	@Test
	void otherResponsesReportNothing() {
		assertThat(this.questions.info(ScriptedConnection.responding(List.of("master"))).values()).isEmpty();
		assertThat(this.questions.info(ScriptedConnection.responding(null)).values()).isEmpty();
	}

	private static void check(String info) {
		ServerInfo.parse(info).checkSuitable();
	}

}
