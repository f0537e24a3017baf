package io.leasehold.engine.redis;

import java.util.List;

import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The grants of which a script leaves the notification to the client: in its form without
 * messages, and if the server rejects them.
 */
class RedisReturnedMessagesIntegrationTests extends RedisScripts {

	private static final String READER_B = B + "#s,0,0";

	private static final String READER_C = C + "#s,0,0";

	private final RedisClient client = RedisClient
		.create(RedisURI.create("redis://limited:any@127.0.0.1:" + server.port()));

	private RedisCommands<String, String> limited;

	@BeforeEach
	void logIn() {
		redis.aclSetuser("limited", AclSetuserArgs.Builder.on().nopass().allKeys().allCommands().resetChannels());
		this.limited = this.client.connect().sync();
	}

	@AfterEach
	void logOut() {
		this.client.shutdown();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void grantOfASoleSuccessor(boolean rejected) {
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "+"));
		List<Object> response = close(A, rejected);
		assertThat(response).containsExactly(1L, List.of(redis.get(KEYS.lock())));
		assertThat(redis.get(KEYS.lock())).endsWith(":" + B);
	}

	/** Only a script that publishes counts the subscribers, of which there are none. */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void grantWhileMoreWait(boolean rejected) {
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "*"));
		busy(acquire(C, LEASE, "+"));
		List<Object> response = close(A, rejected);
		assertThat(response).element(1).asString().endsWith(":" + B + "]");
		assertThat(redis.get(KEYS.lock())).endsWith(":" + B + " !");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void grantsToAllReadersAtTheHead(boolean rejected) {
		granted(acquire(A, LEASE, ""));
		busy(acquire(READER_B, LEASE, "+"));
		busy(acquire(READER_C, LEASE, "+"));
		List<Object> response = close(A, rejected);
		assertThat(response).containsExactly(1L, List.of(redis.hget(KEYS.numbers(), READER_B) + ":" + READER_B,
				redis.hget(KEYS.numbers(), READER_C) + ":" + READER_C));
		assertThat(redis.zcard(KEYS.holders())).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void grantAfterAnExpiryToAnotherClaim(boolean rejected) {
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "+"));
		redis.del(KEYS.lock());
		List<Object> response = run(Scripts.ACQUIRE, rejected, C, "" + LEASE, "", "" + QUEUE);
		assertThat(response).hasSize(2).element(0).asString().startsWith("[busy, ");
		assertThat(response).element(1).asString().endsWith(":" + B + "]");
		assertThat(redis.get(KEYS.lock())).contains(":" + B);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void grantAfterAForcedRelease(boolean rejected) {
		long number = granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "+"));
		List<Object> response = run(Scripts.FORCE, rejected, "");
		assertThat(response).hasSize(2).element(0).asString().startsWith("[" + number + ":" + A + ", ");
		assertThat(response).element(1).asString().endsWith(":" + B + "]");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void grantToAClaimThatPollsIsNotReturned(boolean rejected) {
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "-"));
		assertThat(close(A, rejected)).containsExactly(1L);
		assertThat(close(B, rejected)).containsExactly(1L);
		assertThat(close(B, rejected)).containsExactly(0L);
	}

	/** A single number is a list of one element for the client of the test. */
	private List<Object> close(String owner, boolean rejected) {
		return run(Scripts.CLOSE, rejected, owner, "0");
	}

	private List<Object> run(NotifyingScript<?> script, boolean rejected, String owner, String... more) {
		String[] arguments = new String[4 + more.length];
		System.arraycopy(new String[] { owner, "" + RETENTION, "ns:inbox:", "" + GRANT_LEASE }, 0, arguments, 0, 4);
		System.arraycopy(more, 0, arguments, 4, more.length);
		return (rejected ? this.limited : redis).eval((rejected ? script.publishing() : script.returning()).text(),
				ScriptOutputType.MULTI, KEYS.all(), arguments);
	}

}
