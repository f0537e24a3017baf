package io.leasehold.test.contract;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;

import org.assertj.core.data.TemporalUnitOffset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.leasehold.LockTerms;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.Owner;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * The part of the contract that is about keys that only a minimum hold keeps. Its tests
 * do nothing for an engine without {@link LockEngine#keptKeys() such keys}.
 */
abstract class KeptKeysContract extends EngineKeysContract {

	private static final Duration LONG = Duration.ofHours(1);

	/** By which stores may round times. */
	private static final TemporalUnitOffset ROUNDING = within(20, ChronoUnit.MILLIS);

	@Test
	void keptKeyShowsItsLastHolderUntilItIsOpened() {
		Process one = process();
		KeptKeys kept = kept();
		if (kept == null) {
			return;
		}
		assertThat(kept.find(KEY)).as("free").isNull();
		Claim claim = claim(one, LONG, LONG);
		Granted granted = one.granted(claim);
		assertThat(kept.find(KEY)).as("held").isNull();
		Holder held = one.engine().inspect(KEY).get(0);
		release(one, claim);
		KeptKeys.Kept found = find(kept);
		Holder last = found.last();
		assertThat(last.application()).isEqualTo("contract");
		assertThat(last.host()).isEqualTo(held.host());
		assertThat(last.process()).isEqualTo(ProcessHandle.current().pid());
		assertThat(last.thread()).isEqualTo(held.thread()).isNotBlank();
		assertThat(last.number()).isEqualTo(granted.number());
		assertThat(last.since()).isCloseTo(held.since(), ROUNDING);
		assertThat(last.remaining()).isNull();
		assertThat(last.lingers()).isFalse();
		assertThat(found.released()).isBetween(last.since().minusMillis(20), last.since().plus(patience()));
		assertThat(found.remaining()).isBetween(LONG.minus(patience()), LONG);
		assertThat(one.engine().inspect(KEY)).isEmpty();
		KeptKeys.Kept opened = Objects.requireNonNull(kept.open(KEY));
		assertThat(opened.last().number()).isEqualTo(last.number());
		assertThat(opened.last().thread()).isEqualTo(last.thread());
		assertThat(opened.released()).isCloseTo(found.released(), ROUNDING);
		assertThat(opened.remaining()).isBetween(LONG.minus(patience()), LONG);
		assertThat(kept.find(KEY)).as("opened").isNull();
		assertThat(kept.open(KEY)).as("opened").isNull();
		assertThat(residue(this.namespace)).isEmpty();
		assertThat(one.granted(one.claim(KEY)).number()).isGreaterThan(granted.number());
	}

	@Test
	void keyIsNotKeptAfterItsMinimumHold() {
		Process one = process();
		KeptKeys kept = kept();
		if (kept == null) {
			return;
		}
		Claim claim = claim(one, LONG, shortLease());
		Pace requested = Pace.begin();
		one.granted(claim);
		release(one, claim);
		eventually().until(() -> responded(() -> kept.find(KEY)) == null);
		took(shortLease(), requested);
		assertThat(kept.open(KEY)).isNull();
		one.granted(one.claim(KEY));
	}

	/** A crash inside the period: the lease ends, the minimum hold does not. */
	@Test
	void keyOfAnOwnerThatNeverReleasedIsKeptAfterItsLease() {
		Process one = process();
		Process other = process();
		KeptKeys kept = kept();
		if (kept == null) {
			return;
		}
		Claim crashed = claim(one, shortLease(), LONG);
		Pace requested = Pace.begin();
		Granted granted = one.granted(crashed);
		eventually().until(() -> responded(() -> kept.find(KEY)) != null);
		took(shortLease(), requested);
		KeptKeys.Kept found = find(kept);
		assertThat(found.last().number()).isEqualTo(granted.number());
		assertThat(found.last().application()).isEqualTo("contract");
		assertThat(found.released()).isNull();
		assertThat(found.remaining()).isPositive().isLessThan(LONG);
		assertThat(one.engine().inspect(KEY)).isEmpty();
		assertThat(other.engine().tryAcquire(other.claim(KEY))).isInstanceOf(Busy.class);
		assertThat(Objects.requireNonNull(kept.open(KEY)).released()).isNull();
		Claim next = other.claim(KEY);
		assertThat(other.granted(next).number()).isGreaterThan(granted.number());
		assertThat(one.renew(crashed, granted)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(one.engine().release(crashed)).isNotInstanceOf(ReleaseOutcome.Released.class);
		release(other, next);
		assertThat(residue(this.namespace)).isEmpty();
	}

	/** Renewals extend the lease, although the minimum hold ends later. */
	@Test
	void renewedKeyIsNotKept() {
		Process one = process();
		KeptKeys kept = kept();
		if (kept == null) {
			return;
		}
		eventually().until(() -> {
			Claim claim = claim(one, shortLease(), LONG);
			Granted granted = one.granted(claim);
			long end = granted.validUntil() + shortLease().toNanos() / 4;
			KeptKeys.Kept found;
			Holder holder;
			do {
				long sent = System.nanoTime();
				boolean renewed = one.renew(claim, granted) instanceof RenewalOutcome.Renewed;
				found = kept.find(KEY);
				holder = one.engine().inspect(KEY).stream().findFirst().orElse(null);
				if (!renewed || System.nanoTime() - sent > shortLease().toNanos() / 2) {
					one.engine().forceRelease(KEY);
					kept.open(KEY);
					return false; // the machine was paused
				}
				LockSupport.parkNanos(shortLease().toNanos() / 10);
			}
			while (System.nanoTime() - end <= 0);
			assertThat(found).isNull();
			assertThat(holder).isNotNull();
			release(one, claim);
			assertThat(Objects.requireNonNull(kept.open(KEY)).released()).isNotNull();
			return true;
		});
	}

	@Test
	void keyWithALockDelayIsKeptAfterThatDelay() {
		Process one = process();
		KeptKeys kept = kept();
		if (kept == null || !one.has(Capability.LOCK_DELAY)) {
			return;
		}
		Pace requested = Pace.begin();
		one.granted(new Claim(KEY, one.member().newOwner(),
				Terms.of(Access.EXCLUSIVE, shortLease(), LONG, shortLease()), false, System.nanoTime()));
		eventually().until(() -> responded(() -> kept.find(KEY)) != null);
		took(shortLease().multipliedBy(2), requested);
		assertThat(find(kept).released()).isNull();
		kept.open(KEY);
		assertThat(residue(this.namespace)).isEmpty();
	}

	@Test
	void waitingClaimProceedsWhenAKeyIsOpened() {
		Process one = process();
		Process other = process();
		KeptKeys kept = kept();
		if (kept == null) {
			return;
		}
		Claim claim = claim(one, LONG, LONG);
		long number = one.granted(claim).number();
		release(one, claim);
		Claim waiting = other.waiting(KEY);
		Waiter waiter = other.begin(waiting);
		Pace opened = Pace.begin();
		assertThat(kept.open(KEY)).isNotNull();
		assertThat(waiter.await().number()).isGreaterThan(number);
		tookAtMost(Duration.ZERO, opened);
		release(other, waiting);
		assertThat(residue(this.namespace)).isEmpty();
	}

	@Test
	void openingDoesNotTouchAHolderAndItsMinimumHold() {
		Process one = process();
		Process other = process();
		KeptKeys kept = kept();
		if (kept == null) {
			return;
		}
		Claim claim = claim(one, LONG, LONG);
		Granted granted = one.granted(claim);
		assertThat(kept.open(KEY)).isNull();
		assertThat(one.renew(claim, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(other.engine().tryAcquire(other.claim(KEY))).isInstanceOf(Busy.class);
		release(one, claim);
		assertThat(find(kept).last().number()).isEqualTo(granted.number());
		assertThat(other.engine().tryAcquire(other.claim(KEY))).isInstanceOf(Busy.class);
	}

	@Test
	void lateReleaseAfterOpeningDoesNotTouchTheNextOwner() {
		Process one = process();
		Process other = process();
		KeptKeys kept = kept();
		if (kept == null) {
			return;
		}
		Claim former = claim(one, LONG, LONG);
		Granted formerGrant = one.granted(former);
		release(one, former);
		kept.open(KEY);
		Claim next = claim(other, LONG, LONG);
		Granted granted = other.granted(next);
		assertThat(granted.number()).isGreaterThan(formerGrant.number());
		assertThat(one.engine().release(former)).isNotInstanceOf(ReleaseOutcome.Released.class);
		assertThat(one.renew(former, formerGrant)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(kept.open(KEY)).isNull();
		assertThat(other.renew(next, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
		release(other, next);
		assertThat(find(kept).last().number()).isEqualTo(granted.number());
	}

	@Test
	void repeatedReleaseChangesNothingOfAKeptKey() {
		Process one = process();
		KeptKeys kept = kept();
		if (kept == null) {
			return;
		}
		Claim claim = claim(one, LONG, LONG);
		one.granted(claim);
		release(one, claim);
		Instant released = Objects.requireNonNull(find(kept).released());
		one.engine().release(claim);
		assertThat(find(kept).released()).isCloseTo(released, ROUNDING);
		assertThat(one.engine().forceRelease(KEY)).isEmpty();
		assertThat(find(kept).released()).isCloseTo(released, ROUNDING);
	}

	/** A forced release ends the grant, and its minimum hold continues. */
	@Test
	void keyThatWasReleasedByForceIsKept() {
		Process one = process();
		KeptKeys kept = kept();
		if (kept == null) {
			return;
		}
		long number = one.granted(claim(one, LONG, LONG)).number();
		assertThat(one.engine().forceRelease(KEY)).hasSize(1);
		KeptKeys.Kept found = find(kept);
		assertThat(found.last().number()).isEqualTo(number);
		assertThat(found.released()).isNotNull();
		assertThat(kept.open(KEY)).isNotNull();
		assertThat(residue(this.namespace)).isEmpty();
	}

	/** As long as an operator may pause a job. */
	@Test
	void keyIsKeptForALongTime() {
		Process one = process();
		KeptKeys kept = kept();
		if (kept == null) {
			return;
		}
		Duration most = one.engine().maxLease();
		Duration minHold = (most.compareTo(LockTerms.MAX_LEASE) < 0) ? most : LockTerms.MAX_LEASE;
		Claim claim = claim(one, shortLease(), minHold);
		one.granted(claim);
		release(one, claim);
		assertThat(find(kept).remaining()).isBetween(minHold.minus(patience()), minHold);
		assertThat(kept.open(KEY)).isNotNull();
		assertThat(residue(this.namespace)).isEmpty();
	}

	@Test
	void placeThatAReleasedPermitKeepsIsNotShown() {
		Process one = process();
		Process other = process();
		KeptKeys kept = kept();
		if (kept == null || !one.has(Capability.PERMITS)) {
			return;
		}
		Claim claim = new Claim(KEY, one.member().newOwner(), Terms.of(Access.permits(1), LONG, LONG, Duration.ZERO),
				false, System.nanoTime());
		one.granted(claim);
		release(one, claim);
		assertThat(kept.find(KEY)).isNull();
		assertThat(kept.open(KEY)).isNull();
		assertThat(kept.replace(KEY, operator(), LONG)).isNull();
		assertThat(kept.find(KEY)).isNull();
		assertThat(other.engine().tryAcquire(other.claim(KEY))).isInstanceOf(Busy.class);
	}

	@Test
	void replacedKeyShowsItsNewOwnerUntilItIsOpened() {
		Process one = process();
		KeptKeys kept = kept();
		if (kept == null) {
			return;
		}
		assertThat(kept.replace(KEY, operator(), LONG)).as("free").isNull();
		assertThat(kept.find(KEY)).as("free").isNull();
		Claim claim = claim(one, LONG, LONG);
		Granted granted = one.granted(claim);
		release(one, claim);
		KeptKeys.Kept before = find(kept);
		for (int i = 1; i <= 3; i++) {
			Duration duration = LONG.multipliedBy(4 - i);
			Instant released = Objects.requireNonNull(before.released());
			KeptKeys.Kept replaced = Objects.requireNonNull(kept.replace(KEY, operator(), duration));
			assertThat(replaced.last().thread()).isEqualTo(before.last().thread());
			assertThat(replaced.released()).isCloseTo(released, ROUNDING);
			assertThat(replaced.remaining()).isBetween(before.remaining().minus(patience()), before.remaining());
			before = find(kept);
			Holder last = before.last();
			assertThat(last.application()).isEqualTo("operator");
			assertThat(last.process()).isEqualTo(ProcessHandle.current().pid());
			assertThat(last.thread()).isEqualTo("pause=alice");
			assertThat(last.number()).isGreaterThanOrEqualTo(granted.number());
			assertThat(last.since()).isBetween(released.minusMillis(20), released.plus(patience()));
			assertThat(before.released()).isCloseTo(last.since(), ROUNDING);
			assertThat(before.remaining()).isBetween(duration.minus(patience()), duration);
			assertThat(one.engine().inspect(KEY)).isEmpty();
			assertThat(one.engine().tryAcquire(one.claim(KEY))).isInstanceOf(Busy.class);
		}
		assertThat(Objects.requireNonNull(kept.open(KEY)).last().thread()).isEqualTo("pause=alice");
		assertThat(kept.find(KEY)).as("opened").isNull();
		assertThat(residue(this.namespace)).isEmpty();
		assertThat(one.granted(one.claim(KEY)).number()).isGreaterThan(granted.number());
	}

	/** Otherwise the pause of a job would start it. */
	@Test
	void waitingClaimIsNotGrantedAReplacedKeyUntilItIsOpened() {
		Process one = process();
		Process other = process();
		KeptKeys kept = kept();
		if (kept == null) {
			return;
		}
		Claim claim = claim(one, LONG, LONG);
		long number = one.granted(claim).number();
		release(one, claim);
		Claim waiting = other.waiting(KEY);
		Waiter waiter = other.begin(waiting);
		for (Duration duration : new Duration[] { LONG.multipliedBy(2), LONG.dividedBy(2) }) {
			assertThat(kept.replace(KEY, operator(), duration)).isNotNull();
			assertThat(other.engine().tryAcquire(waiting)).isInstanceOf(Busy.class);
			assertThat(find(kept).last().thread()).isEqualTo("pause=alice");
			assertThat(one.engine().inspect(KEY)).isEmpty();
		}
		assertThat(waiter.signals).noneMatch(Signal.Pushed.class::isInstance);
		Pace opened = Pace.begin();
		assertThat(kept.open(KEY)).isNotNull();
		assertThat(waiter.await().number()).isGreaterThan(number);
		tookAtMost(Duration.ZERO, opened);
		release(other, waiting);
		assertThat(residue(this.namespace)).isEmpty();
	}

	@Test
	void waitingClaimProceedsAtTheEndOfAShorterReplacement() {
		Process one = process();
		Process other = process();
		KeptKeys kept = kept();
		if (kept == null) {
			return;
		}
		Claim claim = claim(one, LONG, LONG);
		long number = one.granted(claim).number();
		release(one, claim);
		Claim waiting = other.waiting(KEY);
		Waiter waiter = other.begin(waiting);
		Pace replaced = Pace.begin();
		assertThat(kept.replace(KEY, operator(), shortLease())).isNotNull();
		assertThat(waiter.await().number()).isGreaterThan(number);
		took(shortLease(), replaced);
		release(other, waiting);
		assertThat(residue(this.namespace)).isEmpty();
	}

	@Test
	void longerReplacementOutlivesTheMinimumHold() {
		Process one = process();
		KeptKeys kept = kept();
		if (kept == null) {
			return;
		}
		eventually().until(() -> {
			Claim claim = claim(one, LONG, shortLease());
			long requested = System.nanoTime();
			one.granted(claim);
			release(one, claim);
			if (kept.replace(KEY, operator(), LONG) == null) {
				return false; // the machine was paused
			}
			while (System.nanoTime() - requested < shortLease().multipliedBy(2).toNanos()) {
				LockSupport.parkNanos(shortLease().toNanos() / 10);
			}
			return true;
		});
		assertThat(one.engine().tryAcquire(one.claim(KEY))).isInstanceOf(Busy.class);
		assertThat(find(kept).remaining()).isBetween(LONG.minus(patience()), LONG);
	}

	@Test
	void heldKeyIsNotReplaced() {
		Process one = process();
		KeptKeys kept = kept();
		if (kept == null) {
			return;
		}
		Claim claim = claim(one, LONG, LONG);
		Granted granted = one.granted(claim);
		assertThat(kept.replace(KEY, operator(), LONG.multipliedBy(2))).isNull();
		assertThat(one.renew(claim, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(one.engine().inspect(KEY)).hasSize(1);
		release(one, claim);
		KeptKeys.Kept found = find(kept);
		assertThat(found.last().number()).isEqualTo(granted.number());
		assertThat(found.last().application()).isEqualTo("contract");
		assertThat(found.remaining()).isLessThanOrEqualTo(LONG);
	}

	@Test
	void lateRequestsOfTheFormerOwnerDoNotTouchAReplacement() {
		Process one = process();
		Process other = process();
		KeptKeys kept = kept();
		if (kept == null) {
			return;
		}
		Claim crashed = claim(one, shortLease(), LONG);
		Granted granted = one.granted(crashed);
		eventually().until(() -> responded(() -> kept.find(KEY)) != null);
		assertThat(Objects.requireNonNull(kept.replace(KEY, operator(), LONG)).released()).isNull();
		assertThat(one.renew(crashed, granted)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(one.engine().release(crashed)).isNotInstanceOf(ReleaseOutcome.Released.class);
		assertThat(one.engine().forceRelease(KEY)).isEmpty();
		KeptKeys.Kept found = find(kept);
		assertThat(found.last().thread()).isEqualTo("pause=alice");
		assertThat(found.released()).isCloseTo(found.last().since(), ROUNDING);
		assertThat(other.engine().tryAcquire(other.claim(KEY))).isInstanceOf(Busy.class);
		assertThat(kept.open(KEY)).isNotNull();
		assertThat(residue(this.namespace)).isEmpty();
		assertThat(other.granted(other.claim(KEY)).number()).isGreaterThan(granted.number());
	}

	private static Owner operator() {
		return Member.of("operator").newOwner("pause=alice");
	}

	/** The kept keys, as a third process sees them; null if the engine has none. */
	private @Nullable KeptKeys kept() {
		return process().engine().keptKeys();
	}

	private static KeptKeys.Kept find(KeptKeys kept) {
		return Objects.requireNonNull(kept.find(KEY));
	}

	private static Claim claim(Process process, Duration lease, Duration minHold) {
		return new Claim(KEY, process.member().newOwner(), lease, minHold, false, System.nanoTime());
	}

	private static void release(Process process, Claim claim) {
		assertThat(process.engine().release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
	}

}
