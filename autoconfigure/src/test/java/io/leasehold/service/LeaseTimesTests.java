package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.event.LockEvent;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * When a lease is valid, and when it is renewed, to the nanosecond.
 */
class LeaseTimesTests {

	private static final Duration LEASE = SteppedService.LEASE;

	private static final Duration BELIEVED = SteppedService.BELIEVED;

	private static final Duration NANO = Duration.ofNanos(1);

	private final SteppedService process = new SteppedService();

	@AfterEach
	void close() {
		this.process.close();
	}

	@Test
	void leaseIsValidUpToItsEndAndNotAtItsEnd() {
		HeldLock held = this.process.acquire("a");
		assertThat(held.remaining()).isEqualTo(BELIEVED);
		this.process.clock.advance(BELIEVED.minus(NANO));
		assertThat(held.isValid()).isTrue();
		assertThat(held.remaining()).isEqualTo(NANO);
		this.process.clock.advance(NANO);
		assertThat(held.isValid()).isFalse();
		assertThat(held.remaining()).isZero();
		assertLost(held, LossCause.EXPIRED);
	}

	/** Its completion was lost, or waits behind code of callers that blocks. */
	@Test
	void leaseThatItsCallerHasNotTakenIsNotRenewed() {
		CompletableFuture<HeldLock> waiting = this.process.locks.acquireAsync("a");
		this.process.store.response = (attempt) -> {
			this.process.threads.losingTasks = true;
			return attempt;
		};
		this.process.threads.run();
		this.process.threads.losingTasks = false;
		this.process.advance(BELIEVED.plus(Duration.ofSeconds(1)));
		assertThat(waiting).isNotDone();
		assertThat(this.process.store.renewed).isEmpty();
		assertThat(this.process.store.local.size()).isZero();
	}

	@Test
	void leaseWhoseReleaseWasLostIsNotRenewed() {
		try (SteppedService keeping = new SteppedService(63, Duration.ofHours(1), false)) {
			keeping.locks
				.acquire(new LockKey("a"), keeping.options().toBuilder().minHold(Duration.ofSeconds(5)).build())
				.close();
			keeping.threads.losingTasks = true;
			keeping.advance(Duration.ofSeconds(5));
			keeping.threads.losingTasks = false;
			assertThat(keeping.store.local.size()).isOne();
			keeping.advance(BELIEVED.plus(Duration.ofSeconds(1)));
			assertThat(keeping.store.renewed).isEmpty();
			assertThat(keeping.store.local.size()).isZero();
		}
	}

	@Test
	void leaseIsNotRevivedAtItsEnd() {
		HeldLock held = this.process.acquire("a");
		renewalTakes(BELIEVED.minus(BELIEVED.dividedBy(3)));
		advanceToRenewal();
		assertThat(held.isValid()).isFalse();
		assertLost(held, LossCause.EXPIRED);
	}

	@Test
	void leaseIsExtendedInItsLastNanosecond() {
		HeldLock held = this.process.acquire("a");
		renewalTakes(BELIEVED.minus(BELIEVED.dividedBy(3)).minus(NANO));
		advanceToRenewal();
		assertThat(held.isValid()).isTrue();
		assertThat(held.remaining()).isEqualTo(BELIEVED.dividedBy(3).plus(NANO));
		held.close();
	}

	@Test
	void renewalWithAnEarlierEndDoesNotShortenTheLease() {
		HeldLock held = this.process.acquire("a");
		this.process.store.renewal = (renewal, outcome) -> new RenewalOutcome.Renewed(this.process.store.in(NANO));
		advanceToRenewal();
		assertThat(held.remaining()).isEqualTo(BELIEVED.minus(BELIEVED.dividedBy(3)));
		held.close();
	}

	@Test
	void leaseIsRenewedWhenAThirdOfTheBeliefInItIsGone() {
		HeldLock held = this.process.acquire("a");
		this.process.advance(Duration.ofSeconds(20));
		assertThat(this.process.store.renewed).extracting(SteppedService.Renewed::at)
			.containsExactly(BELIEVED.dividedBy(3), BELIEVED.dividedBy(3).multipliedBy(2));
		assertThat(this.process.store.renewed).extracting(SteppedService.Renewed::lease).containsOnly(LEASE);
		held.close();
	}

	/**
	 * A grant for longer than the lease, as a session is. The tick a second before is
	 * close enough: that is a thirtieth of the lease.
	 */
	@Test
	void grantThatOutlastsItsLeaseIsRenewedWhenAThirdOfTheLeaseIsGone() {
		grantFor(LEASE.multipliedBy(4));
		HeldLock held = this.process.acquire("a");
		this.process.advance(LEASE.dividedBy(3));
		assertThat(this.process.store.renewed).extracting(SteppedService.Renewed::at)
			.containsExactly(LEASE.dividedBy(3).minusSeconds(1));
		held.close();
	}

	@Test
	void grantShorterThanItsLeaseIsRenewedWhenAThirdOfItIsGone() {
		grantFor(LEASE.dividedBy(2));
		HeldLock held = this.process.acquire("a");
		this.process.advance(LEASE.dividedBy(6));
		assertThat(this.process.store.renewed).extracting(SteppedService.Renewed::at)
			.containsExactly(LEASE.dividedBy(6));
		held.close();
	}

	/** Locks that are due within a thirtieth of a lease are renewed by one request. */
	@Test
	void leaseThatIsSoonDueIsRenewedTogetherWithOneThatIsDue() {
		Duration apart = Duration.ofMillis(600);
		HeldLock first = this.process.acquire("a");
		this.process.advance(apart);
		HeldLock second = this.process.acquire("b");
		this.process.advance(Duration.ofSeconds(10).minus(apart));
		assertThat(this.process.store.renewed).extracting(SteppedService.Renewed::at)
			.containsExactly(BELIEVED.dividedBy(3), BELIEVED.dividedBy(3));
		first.close();
		second.close();
	}

	@Test
	void renewalWithoutAResponseIsRepeatedEverySecond() {
		HeldLock held = this.process.acquire("a");
		this.process.store.renewNothing();
		this.process.advance(Duration.ofSeconds(12));
		Duration first = BELIEVED.dividedBy(3);
		assertThat(this.process.store.renewed).extracting(SteppedService.Renewed::at)
			.containsExactly(first, first.plusSeconds(1), first.plusSeconds(2));
		held.close();
	}

	@Test
	void renewalOfAShortLeaseIsRepeatedAfterATenthOfIt() {
		Duration lease = Duration.ofSeconds(3);
		HeldLock held = this.process.locks.acquire("a", this.process.options().toBuilder().lease(lease).build());
		this.process.store.renewNothing();
		this.process.advance(Duration.ofMillis(1600));
		Duration first = Duration.ofMillis(2968).dividedBy(3);
		assertThat(this.process.store.renewed).extracting(SteppedService.Renewed::at)
			.containsExactly(first, first.plusMillis(300), first.plusMillis(600));
		held.close();
	}

	/** The short lease is renewed in between. */
	@Test
	void renewalWithoutAResponseIsNotRepeatedWithEveryTick() {
		HeldLock held = this.process.acquire("a");
		HeldLock brief = this.process.locks.acquire("b",
				this.process.options().toBuilder().lease(Duration.ofMillis(600)).build());
		this.process.advance(Duration.ofSeconds(9));
		this.process.store.renewed.clear();
		this.process.store.renewal = (renewal, outcome) -> renewal.claim().key().value().equals("a")
				? new RenewalOutcome.Unknown(new IllegalStateException("silent")) : outcome;
		this.process.advance(Duration.ofSeconds(5));
		List<Duration> times = this.process.store.renewed.stream()
			.filter((renewed) -> renewed.key().equals("a"))
			.map(SteppedService.Renewed::at)
			.toList();
		assertThat(times).hasSizeGreaterThan(3);
		for (int i = 1; i < times.size(); i++) {
			assertThat(times.get(i).minus(times.get(i - 1))).isGreaterThan(Duration.ofMillis(300));
		}
		held.close();
		brief.close();
	}

	/** The simulator found this request. */
	@Test
	void lockThatIsReleasedBeforeItsRenewalIsSentIsNotRenewed() {
		HeldLock held = this.process.acquire("a");
		this.process.advance(BELIEVED.dividedBy(3).minus(NANO));
		this.process.threads.beforeTimer = held::close;
		this.process.advance(NANO);
		assertThat(this.process.store.released).hasSize(1);
		assertThat(this.process.store.renewed).isEmpty();
	}

	@Test
	void longerLeaseDoesNotPutOffTheRenewalOfAShorterOne() {
		LockOptions shorter = this.process.options().toBuilder().lease(Duration.ofSeconds(3)).build();
		HeldLock held = this.process.locks.acquire("a", shorter);
		this.process.advance(Duration.ofMillis(500));
		HeldLock longer = this.process.acquire("b");
		this.process.advance(Duration.ofMillis(500));
		assertThat(this.process.store.renewed).extracting(SteppedService.Renewed::at)
			.containsExactly(Duration.ofMillis(2968).dividedBy(3));
		held.close();
		longer.close();
	}

	@Test
	void shorterLeaseIsRenewedBeforeTheNextTickOfALongerOne() {
		HeldLock longer = this.process.acquire("b");
		LockOptions shorter = this.process.options().toBuilder().lease(Duration.ofMillis(300)).build();
		HeldLock held = this.process.locks.acquire("a", shorter);
		this.process.advance(Duration.ofMillis(100));
		assertThat(this.process.store.renewed).extracting(SteppedService.Renewed::at)
			.containsExactly(Duration.ofMillis(295).dividedBy(3));
		held.close();
		longer.close();
	}

	@Test
	void renewalReportsHowLongItTookAndWhatWasLeft() {
		HeldLock held = this.process.acquire("a");
		renewalTakes(Duration.ofSeconds(2));
		advanceToRenewal();
		Awaitility.await().until(() -> !renewals().isEmpty());
		assertThat(renewals()).singleElement().satisfies((renewal) -> {
			assertThat(renewal.took()).isEqualTo(Duration.ofSeconds(2));
			assertThat(renewal.slack()).isEqualTo(BELIEVED.minus(BELIEVED.dividedBy(3)).minusSeconds(2));
		});
		held.close();
	}

	/** It is not about to be lost. Keys in demand are released so, often. */
	@Test
	void lockThatIsReleasedDuringItsRenewalHasSlack() {
		HeldLock held = this.process.acquire("a");
		this.process.store.renewal = (renewed, outcome) -> {
			held.close();
			return outcome;
		};
		advanceToRenewal();
		Awaitility.await().until(() -> !renewals().isEmpty());
		assertThat(renewals()).singleElement()
			.extracting(LockEvent.LeaseRenewed::slack)
			.isEqualTo(BELIEVED.minus(BELIEVED.dividedBy(3)));
	}

	private List<LockEvent.LeaseRenewed> renewals() {
		return this.process.events.stream()
			.filter(LockEvent.LeaseRenewed.class::isInstance)
			.map(LockEvent.LeaseRenewed.class::cast)
			.toList();
	}

	/** Its holder is notified without asking. */
	@Test
	void expiredLeaseIsNoticedAtItsEnd() {
		HeldLock held = this.process.acquire("a");
		Duration[] notified = new Duration[1];
		held.onLost((loss) -> notified[0] = this.process.now());
		this.process.store.renewNothing();
		this.process.advance(BELIEVED);
		assertThat(notified[0]).isEqualTo(BELIEVED);
		assertLost(held, LossCause.EXPIRED);
	}

	@Test
	void holdEndsAtItsLongestTimeAndNotBefore() {
		Duration longest = Duration.ofSeconds(40);
		grantFor(LEASE.multipliedBy(4));
		HeldLock held = this.process.locks.acquire("a", this.process.options().toBuilder().maxHold(longest).build());
		this.process.advance(longest.minus(NANO));
		assertThat(held.isValid()).isTrue();
		this.process.clock.advance(NANO);
		assertThat(held.isValid()).isFalse();
		assertLost(held, LossCause.MAX_HOLD);
	}

	@Test
	void renewalRequestsTheRestOfTheLongestHoldTime() {
		LockOptions options = this.process.options().toBuilder().maxHold(Duration.ofSeconds(41)).build();
		HeldLock held = this.process.locks.acquire("a", options);
		this.process.advance(Duration.ofSeconds(20));
		Duration first = BELIEVED.dividedBy(3);
		assertThat(this.process.store.renewed).containsExactly(new SteppedService.Renewed(first, LEASE, "a"),
				new SteppedService.Renewed(first.multipliedBy(2), Duration.ofSeconds(41).minus(first.multipliedBy(2)),
						"a"));
		held.close();
	}

	/** A renewal is not worth a request that prolongs a hold by next to nothing. */
	@Test
	void leaseIsNotRenewedForTheDifferenceBetweenLeaseAndBelief() {
		Duration lease = Duration.ofSeconds(10);
		Duration worthless = Duration.ofMillis(204);
		Duration longest = Duration.ofMillis(9898).plus(worthless);
		LockOptions options = this.process.options().toBuilder().lease(lease).build();
		HeldLock unrenewed = this.process.locks.acquire("a", options.toBuilder().maxHold(longest).build());
		this.process.advance(Duration.ofSeconds(5));
		assertThat(this.process.store.renewed).isEmpty();
		unrenewed.close();
		HeldLock renewed = this.process.locks.acquire("a", options.toBuilder().maxHold(longest.plus(NANO)).build());
		this.process.advance(Duration.ofSeconds(5));
		assertThat(this.process.store.renewed).hasSize(1);
		renewed.close();
	}

	@Test
	void lostLeaseWithALongerHoldTimeHasExpired() {
		Duration longest = Duration.ofMillis(9898 + 204).plus(NANO);
		LockOptions options = this.process.options().toBuilder().lease(Duration.ofSeconds(10)).maxHold(longest).build();
		HeldLock held = this.process.locks.acquire("a", options);
		this.process.clock.advance(Duration.ofMillis(9898));
		assertThat(held.isValid()).isFalse();
		assertLost(held, LossCause.EXPIRED);
	}

	private void advanceToRenewal() {
		this.process.advance(BELIEVED.dividedBy(3));
		assertThat(this.process.store.renewed).hasSize(1);
	}

	private void renewalTakes(Duration time) {
		this.process.store.renewal = (renewal, outcome) -> {
			this.process.clock.advance(time);
			return outcome;
		};
	}

	private void grantFor(Duration time) {
		this.process.store.response = (attempt) -> (attempt instanceof AcquisitionOutcome.Granted granted)
				? new AcquisitionOutcome.Granted(granted.number(), this.process.store.in(time)) : attempt;
	}

	private static void assertLost(HeldLock held, LossCause cause) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(cause));
	}

}
