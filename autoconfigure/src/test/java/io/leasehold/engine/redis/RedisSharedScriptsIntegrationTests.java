package io.leasehold.engine.redis;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

import io.leasehold.engine.Access;
import io.leasehold.engine.redis.connection.Script;
import io.lettuce.core.ScriptOutputType;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * The atomic steps of locks whose owners stand beside each other, and of what a key keeps
 * after its owner.
 */
class RedisSharedScriptsIntegrationTests extends RedisScripts {

	private static final String READER_A = A + "#s,0,0";

	private static final String READER_B = B + "#s,0,0";

	private static final String READER_C = C + "#s,0,0";

	private static final long MIN_HOLD = 5000;

	private static String permit(String owner, int permits) {
		return owner + "#" + permits + ",0,0";
	}

	/** Let the lease of a holder end. */
	private static void expire(String claim) {
		redis.zadd(KEYS.holders(), serverMicros() / 1000.0 - 1, claim);
	}

	@Test
	void readersStandBesideEachOtherWithNumbersThatGrow() {
		long first = granted(acquire(READER_A, LEASE, ""));
		long second = granted(acquire(READER_B, LEASE, ""));
		assertThat(second).isGreaterThan(first);
		assertThat(redis.zrange(KEYS.holders(), 0, -1)).containsExactlyInAnyOrder(READER_A, READER_B);
		assertThat(redis.hgetall(KEYS.numbers())).containsEntry(READER_A, "" + first)
			.containsEntry(READER_B, "" + second);
		assertThat(redis.exists(KEYS.lock(), KEYS.queue())).isZero();
	}

	@Test
	void writerWaitsForAllReadersAndReadersForTheWriter() {
		granted(acquire(READER_A, LEASE, ""));
		granted(acquire(READER_B, LEASE, ""));
		busy(acquire(C, LEASE, ""));
		assertThat(close(READER_A)).isOne();
		busy(acquire(C, LEASE, ""));
		assertThat(close(READER_B)).isOne();
		assertThat(redis.exists(KEYS.holders(), KEYS.numbers())).isZero();
		granted(acquire(C, LEASE, ""));
		busy(acquire(READER_A, LEASE, ""));
	}

	@Test
	void holdersLiveAsLongAsTheLastOfThem() {
		granted(acquire(READER_A, 60_000, ""));
		granted(acquire(READER_B, LEASE, ""));
		assertThat(redis.pttl(KEYS.holders())).isCloseTo(60_000L, within(gone()));
		assertThat(redis.pttl(KEYS.numbers())).isCloseTo(60_000L, within(gone()));
	}

	@Test
	void repeatedRequestOfAReaderFindsItsGrantAndRaisesItsLease() {
		long number = granted(acquire(READER_A, 5000, ""));
		assertThat(granted(acquire(READER_A, LEASE, ""))).isEqualTo(number);
		double till = redis.zscore(KEYS.holders(), READER_A);
		assertThat(till).isCloseTo(serverMicros() / 1000.0 + LEASE, within((double) gone()));
		granted(acquire(READER_A, 1000, ""));
		assertThat(redis.zscore(KEYS.holders(), READER_A)).isEqualTo(till);
		assertThat(redis.zcard(KEYS.holders())).isOne();
	}

	@Test
	void repeatedRequestTakesNoSecondPermit() {
		granted(acquire(permit(A, 2), LEASE, "+"));
		granted(acquire(permit(A, 2), LEASE, "+"));
		granted(acquire(permit(B, 2), LEASE, ""));
		busy(acquire(permit(C, 2), LEASE, ""));
	}

	@Test
	void busyTellsTheGreatestFenceAndTheFirstEnd() {
		granted(acquire(READER_A, LEASE, ""));
		long second = granted(acquire(READER_B, 60_000, ""));
		List<Object> response = acquire(C, LEASE, "");
		assertThat(response).element(1).isEqualTo("" + second);
		assertThat((Long) response.get(2)).isCloseTo(LEASE, within(gone()));
	}

	@Test
	void expiredHolderIsNoHolder() {
		granted(acquire(READER_A, LEASE, ""));
		granted(acquire(READER_B, LEASE, ""));
		expire(READER_A);
		expire(READER_B);
		long number = granted(acquire(C, LEASE, ""));
		assertThat(redis.get(KEYS.lock())).isEqualTo(number + ":" + C);
		assertThat(redis.exists(KEYS.holders(), KEYS.numbers())).isZero();
	}

	@Test
	void readerDoesNotPassAWriterThatWaits() {
		granted(acquire(READER_A, LEASE, ""));
		busy(acquire(B, LEASE, "-"));
		busy(acquire(READER_C, LEASE, ""));
		busy(acquire(READER_C, LEASE, "-"));
		close(READER_A);
		assertThat(redis.get(KEYS.lock())).contains(":" + B);
	}

	@Test
	void readerKeepsItsPlaceBehindAWriterThatIsDead() {
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "+"));
		busy(acquire(READER_C, LEASE, "-"));
		String last = "d@h:4:0/main/4";
		busy(acquire(last, LEASE, "-"));
		assertThat(close(A)).isOne();
		assertThat(redis.exists(KEYS.lock())).isZero();
		assertThat(redis.hkeys(KEYS.numbers())).containsExactly(READER_C);
		close(READER_C);
		assertThat(redis.get(KEYS.lock())).contains(":" + last);
	}

	@Test
	void readersBehindAWriterThatGivesUpAreLetIn() throws Exception {
		BlockingQueue<String> inboxC = subscribe("c@h:3:0");
		granted(acquire(READER_A, LEASE, ""));
		busy(acquire(B, LEASE, "-"));
		busy(acquire(READER_C, LEASE, "+"));
		assertThat(close(B)).isZero();
		assertThat(inboxC.poll(1, TimeUnit.MINUTES))
			.isEqualTo(redis.hget(KEYS.numbers(), READER_C) + ":" + READER_C + " " + KEYS.lock());
	}

	@Test
	void allReadersAtTheHeadAreGrantedTogetherAndNoneBehindTheNextWriter() throws Exception {
		BlockingQueue<String> inboxB = subscribe("b@h:2:0");
		BlockingQueue<String> inboxC = subscribe("c@h:3:0");
		granted(acquire(A, LEASE, ""));
		busy(acquire(READER_B, LEASE, "+"));
		busy(acquire(READER_C, LEASE, "+"));
		busy(acquire("d@h:4:0/main/4", LEASE, "-"));
		busy(acquire("e@h:5:0/main/5#s,0,0", LEASE, "-"));
		close(A);
		assertThat(inboxB.poll(1, TimeUnit.MINUTES)).contains(READER_B);
		assertThat(inboxC.poll(1, TimeUnit.MINUTES)).contains(READER_C);
		assertThat(redis.zrange(KEYS.holders(), 0, -1)).containsExactlyInAnyOrder(READER_B, READER_C);
		assertThat(redis.zcard(KEYS.queue())).isEqualTo(2);
	}

	@Test
	void readerThatIsDeadIsSkippedAndTakesNoPlace() {
		granted(acquire(A, LEASE, ""));
		busy(acquire(permit(B, 1), LEASE, "+"));
		busy(acquire(permit(C, 1), LEASE, "-"));
		close(A);
		assertThat(redis.zrange(KEYS.holders(), 0, -1)).containsExactly(permit(C, 1));
		assertThat(redis.hgetall(KEYS.numbers())).containsOnlyKeys(permit(C, 1));
	}

	@Test
	void readerWhosePollServesTheQueueTakesThoseBehindAlong() {
		granted(acquire(A, LEASE, ""));
		busy(acquire(READER_B, LEASE, "-"));
		busy(acquire(READER_C, LEASE, "-"));
		redis.del(KEYS.lock());
		granted(acquire(READER_B, GRANT_LEASE, "-"));
		assertThat(redis.zcard(KEYS.holders())).isEqualTo(2);
		assertThat(redis.exists(KEYS.queue())).isZero();
	}

	@Test
	void permitsAreCounted() {
		granted(acquire(permit(A, 2), LEASE, ""));
		granted(acquire(permit(B, 2), LEASE, ""));
		busy(acquire(permit(C, 2), LEASE, "-"));
		busy(acquire(READER_A, LEASE, ""));
		assertThat(close(permit(A, 2))).isOne();
		assertThat(redis.zrange(KEYS.holders(), 0, -1)).containsExactlyInAnyOrder(permit(B, 2), permit(C, 2));
	}

	@Test
	void anotherNumberOfPermitsIsReportedAndLeavesTheQueue() {
		granted(acquire(A, LEASE, ""));
		busy(acquire(permit(B, 2), LEASE, "-"));
		busy(acquire(permit(C, 3), LEASE, "-"));
		busy(acquire("d@h:4:0/main/4#2,0,0", LEASE, "-"));
		close(A);
		assertThat(redis.zrange(KEYS.holders(), 0, -1)).containsExactly(permit(B, 2));
		assertThat(acquire(permit(C, 3), GRANT_LEASE, "-")).containsExactly("differs", "2");
		assertThat(redis.exists(KEYS.queue())).isZero();
		assertThat(redis.zcard(KEYS.holders())).isEqualTo(2);
	}

	@Test
	void closeOfAnotherReaderEndsNoHold() {
		granted(acquire(READER_A, LEASE, ""));
		assertThat(close(READER_B)).isZero();
		assertThat(close(A)).isZero();
		assertThat(redis.zrange(KEYS.holders(), 0, -1)).containsExactly(READER_A);
	}

	@Test
	void renewalOfAReaderComparesClaimAndFenceAndNeverCreatesOrShortens() {
		long number = granted(acquire(READER_A, 5000, ""));
		assertThat(renewReader(number + ":" + READER_A, LEASE)).containsExactly(1L);
		double till = redis.zscore(KEYS.holders(), READER_A);
		assertThat(till).isCloseTo(serverMicros() / 1000.0 + LEASE, within((double) gone()));
		assertThat(redis.pttl(KEYS.numbers())).isCloseTo(LEASE, within(gone()));
		assertThat(renewReader(number + ":" + READER_A, 1000)).containsExactly(1L);
		assertThat(redis.zscore(KEYS.holders(), READER_A)).isEqualTo(till);
		assertThat(renewReader((number - 1) + ":" + READER_A, 60_000)).containsExactly(0L);
		assertThat(renewReader(number + ":" + READER_B, 60_000)).containsExactly(0L);
		assertThat(redis.zrange(KEYS.holders(), 0, -1)).containsExactly(READER_A);
	}

	@Test
	void renewalDoesNotReviveAnExpiredReader() {
		long number = granted(acquire(READER_A, LEASE, ""));
		granted(acquire(READER_B, LEASE, ""));
		expire(READER_A);
		assertThat(renewReader(number + ":" + READER_A, LEASE)).containsExactly(0L);
		close(READER_B);
		granted(acquire(C, LEASE, ""));
	}

	@Test
	void oneScriptRenewsGrantsOfEveryAccess() {
		RedisKeys other = new RedisKeys("ns:{other}");
		long writer = granted(acquire(A, LEASE, ""));
		redis.zadd(other.holders(), serverMicros() / 1000.0 + 1000, READER_B);
		redis.hset(other.numbers(), READER_B, "7");
		List<Object> outcomes = redis.evalsha(load(Scripts.RENEW_EACH), ScriptOutputType.MULTI,
				new String[] { other.holders(), other.numbers(), other.number(), KEYS.lock() }, "7:" + READER_B,
				"" + LEASE, writer + ":" + A, "60000");
		assertThat(outcomes).containsExactly(1L, 1L);
		assertThat(redis.pttl(KEYS.lock())).isCloseTo(60_000L, within(gone()));
		assertThat(redis.pttl(other.holders())).isCloseTo(LEASE, within(gone()));
	}

	@Test
	void releasedKeyStaysClosedForItsMinHold() {
		granted(acquire(A + "#x," + MIN_HOLD + ",0", LEASE, ""));
		busy(acquire(B, LEASE, "-"));
		assertThat(close(A + "#x," + MIN_HOLD + ",0")).isOne();
		assertThat(redis.pttl(KEYS.lock())).isBetween(MIN_HOLD - gone(), MIN_HOLD);
		List<Object> response = acquire(B, GRANT_LEASE, "-");
		assertThat((Long) response.get(2)).isBetween(MIN_HOLD - gone(), MIN_HOLD);
		assertThat(close(A + "#x," + MIN_HOLD + ",0")).isZero();
		busy(acquire(B, GRANT_LEASE, "-"));
		redis.del(KEYS.lock());
		granted(acquire(B, GRANT_LEASE, "-"));
	}

	@Test
	void storeKeepsAnOrphanToTheEndOfItsMinHold() {
		granted(acquire(A + "#x,60000,0", LEASE, ""));
		assertThat(redis.pttl(KEYS.lock())).isCloseTo(60_000L, within(gone()));
	}

	@Test
	void minHoldIsNoLongerThanItselfWhenTheServersClockWentBack() {
		redis.set(KEYS.number(), "" + (serverMicros() + 1_000_000_000L));
		granted(acquire(A + "#x," + MIN_HOLD + ",0", LEASE, ""));
		close(A + "#x," + MIN_HOLD + ",0");
		assertThat(redis.pttl(KEYS.lock())).isBetween(1L, MIN_HOLD);
	}

	@Test
	void permitStaysTakenForItsMinHold() {
		String first = A + "#1," + MIN_HOLD + ",0";
		long number = granted(acquire(first, LEASE, ""));
		assertThat(close(first)).isOne();
		assertThat(redis.zrange(KEYS.holders(), 0, -1)).containsExactly("#1," + number);
		assertThat(redis.pttl(KEYS.holders())).isBetween(1L, MIN_HOLD);
		assertThat(redis.pttl(KEYS.numbers())).isBetween(1L, MIN_HOLD);
		busy(acquire(permit(B, 1), LEASE, ""));
		expire("#1," + number);
		granted(acquire(permit(B, 1), LEASE, ""));
	}

	@Test
	void forcedReleaseEndsAllButTheirMinHold() {
		long first = granted(acquire(READER_A, LEASE, ""));
		long second = granted(acquire(B + "#s," + MIN_HOLD + ",0", 60_000, ""));
		busy(acquire(C, LEASE, "-"));
		assertThat(operate(Scripts.FORCE.publishing())).contains(first + ":" + READER_A,
				second + ":" + B + "#s," + MIN_HOLD + ",0");
		assertThat(redis.zrange(KEYS.holders(), 0, -1)).containsExactly("#s," + second);
		double end = redis.zscore(KEYS.holders(), "#s," + second);
		operate(Scripts.FORCE.publishing());
		assertThat(redis.zscore(KEYS.holders(), "#s," + second)).isEqualTo(end);
		expire("#s," + second);
		operate(Scripts.FORCE.publishing());
		assertThat(redis.get(KEYS.lock())).contains(":" + C);
	}

	@Test
	void inspectionShowsHoldersAndForgetsThoseThatAreOver() {
		long first = granted(acquire(READER_A, LEASE, ""));
		granted(acquire(READER_B, LEASE, ""));
		expire(READER_B);
		List<Object> grants = operate(Scripts.INSPECT);
		assertThat(grants).hasSize(2).element(0).isEqualTo(first + ":" + READER_A);
		assertThat((Long) grants.get(1)).isCloseTo(LEASE, within(gone()));
	}

	@Test
	void everyKeyHasALifetime() {
		granted(acquire(READER_A, LEASE, ""));
		granted(acquire(B + "#s," + MIN_HOLD + ",0", LEASE, ""));
		busy(acquire(C, LEASE, "-"));
		close(READER_A);
		close(B + "#s," + MIN_HOLD + ",0");
		assertThat(redis.keys("*")).hasSize(4).allSatisfy((name) -> assertThat(redis.pttl(name)).isPositive());
	}

	@Test
	void scriptsCallFewCommands() throws Exception {
		acquire(A, LEASE, "+");
		close(A);
		assertThat(calls(() -> acquire(A, LEASE, "+"))).isEqualTo(4);
		assertThat(calls(() -> close(A))).isEqualTo(2);
		assertThat(calls(() -> acquire(READER_A, LEASE, "+"))).isEqualTo(9);
		close(READER_A);
		for (int waiters : List.of(1, 20)) {
			acquire(A, LEASE, "");
			for (int i = 0; i < waiters; i++) {
				acquire("w@h:" + i + ":0/main/1", LEASE, "*");
			}
			assertThat(calls(() -> close(A))).isEqualTo(7);
			redis.flushall();
		}
	}

	private static int calls(Runnable step) throws IOException {
		try (CommandLog log = CommandLog.start(server.port())) {
			step.run();
			return log.calls(redis).size();
		}
	}

	private static List<Object> renewReader(String grant, long ms) {
		return renew(Access.SHARED, grant, ms);
	}

	private static List<Object> operate(Script<?> script) {
		return redis.evalsha(load(script), ScriptOutputType.MULTI, KEYS.all(), "", "" + RETENTION, "ns:inbox:", "");
	}

}
