package io.leasehold.service.gate;

import java.time.Duration;

import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockModeException;
import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.service.gate.ManualGate.Entry;
import io.leasehold.service.gate.ManualGate.TestCaller;
import org.junit.jupiter.api.Test;

import static io.leasehold.service.gate.ManualGate.EXCLUSIVE;
import static io.leasehold.service.gate.ManualGate.LEASE;
import static io.leasehold.service.gate.ManualGate.NANO;
import static io.leasehold.service.gate.ManualGate.SHARED;
import static io.leasehold.service.gate.ManualGate.brief;
import static io.leasehold.service.gate.ManualGate.permits;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a gate decides when callers enter it and leave it.
 */
class KeyGateTests {

	private final ManualGate scene = new ManualGate();

	private final KeyGate gate = this.scene.gate;

	@Test
	void firstCallerClaimsTheKeyAndTheNextOneIsQueued() {
		TestCaller first = this.scene.caller(EXCLUSIVE);
		TestCaller second = this.scene.caller(EXCLUSIVE);
		assertThat(this.scene.enter(first)).isEqualTo(Entry.FIRST);
		assertThat(this.scene.enter(second)).isEqualTo(Entry.QUEUED);
		Decision decision = this.scene.grant();
		assertThat(ManualGate.woken(decision)).containsExactly(first);
		assertThat(second.hasEnded()).isFalse();
		assertThat(this.scene.holds()).containsExactly(first.hold());
		assertThat(this.scene.pending()).isNull();
	}

	@Test
	void claimHasTheLeaseOfItsCallerAndNoneThatOutlastsItsLongestHoldTime() {
		this.scene.acquire(SHARED);
		this.scene.first(SHARED);
		assertThat(this.scene.claim().claim().lease()).isEqualTo(LEASE);
		this.scene.grant();
		this.scene.first(SHARED.toBuilder().maxHold(Duration.ofSeconds(8)).build());
		assertThat(this.scene.claim().claim().lease()).isEqualTo(Duration.ofSeconds(8));
	}

	@Test
	void callersBehindAnExclusiveHoldAreQueued() {
		this.scene.acquire(EXCLUSIVE);
		for (LockOptions options : new LockOptions[] { EXCLUSIVE, permits(1) }) {
			TestCaller caller = this.scene.caller(brief(options));
			assertThat(this.scene.enter(caller)).isEqualTo(Entry.BUSY);
			assertThat(caller.failure()).isInstanceOf(LockBusyException.class).hasMessageContaining("0 ms");
		}
		this.scene.queued(EXCLUSIVE);
		assertThat(this.scene.pending()).isNull();
	}

	/** It is not compatible with the holder, so its place is in the store's queue. */
	@Test
	void waiterWithAnotherAccessClaimsTheKeyBesideAHold() {
		this.scene.acquire(EXCLUSIVE);
		assertThat(this.scene.enter(this.scene.caller(brief(SHARED)))).isEqualTo(Entry.BUSY);
		this.scene.first(SHARED);
		assertThat(this.scene.claim().claim().access()).isEqualTo(Access.SHARED);
	}

	@Test
	void callerThatWouldShareTheKeyClaimsItAlthoughItDoesNotWait() {
		this.scene.acquire(SHARED);
		this.scene.first(brief(SHARED));
		this.scene.grant();
		assertThat(this.scene.holds()).hasSize(2);
	}

	@Test
	void permitsAreClaimedUpToTheirNumber() {
		Hold first = this.scene.acquire(permits(2));
		this.scene.acquire(permits(2));
		TestCaller third = this.scene.queued(permits(2));
		assertThat(this.scene.pending()).isNull();
		assertThat(this.scene.leave(first).freed()).isSameAs(first);
		Decision decision = this.scene.released(Duration.ZERO);
		assertThat(decision.requested()).isSameAs(this.scene.pending()).isNotNull();
		this.scene.grant();
		assertThat(third.hold()).isNotNull();
	}

	@Test
	void gateWithoutHoldsAndWaitersIsRemovedAndRefusesCallers() {
		Hold held = this.scene.acquire(EXCLUSIVE);
		assertThat(this.scene.leave(held).freed()).isSameAs(held);
		assertThat(this.scene.enter(this.scene.caller(brief(EXCLUSIVE)))).isEqualTo(Entry.BUSY);
		assertThat(this.scene.released(Duration.ZERO).removesGate()).isTrue();
		assertThat(this.scene.enter(this.scene.caller(EXCLUSIVE))).isEqualTo(Entry.GONE);
		assertThat(this.scene.pending()).isNull();
	}

	@Test
	void gateIsKeptWhileOneOfSeveralHoldsIsLeft() {
		Hold first = this.scene.acquire(SHARED);
		Hold second = this.scene.acquire(SHARED);
		assertThat(this.scene.release(first).removesGate()).isFalse();
		assertThat(this.scene.holds()).containsExactly(second);
		this.scene.first(SHARED);
		this.scene.grant();
		assertThat(this.scene.holds()).hasSize(2);
	}

	@Test
	void callerReentersTheHoldUnderWhichItRuns() {
		Hold held = this.scene.acquire(EXCLUSIVE);
		TestCaller inner = this.scene.caller(brief(EXCLUSIVE)).under(held);
		assertThat(this.scene.enter(inner)).isEqualTo(Entry.SETTLED);
		assertThat(inner.hold()).isSameAs(held);
		TestCaller reader = this.scene.caller(SHARED).under(held);
		assertThat(this.scene.enter(reader)).isEqualTo(Entry.SETTLED);
		assertThat(reader.hold()).isSameAs(held);
	}

	@Test
	void sharedHoldIsNotUpgraded() {
		Hold held = this.scene.acquire(SHARED);
		TestCaller writer = this.scene.caller(EXCLUSIVE).under(held);
		assertThat(this.scene.enter(writer)).isEqualTo(Entry.SETTLED);
		assertThat(writer.failure()).isInstanceOf(LockModeException.class)
			.hasMessageContaining("exclusive")
			.hasMessageContaining("shared");
		assertThat(this.scene.pending()).isNull();
	}

	@Test
	void exclusiveHoldCoversAPermit() {
		Hold held = this.scene.acquire(EXCLUSIVE);
		TestCaller permit = this.scene.caller(permits(2)).under(held);
		assertThat(this.scene.enter(permit)).isEqualTo(Entry.SETTLED);
		assertThat(permit.hold()).isSameAs(held);
	}

	@Test
	void callerWithAnotherNumberOfPermitsIsRefusedWhileTheFirstNumberIsHeld() {
		Hold held = this.scene.acquire(permits(2));
		TestCaller three = this.scene.caller(permits(3));
		assertThat(this.scene.enter(three)).isEqualTo(Entry.SETTLED);
		assertThat(three.failure()).isInstanceOf(LockModeException.class)
			.hasMessageContaining("3 permits")
			.hasMessageContaining("2 permits")
			.hasMessageContaining("use one number of permits");
		TestCaller writer = this.scene.first(EXCLUSIVE);
		this.scene.release(held);
		TestCaller later = this.scene.queued(permits(3));
		this.scene.grant();
		this.scene.release(this.scene.open(writer));
		this.scene.grant();
		assertThat(later.hold()).isNotNull();
	}

	@Test
	void holdThatHasExpiredIsLostBeforeACallerIsQueuedBehindIt() {
		this.scene.acquire(EXCLUSIVE);
		this.scene.clock.advance(LEASE.minus(NANO));
		assertThat(this.scene.enter(this.scene.caller(brief(EXCLUSIVE)))).isEqualTo(Entry.BUSY);
		this.scene.clock.advance(NANO);
		assertThat(this.scene.enter(this.scene.caller(brief(EXCLUSIVE)))).isEqualTo(Entry.EXPIRED);
		assertThat(this.scene.enter(this.scene.caller(EXCLUSIVE))).isEqualTo(Entry.EXPIRED);
		assertThat(this.scene.pending()).isNull();
	}

	@Test
	void sharedHoldThatHasExpiredIsNotReentered() {
		Hold held = this.scene.acquire(SHARED);
		this.scene.clock.advance(LEASE);
		TestCaller inner = this.scene.caller(SHARED).under(held);
		assertThat(this.scene.enter(inner)).isEqualTo(Entry.EXPIRED);
		assertThat(inner.hasEnded()).isFalse();
	}

	@Test
	void readerClaimsTheKeyBesideAReaderThatHasExpired() {
		this.scene.acquire(SHARED);
		this.scene.clock.advance(LEASE);
		this.scene.first(SHARED);
	}

	@Test
	void callersOfAFirstRequestHaveTheirTurnIfAllShareTheKey() {
		this.scene.first(brief(SHARED));
		TestCaller second = this.scene.queued(brief(SHARED));
		TestCaller third = this.scene.queued(SHARED);
		assertThat(second.awaitsTurn()).isTrue();
		assertThat(third.awaitsTurn()).isFalse();
		assertThat(this.scene.enter(this.scene.caller(brief(EXCLUSIVE)))).isEqualTo(Entry.BUSY);
		this.scene.queued(EXCLUSIVE);
		assertThat(this.scene.enter(this.scene.caller(brief(SHARED)))).isEqualTo(Entry.BUSY);
	}

	@Test
	void firstCallerWaitsForNoTurn() {
		assertThat(this.scene.first(brief(EXCLUSIVE)).awaitsTurn()).isFalse();
	}

	@Test
	void callersOfAFirstRequestHaveTheirTurnWhileThereArePermits() {
		this.scene.acquire(permits(3));
		this.scene.first(permits(3));
		this.scene.queued(brief(permits(3)));
		assertThat(this.scene.enter(this.scene.caller(brief(permits(3))))).isEqualTo(Entry.BUSY);
	}

	@Test
	void callerDoesNotHaveItsTurnBesideAHoldOfAnotherAccess() {
		this.scene.acquire(EXCLUSIVE);
		this.scene.first(SHARED);
		assertThat(this.scene.enter(this.scene.caller(brief(SHARED)))).isEqualTo(Entry.BUSY);
	}

	@Test
	void callerDoesNotHaveItsTurnAfterTheFirstResponse() {
		this.scene.first(SHARED);
		this.scene.response(new AcquisitionOutcome.Busy(Duration.ofSeconds(1)));
		assertThat(this.scene.enter(this.scene.caller(brief(SHARED)))).isEqualTo(Entry.BUSY);
	}

	@Test
	void firstCallerBeginsToWaitWithTheResponseThatTheKeyIsBusy() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		assertThat(caller.waited()).isFalse();
		assertThat(this.scene.response(new AcquisitionOutcome.Busy(Duration.ZERO)).startsWait()).isTrue();
		assertThat(caller.waited()).isTrue();
		assertThat(this.scene.response(new AcquisitionOutcome.Busy(Duration.ZERO)).startsWait()).isFalse();
	}

	@Test
	void firstCallerBeginsToWaitWithTheFailureOfItsRequest() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		this.scene.request();
		LockEngineException failure = new LockEngineException(this.gate.key(), "down", null);
		assertThat(this.scene.fail(this.scene.claim(), failure).startsWait()).isTrue();
		assertThat(caller.waited()).isTrue();
	}

	@Test
	void callerThatIsGrantedTheKeyOrDoesNotWaitNeverBeginsToWait() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		assertThat(this.scene.grant().startsWait()).isFalse();
		assertThat(caller.waited()).isFalse();
		ManualGate other = new ManualGate();
		other.first(SHARED);
		TestCaller brief = other.caller(brief(SHARED));
		assertThat(other.gate.enter(brief).startsWait()).isFalse();
		assertThat(brief.awaitsTurn()).isTrue();
	}

	@Test
	void callerBehindOthersBeginsToWaitWhenItEnters() {
		this.scene.acquire(EXCLUSIVE);
		TestCaller caller = this.scene.caller(EXCLUSIVE);
		assertThat(this.gate.enter(caller).startsWait()).isTrue();
		assertThat(caller.waited()).isTrue();
	}

	/** The claim then belongs to another caller, which has begun to wait. */
	@Test
	void callerThatGaveUpDoesNotBeginToWait() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		this.scene.queued(EXCLUSIVE);
		this.scene.giveUp(caller);
		assertThat(this.scene.response(new AcquisitionOutcome.Busy(Duration.ZERO)).startsWait()).isFalse();
		assertThat(caller.waited()).isFalse();
	}

	@Test
	void grantIsPassedToTheNextCallerThatNeedsTheSame() {
		Hold held = this.scene.acquire(EXCLUSIVE);
		TestCaller next = this.scene.queued(EXCLUSIVE);
		TestCaller last = this.scene.queued(EXCLUSIVE);
		Decision decision = this.scene.leave(held);
		assertThat(ManualGate.woken(decision)).containsExactly(next);
		assertThat(decision.hurries()).isFalse();
		assertThat(decision.freed()).isNull();
		Hold passed = this.scene.open(next);
		assertThat(passed.fencingToken()).isEqualTo(held.fencingToken() + 1);
		assertThat(this.scene.holds()).containsExactly(passed);
		assertThat(last.hasEnded()).isFalse();
		assertThat(passed.isValid(this.scene.clock.nanoTime())).isTrue();
	}

	@Test
	void grantIsReleasedIfItIsInDoubt() {
		Hold held = this.scene.acquire(EXCLUSIVE);
		TestCaller next = this.scene.queued(EXCLUSIVE);
		assertThat(this.scene.leaveWithoutPass(held).freed()).isSameAs(held);
		assertThat(held.isValid(this.scene.clock.nanoTime())).isFalse();
		assertThat(this.scene.holds()).isEmpty();
		assertThat(this.scene.pending()).isNull();
		Duration standBack = Duration.ofSeconds(1);
		Decision decision = this.scene.released(standBack);
		assertThat(decision.requested()).isNotNull().isSameAs(this.scene.pending());
		assertThat(decision.delay()).isEqualTo(standBack);
		assertThat(next.hasEnded()).isFalse();
	}

	@Test
	void grantIsPassedToNoCallerOfAnotherAccess() {
		Hold held = this.scene.acquire(EXCLUSIVE);
		TestCaller reader = this.scene.first(SHARED);
		StoreClaim claim = this.scene.claim();
		Decision decision = this.scene.release(held);
		assertThat(decision.requested()).isNull();
		assertThat(decision.removesGate()).isFalse();
		assertThat(this.scene.claim()).isSameAs(claim);
		assertThat(reader.hasEnded()).isFalse();
	}

	/** Its token could be less than that of a younger hold that has ended. */
	@Test
	void grantOfOneOfSeveralIsNotPassedOn() {
		Hold first = this.scene.acquire(permits(2));
		this.scene.acquire(permits(2));
		TestCaller third = this.scene.queued(permits(2));
		assertThat(this.scene.leave(first).freed()).isSameAs(first);
		assertThat(third.hasEnded()).isFalse();
	}

	/** Its first renewal extends it for the caller that has it then. */
	@Test
	void pushedGrantWithAShortLeaseIsPassedOnWithinAThirdOfThat() {
		TestCaller first = this.scene.first(EXCLUSIVE);
		TestCaller next = this.scene.queued(EXCLUSIVE);
		TestCaller last = this.scene.queued(EXCLUSIVE);
		Hold held = pushed(first, LEASE.dividedBy(3));
		this.scene.clock.advance(LEASE.dividedBy(9).minus(NANO));
		assertThat(ManualGate.woken(this.scene.leave(held))).containsExactly(next);
		Hold passed = this.scene.open(next);
		assertThat(passed.grant.awaitsFirstRenewal()).isTrue();
		assertThat(this.scene.endFirstRenewal(held).woken()).as("still open").isNull();
		assertThat(passed.grant.awaitsFirstRenewal()).isFalse();
		this.scene.leave(passed);
		assertThat(last.hasEnded()).as("not renewed").isFalse();
	}

	/** Its release waits for the extension, since the next caller has it then. */
	@Test
	void pushedGrantThatIsNoLongerFreshIsExtendedBeforeItIsPassedOn() {
		TestCaller first = this.scene.first(EXCLUSIVE);
		TestCaller next = this.scene.queued(EXCLUSIVE);
		Hold held = pushed(first, LEASE.dividedBy(3));
		this.scene.clock.advance(LEASE.dividedBy(9));
		assertThat(this.scene.leave(held).hurries()).isTrue();
		assertThat(this.scene.holds()).containsExactly(held);
		assertThat(next.hasEnded()).isFalse();
		held.grant.confirm(this.scene.clock.nanoTime());
		held.grant.extend(this.scene.clock.nanoTime() + LEASE.toNanos(), this.scene.clock.nanoTime());
		Decision decision = this.scene.endFirstRenewal(held);
		assertThat(ManualGate.woken(decision)).containsExactly(next);
	}

	private Hold pushed(TestCaller to, Duration lease) {
		this.scene.request();
		this.scene.push(this.scene.claim(), this.scene.granted(lease));
		return this.scene.open(to);
	}

}
