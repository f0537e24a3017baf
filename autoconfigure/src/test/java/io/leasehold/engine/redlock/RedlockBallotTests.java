package io.leasehold.engine.redlock;

import java.util.concurrent.ConcurrentHashMap;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.support.Deadlines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Ballot} and {@link Masters}, with responses that the test decides.
 */
class RedlockBallotTests {

	private final List<Master> all = IntStream.range(0, 3)
		.mapToObj((i) -> new Master(new Node("m" + i, 1), null, null, RedlockOpener.settings("ns"), null,
				new ConcurrentHashMap<>()))
		.toList();

	private final Masters masters = new Masters(this.all);

	private final Map<Master, CompletableFuture<Long>> requests = new HashMap<>();

	@Test
	void majorityIsMoreThanHalf() {
		assertThat(this.masters.size()).isEqualTo(3);
		assertThat(this.masters.majority()).isEqualTo(2);
		assertThat(new Masters(this.all.subList(0, 1)).majority()).isEqualTo(1);
	}

	@Test
	void responsesAreCountedUntilAllMastersHaveResponded() {
		Ballot<Long> ballot = ask();
		assertThat(ballot.isComplete()).isFalse();
		assertThat(ballot.open()).isEqualTo(3);
		respond(0, 7);
		fail(1);
		assertThat(ballot.isComplete()).isFalse();
		assertThat(ballot.open()).isOne();
		assertThat(ballot.size()).isOne();
		assertThat(this.masters.hasResponses(ballot)).isFalse();
		respond(2, 8);
		assertThat(ballot.isComplete()).isTrue();
		assertThat(ballot.responses()).containsExactly(7L, 8L);
		assertThat(ballot.response(this.all.get(0))).isEqualTo(7);
		assertThat(ballot.response(this.all.get(1))).isNull();
		assertThat(this.masters.hasResponses(ballot)).isTrue();
		assertThat(this.masters.requireMajority(ballot)).isSameAs(ballot);
	}

	@Test
	void completeBallotWithoutAMajorityGetsNoResponse() {
		Ballot<Long> ballot = ask();
		respond(0, 7);
		fail(1);
		fail(2);
		assertThat(ballot.isComplete()).isTrue();
		assertThat(this.masters.hasResponses(ballot)).isFalse();
		assertThatExceptionOfType(RedisFailure.class).isThrownBy(() -> this.masters.requireMajority(ballot))
			.withMessageContaining("only 1 of 3 masters responded and count (m1:1: broken; m2:1: broken)");
	}

	/** A minority of masters cannot help to acquire the lock. */
	@ParameterizedTest
	@CsvSource({ "NOPERM,NOPERM,false,NOPERM", "LOADING,NOPERM,true,LOADING", "RESTARTED,RESTARTED,true,RESTARTED",
			"NOPERM,,true,", ",,true," })
	void rejectionsByAMajorityAreARejection(String second, String third, boolean retryable, String code) {
		Ballot<Long> ballot = ask();
		respond(0, 7);
		fail(1, second);
		fail(2, third);
		LockEngineException failure = ballot.failure(3).toEngineException("Redlock", "acquire", new LockKey("k"));
		assertThat(failure.isRetryable()).isEqualTo(retryable);
		assertThat(failure.refusal()).isEqualTo(code);
	}

	@Test
	void mastersThatMissTheDeadlineAreNotAwaitedAgain() {
		Ballot<Long> ballot = ask();
		respond(0, 7);
		respond(1, 8);
		await().until(() -> { // a pause may outlast the deadline before the wait begins
			ballot.await(Deadlines.after(Duration.ofMillis(20)));
			return this.all.get(2).isLate();
		});
		assertThat(this.all).extracting(Master::isLate).containsExactly(false, false, true);
		assertThat(ballot.failure(3)).hasMessageContaining("m2:1: no response in time");
		Ballot<Long> next = ask();
		respond(0, 7);
		assertThat(next.isComplete()).isFalse();
		respond(1, 8);
		assertThat(next.isComplete()).isTrue();
		assertThat(this.masters.hasResponses(next)).isTrue();
		assertThat(next.await(Deadlines.after(Duration.ofMinutes(1))).open()).as("at once").isOne();
	}

	@Test
	void mastersAreNotLateIfTheDeadlineHadPassedBefore() {
		ask().await(System.nanoTime() - 1);
		assertThat(this.all).noneMatch(Master::isLate);
	}

	@Test
	void decisionEndsTheWait() {
		Ballot<Long> ballot = Ballot.hold(this.all, this::request, (each) -> each.size() == 1);
		respond(1, 7);
		assertThat(ballot.await(Deadlines.after(Duration.ofMinutes(1))).responses()).containsExactly(7L);
		assertThat(this.all).noneMatch(Master::isLate);
	}

	/** Although the decision is never positive. */
	@Test
	void lastResponseEndsTheWait() {
		Ballot<Long> ballot = Ballot.hold(this.all, this::request, (each) -> false);
		IntStream.range(0, 3).forEach(this::fail);
		assertThat(ballot.await(Deadlines.after(Duration.ofMinutes(1))).open()).isZero();
	}

	private Ballot<Long> ask() {
		return this.masters.ask(this::request, this.masters::hasResponses);
	}

	private CompletableFuture<Long> request(Master master) {
		CompletableFuture<Long> request = new CompletableFuture<>();
		this.requests.put(master, request);
		return request;
	}

	private void respond(int master, long response) {
		this.requests.get(this.all.get(master)).complete(response);
	}

	private void fail(int master) {
		fail(master, null);
	}

	private void fail(int master, String rejection) {
		this.requests.get(this.all.get(master))
			.completeExceptionally((rejection != null) ? RedisFailure.refusal(rejection + " rejected", null)
					: RedisFailure.noResponse("broken", null));
	}

}
