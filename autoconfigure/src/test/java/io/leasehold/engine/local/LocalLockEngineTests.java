package io.leasehold.engine.local;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.leasehold.test.contract.Claims;
import org.junit.jupiter.api.Test;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.ManualClock;
import io.leasehold.engine.Subscription;
import io.leasehold.test.contract.Terms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for what {@link LocalLockEngine} does beyond the contract of all engines, and for
 * moments that only a clock in hand can hit.
 */
class LocalLockEngineTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final ManualClock clock = new ManualClock();

	private final LocalLockEngine engine = new LocalLockEngine(this.clock);

	private final Member member = Member.of("test");

	@Test
	void numbersGoOnAfterARestart() {
		long before = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
		LockEngine restarted = new LocalLockEngine(this.clock);
		assertThat(restarted.tryAcquire(claim())).isInstanceOfSatisfying(Granted.class,
				(granted) -> assertThat(granted.number()).isGreaterThan(before).isLessThan(1L << 57));
	}

	@Test
	void leaseEndsByTheClockOfTheEngine() {
		granted(claim());
		this.clock.advance(LEASE.minusNanos(1));
		assertThat(this.engine.tryAcquire(claim())).isInstanceOf(Busy.class);
		this.clock.advance(Duration.ofNanos(1));
		granted(claim());
	}

	@Test
	void busyClaimRetriesWhenTheLeaseEnds() {
		granted(claim());
		this.clock.advance(LEASE.minusSeconds(4));
		assertThat(this.engine.tryAcquire(claim())).isEqualTo(new Busy(Duration.ofSeconds(4)));
	}

	@Test
	void grantThatEndedBeforeItWasReceivedIsRequestedAgain() {
		Claim held = claim();
		granted(held);
		Claim waiting = Claims.waiting(claim());
		this.engine.tryAcquire(waiting);
		this.engine.release(held);
		this.clock.advance(LEASE);
		assertThat(this.engine.size()).isZero();
		assertThat(signals(waiting)).hasOnlyElementsOfType(Signal.Retry.class).hasSize(1);
	}

	@Test
	void expiredGrantIsNotPushed() {
		Claim held = claim();
		granted(held);
		Claim waiting = Claims.waiting(claim());
		this.engine.tryAcquire(waiting);
		this.engine.tryAcquire(Claims.waiting(claim()));
		this.engine.release(held);
		this.clock.advance(LEASE);
		assertThat(signals(waiting)).hasOnlyElementsOfType(Signal.Retry.class).hasSize(1);
	}

	@Test
	void waitingClaimThatIsNoLongerRequestedIsForgottenAfterItsTurn() {
		Claim held = claim();
		granted(held);
		this.engine.tryAcquire(Claims.waiting(claim()));
		this.clock.advance(LEASE);
		granted(waitedFor());
		this.clock.advance(LEASE);
		assertThat(this.engine.size()).isZero();
	}

	@Test
	void ownerWhoseLeaseIsOverHasNothingToRelease() {
		Claim claim = claim();
		granted(claim);
		this.clock.advance(LEASE);
		assertThat(this.engine.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(this.engine.size()).isZero();
	}

	@Test
	void keyThatOnlyTheDeadWaitForIsForgotten() {
		granted(claim());
		this.engine.tryAcquire(Claims.waiting(claim()));
		this.clock.advance(LEASE);
		assertThat(this.engine.size()).isOne();
		this.clock.advance(LEASE);
		assertThat(this.engine.size()).isZero();
	}

	@Test
	void keysInUseAreCounted() {
		Claim claim = claim();
		granted(claim);
		assertThat(this.engine.size()).isOne();
		this.engine.release(claim);
		assertThat(this.engine.size()).isZero();
	}

	@Test
	void storeThatIsDownCarriesNothingOut() {
		Claim claim = claim();
		Granted granted = granted(claim);
		this.engine.faults().setDown(true);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.engine.release(claim));
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.engine.tryAcquire(claim()));
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.engine.inspect(KEY));
		assertThat(renew(claim, granted)).isInstanceOf(RenewalOutcome.Unknown.class);
		this.engine.faults().setDown(false);
		assertThat(renew(claim, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	@Test
	void requestWhoseReplyIsLostIsCarriedOut() {
		Claim claim = claim();
		this.engine.faults().setLoseReplies(true);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.engine.tryAcquire(claim));
		this.engine.faults().setLoseReplies(false);
		assertThat(this.engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
	}

	@Test
	void lateRenewalDoesNotReviveItsLease() throws Exception {
		Claim claim = claim();
		Granted granted = granted(claim);
		this.engine.faults().delayRenewals(Duration.ofMinutes(1));
		List<RenewalOutcome> outcomes = new ArrayList<>();
		Thread renewal = new Thread(() -> outcomes.add(renew(claim, granted)));
		renewal.start();
		while (renewal.getState() != Thread.State.TIMED_WAITING) {
			Thread.onSpinWait();
		}
		this.clock.advance(LEASE);
		renewal.interrupt();
		renewal.join(TimeUnit.SECONDS.toMillis(20));
		assertThat(outcomes).singleElement().isInstanceOf(RenewalOutcome.NotOwner.class);
	}

	/** Once a second, a request for any key finds the leases of other keys that ended. */
	@Test
	void leaseThatEndedIsFoundByRequestsForOtherKeysOnceASecond() {
		Duration lease = Duration.ofMillis(500);
		granted(new Claim(KEY, this.member.newOwner(), lease, Duration.ZERO, false, this.clock.nanoTime()));
		List<Signal> signals = new ArrayList<>();
		Claim waiting = Claims.waiting(claim());
		this.engine.tryAcquire(waiting);
		this.engine.subscribe(waiting, signals::add);
		this.clock.advance(Duration.ofSeconds(1).minusNanos(1));
		askForAnotherKey();
		assertThat(signals).isEmpty();
		this.clock.advance(Duration.ofNanos(1));
		askForAnotherKey();
		assertThat(signals).singleElement().isInstanceOf(Signal.Pushed.class);
	}

	@Test
	void otherKeysAreSearchedForEndedLeasesNotBeforeTheNextSecond() {
		this.clock.advance(Duration.ofSeconds(1));
		askForAnotherKey();
		leaseThatEndedIsFoundByRequestsForOtherKeysOnceASecond();
	}

	/** The delay of the former grant would hide the new one. */
	@Test
	void ownerIsGrantedAgainDuringTheLockDelayOfItsEarlierGrant() {
		assertThatOwnerIsGrantedAgain(Duration.ZERO, Duration.ofSeconds(10));
	}

	@Test
	void ownerIsGrantedAgainDuringTheMinimumHoldOfItsEarlierGrant() {
		assertThatOwnerIsGrantedAgain(Duration.ofSeconds(10), Duration.ZERO);
	}

	private void assertThatOwnerIsGrantedAgain(Duration minHold, Duration lockDelay) {
		Duration lease = Duration.ofSeconds(1);
		Claim claim = new Claim(KEY, this.member.newOwner(), Terms.of(Access.SHARED, lease, minHold, lockDelay), false,
				this.clock.nanoTime());
		granted(claim);
		this.clock.advance(lease.multipliedBy(2));
		Granted again = granted(claim);
		assertThat(renew(claim, again)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(granted(claim).number()).isEqualTo(again.number());
		assertThat(this.engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(this.engine.inspect(KEY)).isEmpty();
		this.clock.advance(minHold);
		assertThat(this.engine.size()).as("the lock delay ends with the release").isZero();
	}

	/** The service subscribes a claim once, and keeps the subscription. */
	@Test
	void claimThatWaitsAgainAfterItsGrantEndedIsStillSubscribed() {
		Claim first = claim();
		granted(first);
		Claim waiting = Claims.waiting(claim());
		this.engine.tryAcquire(waiting);
		List<Signal> signals = new ArrayList<>();
		Subscription subscription = this.engine.subscribe(waiting, signals::add);
		this.engine.release(first);
		assertThat(signals).singleElement().isInstanceOf(Signal.Pushed.class);
		this.clock.advance(LEASE);
		Claim second = claim();
		granted(second);
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
		this.engine.release(second);
		assertThat(signals).hasSize(2).hasOnlyElementsOfType(Signal.Pushed.class);
		this.clock.advance(LEASE);
		Claim third = claim();
		granted(third);
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
		subscription.close();
		this.engine.release(third);
		assertThat(signals).as("after the subscription").hasSize(2);
	}

	private void askForAnotherKey() {
		this.engine.tryAcquire(new Claim(new LockKey("other"), this.member.newOwner(), LEASE, Duration.ZERO, false,
				this.clock.nanoTime()));
	}

	private Claim claim() {
		return new Claim(KEY, this.member.newOwner(), LEASE, Duration.ZERO, false, this.clock.nanoTime());
	}

	/** A claim that waits until those before it have had their turn. */
	private Claim waitedFor() {
		Claim claim = Claims.waiting(claim());
		this.engine.tryAcquire(claim);
		this.clock.advance(LEASE);
		return claim;
	}

	private Granted granted(Claim claim) {
		AcquisitionOutcome attempt = this.engine.tryAcquire(claim);
		assertThat(attempt).isInstanceOf(Granted.class);
		return (Granted) attempt;
	}

	private RenewalOutcome renew(Claim claim, Granted granted) {
		return this.engine.renew(List.of(new Renewal(claim, granted.number(), LEASE))).get(0);
	}

	private List<Signal> signals(Claim claim) {
		List<Signal> signals = new ArrayList<>();
		this.engine.subscribe(claim, signals::add).close();
		return signals;
	}

}
