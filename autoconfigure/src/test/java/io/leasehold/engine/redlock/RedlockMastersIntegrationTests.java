package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.leasehold.LockEngineException;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.redlock.RedlockCluster.Process;
import io.leasehold.server.FaultProxy;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import io.leasehold.test.contract.Parallel;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

/**
 * Three and five masters, some of which are down, slow, restarted, or cut off from some
 * processes.
 */
@Tag("full")
class RedlockMastersIntegrationTests {

	@AutoClose
	private static final RedlockTestMasters MASTERS = RedlockTestMasters.start(5);

	@AutoClose
	private final RedlockCluster cluster = new RedlockCluster(MASTERS);

	@Fault(27)
	@ParameterizedTest
	@ValueSource(ints = { 3, 5 })
	void minorityThatIsDownIsNotNeeded(int number) {
		Process one = this.cluster.process(number);
		Process other = this.cluster.process(number);
		for (int i = 0; i < number / 2; i++) {
			one.cut(i);
			other.cut(i);
		}
		Claim claim = one.claim("k");
		Granted granted = one.granted(claim);
		assertThat(this.cluster.holding("k")).isEqualTo(number / 2 + 1);
		assertThat(other.tryAcquire("k")).isInstanceOf(Busy.class);
		assertThat(one.renew(claim, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(other.engine().inspect(claim.key())).extracting(Holder::number).containsExactly(granted.number());
		assertThat(one.engine().release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(other.number("k")).isGreaterThan(granted.number());
		assertThat(MASTERS.residue(this.cluster.namespace())).isEmpty();
	}

	/** Only the first request waits for the response, until the command timeout. */
	@Fault(27)
	@Test
	void slowMinorityDelaysNothingOnceItIsKnownToBeSlow() {
		Process one = this.cluster.process(3);
		one.network().get(1).blackHole();
		one.number("k");
		Pace pace = Pace.begin();
		for (int i = 0; i < 20; i++) {
			Claim claim = one.claim("k");
			Granted granted = one.granted(claim);
			assertThat(one.renew(claim, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(one.engine().release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		}
		assertThat(pace.elapsed()).isLessThan(pace.slack(RedlockOpener.COMMAND_TIMEOUT.multipliedBy(8)));
		one.network().get(1).heal();
		await().until(() -> this.cluster.holding("k") == 0);
		assertThat(one.tryAcquire("k")).isInstanceOf(Granted.class);
	}

	/**
	 * The lock is held at a bare majority, of which one restarts empty: together with the
	 * third it would be another majority, so it does not count until the longest lease is
	 * over. Its next renewal notifies the holder.
	 */
	@Fault(27)
	@Test
	void masterThatRestartedEmptyDoesNotCountUntilTheLongestLeaseIsOver() {
		Duration restartDelay = Duration.ofSeconds(8);
		Process one = counting(restartDelay);
		Process other = counting(restartDelay);
		one.cut(2);
		Claim claim = one.claim("k", restartDelay);
		Granted granted = one.granted(claim);
		Pace held = Pace.begin();
		MASTERS.server(1).restartEmpty();
		assertThat(await().until(() -> other.tryAcquire("k"), (outcome) -> true)).isInstanceOf(Busy.class);
		one.heal(2);
		await().until(() -> one.renew(claim, granted) instanceof RenewalOutcome.NotOwner);
		await().until(() -> other.tryAcquire("k") instanceof Granted);
		assertThat(held.elapsed()).isGreaterThan(restartDelay.minusMillis(200));
	}

	/** A process of three masters, which were started long enough ago. */
	private Process counting(Duration restartDelay) {
		Process process = this.cluster.process(3, restartDelay);
		await().ignoreExceptions().until(() -> process.number("counts") > 0);
		return process;
	}

	@Fault(27)
	@Test
	void withoutAMajorityNothingIsGrantedAndNothingStays() {
		Process one = this.cluster.process(3);
		one.cut(0);
		one.cut(1);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> one.tryAcquire("k"))
			.withMessageContaining("Redlock could not acquire lock 'k': only 1 of 3 masters responded and count")
			.matches(LockEngineException::isRetryable);
		await().untilAsserted(() -> assertThat(MASTERS.residue(this.cluster.namespace())).isEmpty());
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> one.engine().inspect(one.claim("k").key()));
	}

	/** Both parts of a split network try to acquire. One of them has a majority. */
	@Fault(28)
	@Test
	void onlyTheMajorityOfASplitNetworkAcquiresAndTheOtherPartKeepsNothing() throws Exception {
		Process majority = this.cluster.process(5);
		Process minority = this.cluster.process(5);
		IntStream.of(3, 4).forEach(majority::cut);
		IntStream.of(0, 1, 2).forEach(minority::cut);
		Collection<Long> numbers = new ConcurrentLinkedQueue<>();
		Parallel.run(List.of(() -> {
			for (int i = 0; i < 20; i++) {
				numbers.add(majority.granted(majority.claim("key:" + i)).number());
			}
			return null;
		}, () -> {
			for (int i = 0; i < 20; i++) {
				String key = "key:" + i;
				assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> minority.tryAcquire(key));
			}
			return null;
		}));
		assertThat(numbers).hasSize(20);
		for (int i = 0; i < 20; i++) {
			String lock = this.cluster.names("key:" + i).lock();
			await().until(() -> MASTERS.operator(3).exists(lock) + MASTERS.operator(4).exists(lock) == 0);
			assertThat(this.cluster.holding("key:" + i)).isEqualTo(3);
		}
	}

	/** Each process has some votes, and withdraws them until one has a majority. */
	@Fault(28)
	@Test
	void splitVotesEndWithOneWinner() throws Exception {
		// With little time, all give up after a round that took long
		List<Process> racers = IntStream.range(0, 6)
			.mapToObj((i) -> this.cluster.process(5, Duration.ZERO, Duration.ofSeconds(20)))
			.toList();
		Collection<Integer> winners = new ConcurrentLinkedQueue<>();
		CyclicBarrier start = new CyclicBarrier(racers.size());
		List<Callable<Void>> runs = new ArrayList<>();
		for (Process racer : racers) {
			runs.add(() -> {
				for (int i = 0; i < 60; i++) {
					start.await(1, TimeUnit.MINUTES);
					if (racer.tryAcquire("race:" + i) instanceof Granted) {
						winners.add(i);
					}
				}
				return null;
			});
		}
		Parallel.run(runs);
		assertThat(winners).containsExactlyInAnyOrderElementsOf(IntStream.range(0, 60).boxed().toList());
	}

	/**
	 * Of the masters that know the last number, one restarts empty and the other is cut
	 * off.
	 */
	@Fault(27)
	@Test
	void numbersGrowThoughMastersRestartEmptyOneAfterAnother() {
		Process one = this.cluster.process(3);
		long last = 0;
		for (int i = 0; i < 6; i++) {
			one.cut(i % 3);
			long number = one.number("k");
			assertThat(number).isGreaterThan(last);
			last = number;
			one.heal(i % 3);
			MASTERS.server((i + 1) % 3).restartEmpty();
			connected(one);
		}
	}

	private void connected(Process process) {
		await().ignoreExceptions().untilAsserted(() -> {
			Claim claim = process.claim("connected");
			process.granted(claim);
			long holding = IntStream.range(0, 3)
				.filter((i) -> MASTERS.operator(i).exists(this.cluster.names("connected").lock()) == 1)
				.count();
			process.engine().release(claim);
			assertThat(holding).isEqualTo(3);
		});
	}

	/** A master that restarts with old data grants no old number. */
	@Test
	void numbersOfMastersBeginAtTheirStart() {
		Process one = this.cluster.process(3);
		long before = one.number("another");
		IntStream.range(0, 3).forEach((i) -> MASTERS.operator(i).set(this.cluster.names("k").number(), "10"));
		assertThat(one.number("k")).isCloseTo(before, within(3_600_000_000L));
	}

	@Test
	void greatestNumberIsKnownToAMajorityBeforeItIsGranted() {
		Process one = this.cluster.process(3);
		long first = one.number("k");
		MASTERS.operator(0).set(this.cluster.names("k").number(), Long.toString(first + 1_000_000));
		one.cut(2);
		long second = one.number("k");
		assertThat(second).isEqualTo(first + 1_000_001);
		one.heal(2);
		one.cut(0);
		await().ignoreExceptions().untilAsserted(() -> assertThat(one.number("k")).isGreaterThan(second));
	}

	/**
	 * The request arrives after the release of its claim, on connections that had broken.
	 */
	@Fault({ 10, 104 })
	@Test
	void requestsThatArriveAfterTheEndOfTheirClaimGrantNothing() {
		Process one = this.cluster.process(3);
		Claim claim = one.claim("k");
		List<FaultProxy.Valve> stranded = one.network().stream().map(FaultProxy::strandRequests).toList();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> one.engine().tryAcquire(claim));
		one.network().forEach(FaultProxy::reset);
		await().ignoreExceptions().until(() -> one.engine().release(claim), (outcome) -> true);
		stranded.forEach(FaultProxy.Valve::open);
		await().during(Duration.ofMillis(500)).until(() -> this.cluster.holding("k") == 0);
		Process other = this.cluster.process(3);
		assertThat(other.tryAcquire("k")).isInstanceOf(Granted.class);
	}

	/**
	 * The vote of the first round is withdrawn again on a new connection, and the next
	 * round needs the vote of this master.
	 */
	@Test
	void lateWithdrawalDoesNotRemoveAVoteOfALaterRound() {
		Process one = this.cluster.process(3);
		Process other = this.cluster.process(3);
		connected(one);
		one.cut(0);
		Claim claim = one.claim("k");
		CountDownLatch late = failedRoundWithALateWithdrawal(one, claim, 2);
		one.network().get(2).reset();
		await().ignoreExceptions().until(() -> one.engine().tryAcquire(claim) instanceof Granted);
		executeLate(late, 2);
		assertThat(other.tryAcquire("k")).isInstanceOf(Busy.class);
	}

	/**
	 * The next round is granted without the vote of this master, but a renewal counts the
	 * grant of the first round there.
	 */
	@Test
	void lateWithdrawalDoesNotRemoveARenewedGrant() {
		Process one = this.cluster.process(3);
		connected(one);
		one.cut(0);
		Claim claim = one.claim("k");
		CountDownLatch late = failedRoundWithALateWithdrawal(one, claim, 2);
		one.cut(2);
		one.heal(0);
		AtomicReference<Granted> granted = new AtomicReference<>();
		await().ignoreExceptions().until(() -> {
			granted.set(one.granted(claim));
			return true;
		});
		one.heal(2);
		one.cut(0);
		await().until(() -> one.renew(claim, granted.get()) instanceof RenewalOutcome.Renewed);
		executeLate(late, 2);
		assertThat(one.renew(claim, granted.get())).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	/**
	 * Request a lock without a majority. A master grants it, its response is lost, and
	 * the withdrawal does not arrive there until the result is counted down.
	 */
	private CountDownLatch failedRoundWithALateWithdrawal(Process process, Claim claim, int master) {
		FaultProxy network = process.network().get(master);
		AtomicInteger requests = new AtomicInteger();
		CountDownLatch late = new CountDownLatch(1);
		network.requests().beforeEach(() -> {
			if (requests.incrementAndGet() == 2) {
				await().atMost(RedlockCluster.LONG).until(() -> late.getCount() == 0);
			}
		});
		network.replies().drop();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> process.engine().tryAcquire(claim))
			.matches(LockEngineException::isRetryable);
		await().until(() -> requests.get() == 2);
		network.replies().open();
		return late;
	}

	private static void executeLate(CountDownLatch late, int master) {
		long before = MASTERS.scripts(master);
		late.countDown();
		await().until(() -> MASTERS.scripts(master) > before);
	}

	/**
	 * The release without a response is sent again with the next connection to that
	 * master.
	 */
	@Fault(27)
	@Test
	void lockIsReleasedAtAMasterThatDidNotReceiveItsRelease() {
		Process one = this.cluster.process(3);
		Claim claim = one.claim("k");
		one.granted(claim);
		await().until(() -> this.cluster.holding("k") == 3);
		one.network().get(2).requests().drop();
		assertThat(one.engine().release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(this.cluster.holding("k")).isOne();
		one.network().get(2).reset();
		one.heal(2);
		await().until(() -> {
			one.number("another");
			return this.cluster.holding("k") == 0;
		});
	}

	/** One request to each master to acquire, and one to release. */
	@Test
	void uncontendedLockIsOneScriptAtEachMasterToAcquireAndOneToRelease() {
		Process one = this.cluster.process(3);
		connected(one);
		one.number("k");
		one.number("k");
		long before = MASTERS.scripts(0);
		for (int i = 0; i < 10; i++) {
			one.number("k");
		}
		assertThat(MASTERS.scripts(0) - before).isEqualTo(20);
	}

	/** A lock whose lease is longer than the delay could be lost and granted twice. */
	@Test
	void leaseIsNoLongerThanTheRestartDelay() {
		Duration restartDelay = Duration.ofSeconds(8);
		Process one = counting(restartDelay);
		Claim claim = one.claim("k");
		Granted granted = one.granted(claim);
		assertThat(granted.validUntil() - System.nanoTime()).isLessThan(restartDelay.toNanos());
		assertThat(MASTERS.operator(0).pttl(this.cluster.names("k").lock()))
			.isLessThanOrEqualTo(restartDelay.toMillis());
		assertThat(one.renew(claim, granted)).isInstanceOfSatisfying(RenewalOutcome.Renewed.class,
				(renewed) -> assertThat(renewed.validUntil() - System.nanoTime()).isLessThan(restartDelay.toNanos()));
	}

}
