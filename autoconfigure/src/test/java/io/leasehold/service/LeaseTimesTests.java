package io.leasehold.service;

import java.time.Duration;

import io.leasehold.HeldLock;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.Attempt;
import io.leasehold.engine.RenewalOutcome;
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
		this.process.store.renewal = (outcome) -> new RenewalOutcome.Renewed(this.process.store.in(NANO));
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
	void renewalWithoutAnAnswerIsRepeatedEverySecond() {
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
		HeldLock held = this.process.locks.acquire("a", this.process.options().withLease(lease));
		this.process.store.renewNothing();
		this.process.advance(Duration.ofMillis(1600));
		Duration first = Duration.ofMillis(2968).dividedBy(3);
		assertThat(this.process.store.renewed).extracting(SteppedService.Renewed::at)
			.containsExactly(first, first.plusMillis(300), first.plusMillis(600));
		held.close();
	}

	/** Its holder is notified without asking. */
	@Test
	void expiredLeaseIsNoticedAtItsEnd() {
		HeldLock held = this.process.acquire("a");
		Duration[] told = new Duration[1];
		held.onLost((loss) -> told[0] = this.process.now());
		this.process.store.renewNothing();
		this.process.advance(BELIEVED);
		assertThat(told[0]).isEqualTo(BELIEVED);
		assertLost(held, LossCause.EXPIRED);
	}

	@Test
	void holdEndsAtItsLongestTimeAndNotBefore() {
		Duration longest = Duration.ofSeconds(40);
		grantFor(LEASE.multipliedBy(4));
		HeldLock held = this.process.locks.acquire("a", this.process.options().withMaxHold(longest));
		this.process.advance(longest.minus(NANO));
		assertThat(held.isValid()).isTrue();
		this.process.clock.advance(NANO);
		assertThat(held.isValid()).isFalse();
		assertLost(held, LossCause.MAX_HOLD);
	}

	@Test
	void renewalRequestsTheRestOfTheLongestHoldTime() {
		LockOptions options = this.process.options().withMaxHold(Duration.ofSeconds(41));
		HeldLock held = this.process.locks.acquire("a", options);
		this.process.advance(Duration.ofSeconds(20));
		Duration first = BELIEVED.dividedBy(3);
		assertThat(this.process.store.renewed).containsExactly(new SteppedService.Renewed(first, LEASE),
				new SteppedService.Renewed(first.multipliedBy(2), Duration.ofSeconds(41).minus(first.multipliedBy(2))));
		held.close();
	}

	/** A renewal is not worth a request that prolongs a hold by next to nothing. */
	@Test
	void leaseIsNotRenewedForTheDifferenceBetweenLeaseAndBelief() {
		Duration lease = Duration.ofSeconds(10);
		Duration worthless = Duration.ofMillis(204);
		Duration longest = Duration.ofMillis(9898).plus(worthless);
		LockOptions options = this.process.options().withLease(lease);
		HeldLock unrenewed = this.process.locks.acquire("a", options.withMaxHold(longest));
		this.process.advance(Duration.ofSeconds(5));
		assertThat(this.process.store.renewed).isEmpty();
		unrenewed.close();
		HeldLock renewed = this.process.locks.acquire("a", options.withMaxHold(longest.plus(NANO)));
		this.process.advance(Duration.ofSeconds(5));
		assertThat(this.process.store.renewed).hasSize(1);
		renewed.close();
	}

	@Test
	void lostLeaseWithALongerHoldTimeHasExpired() {
		Duration longest = Duration.ofMillis(9898 + 204).plus(NANO);
		LockOptions options = this.process.options().withLease(Duration.ofSeconds(10)).withMaxHold(longest);
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
		this.process.store.renewal = (outcome) -> {
			this.process.clock.advance(time);
			return outcome;
		};
	}

	private void grantFor(Duration time) {
		this.process.store.answer = (attempt) -> (attempt instanceof Attempt.Granted granted)
				? new Attempt.Granted(granted.number(), this.process.store.in(time)) : attempt;
	}

	private static void assertLost(HeldLock held, LossCause cause) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(cause));
	}

}
