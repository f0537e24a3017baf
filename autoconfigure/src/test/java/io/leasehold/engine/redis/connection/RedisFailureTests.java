package io.leasehold.engine.redis.connection;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what a {@link RedisFailure} becomes for the service.
 */
class RedisFailureTests {

	private static final LockKey KEY = new LockKey("order:42");

	@ParameterizedTest
	@CsvSource({ "LOADING Redis is loading, LOADING, true", "OOM, OOM, true", "WRONGPASS invalid, WRONGPASS, false",
			"ERR max number of clients reached, MAXCLIENTS, true",
			"ERR max number of clients + cluster connections reached, MAXCLIENTS, true",
			"ERR max number of arguments, ERR, false", "NOAUTH, NOAUTH, false", "KAPUTT whatever, OTHER, false" })
	void refusalHasItsWordAndMayPass(String message, String word, boolean retryable) {
		LockEngineException failure = RedisFailure.refusal(message, null).toEngineException("Redis", "acquire", KEY);
		assertThat(failure).hasMessage("Redis could not acquire lock 'order:42': " + message);
		assertThat(failure.refusal()).isEqualTo(word);
		assertThat(failure.isRetryable()).isEqualTo(retryable);
	}

	@Test
	void missingResponseHasNoWordAndMayPass() {
		LockEngineException failure = RedisFailure.noResponse("WRONGPASS is no word of the server here", null)
			.toEngineException("Redlock", "renew 2 locks");
		assertThat(failure).hasMessage("Redlock could not renew 2 locks: WRONGPASS is no word of the server here");
		assertThat(failure.refusal()).isNull();
		assertThat(failure.isRetryable()).isTrue();
	}

	@Test
	void onlyARefusalHasAReason() {
		assertThat(RedisFailure.refusal("READONLY You can't write", null).is("READONLY")).isTrue();
		assertThat(RedisFailure.refusal("READONLY You can't write", null).is("MOVED")).isFalse();
		assertThat(RedisFailure.noResponse("READONLY", null).is("READONLY")).isFalse();
	}

	/** As of a subscription, whose failure in the client was translated before. */
	@Test
	void refusalHasItsOwnReasonWhateverItsCause() {
		RedisFailure cause = RedisFailure.noResponse("NOPERM no channel", null);
		assertThat(RedisFailure.refusal("NOPERM no channel", cause).is("NOPERM")).isTrue();
		RedisFailure moved = RedisFailure.refusal("MOVED 1 127.0.0.1:2", null);
		assertThat(RedisFailure.refusal("CLUSTER it is a node of a cluster", moved).isLasting()).isTrue();
	}

	/** Redis before 7.0 reports the error of a command as that of its script. */
	@Test
	void errorOfACommandInAScriptHasItsOwnReason() {
		String script = "ERR Error running script (call to f_4ca238f611c9d0ae4e9a75a5dbac22aedc1e8c2d): @user_script:12: ";
		RedisFailure replica = RedisFailure
			.refusal(script + "@user_script: 12: -READONLY You can't write against a read only replica. ", null);
		assertThat(replica.is("READONLY")).isTrue();
		assertThat(replica.is("ERR")).isFalse();
		RedisFailure mistake = RedisFailure.refusal(script + "user_script:12: attempt to index a nil value ", null);
		assertThat(mistake.is("ERR")).isTrue();
	}

	@Test
	void onlyARejectedTextProvesThatItsScriptHasNotRun() {
		String rejection = "ERR bad lua script for redis cluster, KEYS should not be in expression";
		assertThat(RedisFailure.refusal(rejection, null).isRejectedScript()).isTrue();
		assertThat(RedisFailure.refusal("ERR Error running script", null).isRejectedScript()).isFalse();
		assertThat(RedisFailure.noResponse(rejection, null).isRejectedScript()).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "MOVED 1 a:1, true", "ASK 1 a:1, true", "TRYAGAIN, false" })
	void requestThatBelongsElsewhereHasNotRun(String message, boolean notRun) {
		RedisFailure refusal = RedisFailure.refusal(message, null);
		assertThat(refusal.isRedirection()).isEqualTo(notRun);
		assertThat(refusal.hasNotRun()).isTrue();
	}

	/** Whether a rejection proves that nothing was written. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			NOPERM User app has no permissions to run the 'evalsha' command                      | true
			NOPERM No permissions to access a key                                                | true
			NOPERM User app has no permissions script: 4ca238, on @user_script:12.               | false
			ERR Error running script (call to f_4c): @user_script:1: -NOPERM no permission       | false
			ERR Error running script (call to f_4c): @user_script:1: -READONLY You can't write   | true
			READONLY You can't write against a read only replica. script: 4ca238                 | true
			OOM command not allowed                                                              | true
			MISCONF Redis is configured to save                                                  | true
			LOADING Redis is loading                                                             | true
			CLUSTERDOWN The cluster is down                                                      | true
			WRONGPASS invalid                                                                    | true
			NOREPLICAS The grant reached 0                                                       | false
			NOSCRIPT No matching script                                                          | false
			ERR whatever                                                                         | false
			""")
	void rejectionBeforeTheFirstWriteHasNotRun(String message, boolean notRun) {
		assertThat(RedisFailure.refusal(message, null).hasNotRun()).isEqualTo(notRun);
	}

	@Test
	void requestThatWasNeverSentHasNotRunUnlessItIsOneOfSeveral() {
		RedisFailure neverSent = RedisFailure.neverSent(RedisFailure.noResponse("connection is closed", null));
		assertThat(neverSent.hasNotRun()).isTrue();
		assertThat(neverSent.isRedirection()).isFalse();
		assertThat(neverSent.ofSeveralCommands("x").hasNotRun()).isFalse();
		RedisFailure refusal = RedisFailure.refusal("NOREPLICAS", null);
		assertThat(refusal.ofSeveralCommands("x")).isSameAs(refusal);
		assertThat(RedisFailure.refusal("NOPERM wait", null).ofSeveralCommands("x needs WAIT"))
			.hasMessage("NOPERM wait (x needs WAIT)");
	}

}
