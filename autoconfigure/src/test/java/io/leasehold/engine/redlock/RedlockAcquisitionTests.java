package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.leasehold.LockEngineException;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.redis.ScriptedConnection;
import io.leasehold.engine.redlock.ScriptedMasters.Scripted;
import io.leasehold.test.contract.Pace;
import org.junit.jupiter.api.Test;

import static io.leasehold.engine.redlock.ScriptedMasters.NO_RESPONSE;
import static io.leasehold.engine.redlock.ScriptedMasters.later;
import static io.leasehold.engine.redlock.ScriptedMasters.response;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link Acquisition} and {@link Ending}, with responses that the test decides.
 */
class RedlockAcquisitionTests extends RedlockVotesFixture {

	private static final Duration POLL = Duration.ofMillis(200);

	/** Of the engine's requests. */
	private static final Duration TIMEOUT = Duration.ofMinutes(1);

	private final Pace began = Pace.begin();

	@Test
	void majorityThatAgreesOnANumberGrantsTheLock() {
		busy(2, "another", 10_000);
		assertThat(granted(this.engine.tryAcquire(this.claim))).isEqualTo(7);
		assertThat(sent(Scripts.ACQUIRE)).containsExactly(1, 1, 1);
		assertThat(sent(Scripts.NUMBER)).containsExactly(0, 0, 0);
		assertThat(sent(Scripts.RELEASE)).containsExactly(0, 0, 0);
	}

	/** Else the next majority might give the number again. */
	@Test
	void greatestOfDifferentNumbersIsWrittenToAMajority() {
		numbers(5, 9, 6);
		assertThat(granted(this.engine.tryAcquire(this.claim))).isEqualTo(9);
		assertThat(this.masters.get(0).requests(Scripts.NUMBER)).singleElement()
			.extracting((request) -> request.arguments().subList(0, 2))
			.isEqualTo(List.of(this.claim.owner().token(), "9"));
	}

	/**
	 * Another reader may have the number, or the grant has ended: the next round decides.
	 */
	@Test
	void numberThatAMajorityRejectsBeginsAnotherRound() {
		numbers(5, 9, 6);
		this.masters.get(0).on(Scripts.NUMBER, (request) -> response(0L));
		this.masters.get(1).on(Scripts.NUMBER, (request) -> {
			numbers(12, 12, 12);
			return response(0L);
		});
		assertThat(granted(this.engine.tryAcquire(this.claim))).isEqualTo(12);
		assertThat(sent(Scripts.ACQUIRE)).containsExactly(2, 2, 2);
		assertThat(sent(Scripts.RELEASE)).as("the first round is withdrawn").containsExactly(1, 1, 1);
	}

	@Test
	void lockOfAnotherMajorityIsBusyAtOnceAndItsVotesAreWithdrawn() {
		busy(0, "another", 10_000);
		busy(1, "another", 10_000);
		assertThat(this.engine.tryAcquire(this.claim)).isInstanceOf(Busy.class);
		assertThat(sent(Scripts.ACQUIRE)).containsExactly(1, 1, 1);
		assertThat(sent(Scripts.RELEASE)).as("only where it was granted").containsExactly(0, 0, 1);
		assertThat(this.engine.liveClaims()).isZero();
	}

	@Test
	void waitingClaimIsRememberedWhileItIsBusy() {
		busy(0, "another", 10_000);
		busy(1, "another", 10_000);
		assertThat(this.engine.tryAcquire(this.masters.claim("k", true))).isInstanceOf(Busy.class);
		assertThat(this.engine.liveClaims()).isOne();
		assertThat(Long.parseLong(this.masters.get(0).requests(Scripts.ACQUIRE).get(0).arguments().get(7)))
			.as("lifetime of its marks")
			.isGreaterThan(60_000);
	}

	/** The master rejects the withdrawal, which is repeated until it is accepted. */
	@Test
	void withdrawalOfABusyClaimIsNotSentAfterItsNextRequest() {
		Scripted third = this.masters.get(2);
		Claim waiting = this.masters.claim("k", true);
		busy(0, "another", 10_000);
		busy(1, "another", 10_000);
		third.on(Scripts.RELEASE, (request) -> ScriptedConnection.refusal("BUSY a script is running"));
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
		this.masters.get(0).on(Scripts.ACQUIRE, (request) -> response(List.of("granted", "7")));
		AtomicInteger late = new AtomicInteger();
		third.on(Scripts.ACQUIRE, (request) -> {
			third.on(Scripts.RELEASE, (release) -> response(List.of((long) late.incrementAndGet(), 0L)));
			return response(List.of("granted", "7"));
		});
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(Granted.class);
		third.disconnect();
		// By a new connection, which sends pending withdrawals
		this.engine.checkMasters();
		assertThat(late).hasValue(0);
	}

	/** Three claims with a vote each, until one of the others withdraws. */
	@Test
	void splitVotesAreRepeatedUntilTheyHaveAMajority() {
		busy(0, "one", 10_000);
		AtomicInteger rounds = new AtomicInteger();
		this.masters.get(1).on(Scripts.ACQUIRE, (request) -> {
			if (rounds.incrementAndGet() == 4) {
				return response(List.of("granted", "7"));
			}
			return response(List.of("busy", "another", "10000"));
		});
		assertThat(granted(this.engine.tryAcquire(this.claim))).isEqualTo(7);
		assertThat(sent(Scripts.ACQUIRE)).containsExactly(4, 4, 4);
		assertThat(sent(Scripts.RELEASE)).containsExactly(0, 0, 3);
	}

	@Test
	void votesThatStaySplitAreBusyAfterTenRounds() {
		busy(0, "one", 10_000);
		busy(1, "another", 10_000);
		assertThat(roundsUntilBusy()).isEqualTo(10);
	}

	/**
	 * Return the number of rounds of one attempt. On a machine that stalls, a long round
	 * may leave no time for the next one: then the attempt is repeated.
	 */
	private int roundsUntilBusy() {
		int rounds = 0;
		for (int attempt = 0; attempt < 5 && rounds < 10; attempt++) {
			int before = sent(Scripts.ACQUIRE).get(0);
			assertThat(this.engine.tryAcquire(this.claim)).isInstanceOf(Busy.class);
			rounds = sent(Scripts.ACQUIRE).get(0) - before;
		}
		assertThat(sent(Scripts.ACQUIRE)).as("each master gets each request")
			.hasSize(3)
			.containsOnly(sent(Scripts.ACQUIRE).get(0));
		return rounds;
	}

	/** With the third, either claim may have a majority. */
	@Test
	void rivalThatMayHaveAMajorityWithAMissingResponseIsBusy() {
		busy(0, "another", 10_000);
		this.masters.get(2).on(Scripts.ACQUIRE, (request) -> ScriptedMasters.lost());
		assertThat(this.engine.tryAcquire(this.claim)).isInstanceOf(Busy.class);
		assertThat(sent(Scripts.ACQUIRE)).containsExactly(1, 1, 1);
		assertThat(sent(Scripts.RELEASE)).as("also where no response came").containsExactly(0, 1, 1);
	}

	@Test
	void withoutAMajorityOfResponsesNothingIsGrantedOrBusy() {
		this.masters.get(1).on(Scripts.ACQUIRE, (request) -> ScriptedMasters.lost());
		this.masters.get(2).on(Scripts.ACQUIRE, (request) -> ScriptedMasters.lost());
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.engine.tryAcquire(this.claim))
			.withMessageContaining("only 1 of 3 masters responded and count");
		assertThat(sent(Scripts.RELEASE)).containsExactly(1, 1, 1);
	}

	@Test
	void endedClaimHasNoVote() {
		IntStream.range(0, 3)
			.forEach((i) -> this.masters.get(i).on(Scripts.ACQUIRE, (request) -> response(List.of("ended"))));
		assertThat(this.engine.tryAcquire(this.claim)).isInstanceOf(Busy.class);
	}

	/** Two numbers differ, so half of the time is left to write one of them. */
	@Test
	void silentMasterLeavesTimeToWriteTheNumber() {
		open(Duration.ofSeconds(8));
		numbers(5, 9, 6);
		this.masters.get(2).on(Scripts.ACQUIRE, (request) -> NO_RESPONSE);
		for (int i = 0; i < 3; i++) {
			this.masters.get(i).on(Scripts.NUMBER, (request) -> later(1L));
		}
		assertThat(granted(this.engine.tryAcquire(this.claim))).isEqualTo(9);
		assertThat(sent(Scripts.NUMBER)).containsExactly(1, 1, 1);
	}

	@Test
	void masterThatUsuallyRespondsIsAwaitedBeforeANumberIsWritten() {
		numbers(5, 9, 0);
		this.masters.get(2).on(Scripts.ACQUIRE, (request) -> later(List.of("granted", "9")));
		assertThat(granted(this.engine.tryAcquire(this.claim))).isEqualTo(9);
		assertThat(sent(Scripts.NUMBER)).as("a majority has given the same number").containsExactly(0, 0, 0);
	}

	@Test
	void twoOfThreeMastersSufficeToWriteTheNumber() {
		numbers(5, 9, 6);
		this.masters.get(1).on(Scripts.NUMBER, (request) -> later(1L));
		this.masters.get(2).on(Scripts.NUMBER, (request) -> NO_RESPONSE);
		assertThat(granted(this.engine.tryAcquire(this.claim))).isEqualTo(9);
		assertThat(sent(Scripts.ACQUIRE)).as("in one round").containsExactly(1, 1, 1);
		assertThat(this.began.elapsed()).as("without the third").isLessThan(TIMEOUT);
	}

	@Test
	void silentMasterIsNotAwaitedIfAnotherClaimHasAMajority() {
		busy(0, "another", 10_000);
		busy(1, "another", 10_000);
		this.masters.get(2).on(Scripts.ACQUIRE, (request) -> NO_RESPONSE);
		assertThat(this.engine.tryAcquire(this.claim)).isInstanceOf(Busy.class);
		assertThat(this.began.elapsed()).isLessThan(TIMEOUT);
	}

	@Test
	void lateMasterIsAwaitedIfItDecides() {
		makeLate(2);
		busy(1, "another", 10_000);
		this.masters.get(2).on(Scripts.ACQUIRE, (request) -> later(List.of("granted", "7")));
		assertThat(granted(this.engine.tryAcquire(this.claim))).isEqualTo(7);
	}

	@Test
	void lateMasterIsNotAwaitedIfItCannotDecide() {
		makeLate(2);
		busy(0, "one", 10_000);
		busy(1, "another", 10_000);
		this.masters.get(2).on(Scripts.ACQUIRE, (request) -> NO_RESPONSE);
		assertThat(this.engine.tryAcquire(this.claim)).isInstanceOf(Busy.class);
		assertThat(this.began.elapsed()).isLessThan(TIMEOUT);
	}

	private void makeLate(int master) {
		this.masters.get(master).on(Scripts.ACQUIRE, (request) -> ScriptedMasters.lost());
		Claim other = this.masters.claim("other");
		this.masters.get(master).on(Scripts.RELEASE, (request) -> ScriptedMasters.lost());
		this.engine.tryAcquire(other);
	}

	@Test
	void nextPollIsAfterTheLeaseOrInGrowingIntervals() {
		Claim waiting = this.masters.claim("k", true);
		for (int part : new int[] { 8, 4, 2, 1, 1 }) {
			busyFor(200);
			assertThat(retryIn(waiting)).isBetween(POLL.dividedBy(2 * part), POLL.dividedBy(part));
		}
		busyFor(30);
		assertThat(retryIn(waiting)).isEqualTo(Duration.ofMillis(35));
		busyFor(0);
		assertThat(retryIn(waiting)).isEqualTo(Duration.ofMillis(5));
		busyFor(-10);
		assertThat(retryIn(waiting)).isEqualTo(Duration.ofMillis(5));
		busyFor(199);
		assertThat(retryIn(waiting)).as("half of the interval at least").isBetween(POLL.dividedBy(2), POLL);
	}

	private void open(Duration commandTimeout) {
		this.engine.close();
		this.engine = this.masters.engine(RedlockOpener.settings("ns", Duration.ZERO, commandTimeout));
		connect();
	}

	private void numbers(int... numbers) {
		IntStream.range(0, numbers.length)
			.forEach((i) -> this.masters.get(i)
				.on(Scripts.ACQUIRE, (request) -> response(List.of("granted", Integer.toString(numbers[i])))));
	}

	private void busy(int master, String rival, long millis) {
		this.masters.get(master)
			.on(Scripts.ACQUIRE, (request) -> response(List.of("busy", rival, Long.toString(millis))));
	}

	private void busyFor(long millis) {
		busy(0, "another", millis);
		busy(1, "another", millis);
		busy(2, "another", millis);
	}

	private Duration retryIn(Claim waiting) {
		AcquisitionOutcome outcome = this.engine.tryAcquire(waiting);
		assertThat(outcome).isInstanceOf(Busy.class);
		return ((Busy) outcome).retryIn();
	}

	private static long granted(AcquisitionOutcome outcome) {
		assertThat(outcome).isInstanceOf(Granted.class);
		return ((Granted) outcome).number();
	}

}
