package io.leasehold.service.gate;

import java.time.Duration;

import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockModeException;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Signal;
import io.leasehold.service.gate.ManualGate.TestCaller;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.leasehold.service.gate.ManualGate.EXCLUSIVE;
import static io.leasehold.service.gate.ManualGate.LEASE;
import static io.leasehold.service.gate.ManualGate.NANO;
import static io.leasehold.service.gate.ManualGate.SHARED;
import static io.leasehold.service.gate.ManualGate.brief;
import static io.leasehold.service.gate.ManualGate.permits;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a gate decides when the store responds or does not, and when waiters give up.
 */
class KeyQueueTests {

	private static final AcquisitionOutcome.Busy BUSY = new AcquisitionOutcome.Busy(Duration.ofSeconds(3));

	private final ManualGate scene = new ManualGate();

	private final KeyGate gate = this.scene.gate;

	@Test
	void busyClaimListensOnceAndIsRequestedAgain() {
		this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		Decision decision = this.scene.response(BUSY);
		assertThat(decision.listens()).isTrue();
		assertThat(decision.requested()).isSameAs(claim);
		assertThat(decision.delay()).isEqualTo(BUSY.retryIn());
		assertThat(this.scene.response(BUSY).listens()).isFalse();
	}

	@Test
	void busyClaimThatWasSignalledMeanwhileIsRequestedAtOnce() {
		this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		this.scene.request();
		assertThat(this.gate.begin(claim)).isFalse();
		Decision decision = this.scene.answer(claim, BUSY);
		assertThat(decision.delay()).isZero();
		assertThat(this.scene.response(BUSY).delay()).isEqualTo(BUSY.retryIn());
	}

	@Test
	void callerThatDoesNotWaitIsBusyAndItsGateIsRemoved() {
		TestCaller caller = this.scene.first(brief(EXCLUSIVE));
		this.scene.clock.advance(Duration.ofMillis(7));
		Decision decision = this.scene.response(BUSY);
		assertThat(ManualGate.woken(decision)).containsExactly(caller);
		assertThat(caller.failure()).isInstanceOf(LockBusyException.class).hasMessageContaining(" 7 ms");
		assertThat(decision.removesGate()).isTrue();
		assertThat(decision.listens()).isFalse();
		assertThat(decision.requested()).isNull();
		assertThat(decision.released()).isNull();
	}

	@Test
	void callersThatDoNotWaitAreAllBusyAndTheWaiterBehindThemHasANewClaim() {
		TestCaller first = this.scene.first(brief(SHARED));
		TestCaller second = this.scene.queued(brief(SHARED));
		TestCaller waiter = this.scene.queued(SHARED);
		StoreClaim claim = this.scene.claim();
		Decision decision = this.scene.response(BUSY);
		assertThat(ManualGate.woken(decision)).containsExactly(first, second);
		assertThat(waiter.hasEnded()).isFalse();
		assertThat(decision.requested()).isNotSameAs(claim).isSameAs(this.scene.pending());
		assertThat(decision.released()).isNull();
		assertThat(decision.delay()).isZero();
		assertThat(this.scene.request().waits()).isTrue();
	}

	@Test
	void callerBetweenWaitersIsBusyWithTheFirstResponse() {
		this.scene.first(SHARED);
		this.scene.queued(brief(SHARED));
		TestCaller waiter = this.scene.queued(SHARED);
		Decision decision = this.scene.response(BUSY);
		assertThat(ManualGate.woken(decision)).hasSize(1);
		assertThat(ManualGate.woken(this.scene.response(BUSY))).isEmpty();
		assertThat(waiter.hasEnded()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void grantThatEndsAtItsResponseIsReleasedAndTheKeyRequestedByAnotherClaim(boolean waits) {
		TestCaller caller = this.scene.first(waits ? EXCLUSIVE : brief(EXCLUSIVE));
		StoreClaim claim = this.scene.claim();
		Decision decision = this.scene.grant(Duration.ZERO);
		assertThat(caller.hasEnded()).isFalse();
		assertThat(decision.released()).isEqualTo(claim.claim());
		assertThat(decision.requested()).isNotSameAs(claim).isSameAs(this.scene.pending());
		assertThat(decision.delay()).isZero();
		assertThat(this.gate.begin(claim)).isFalse();
		this.scene.grant(NANO);
		assertThat(caller.hold()).isNotNull();
	}

	@Test
	void contradictionEndsTheWaitOfAllWithTheSameNumberOfPermits() {
		TestCaller first = this.scene.first(permits(3));
		TestCaller writer = this.scene.queued(EXCLUSIVE);
		TestCaller second = this.scene.queued(permits(3));
		Decision decision = this.scene.response(new AcquisitionOutcome.Contradicted(Access.permits(2)));
		assertThat(ManualGate.woken(decision)).containsExactly(first, second);
		assertThat(first.failure()).isInstanceOf(LockModeException.class);
		assertThat(writer.hasEnded()).isFalse();
		assertThat(this.scene.claim().claim().access()).isEqualTo(Access.EXCLUSIVE);
	}

	@Test
	void failedRequestIsRepeatedAfterAPauseForThoseWhoWait() {
		TestCaller brief = this.scene.first(brief(SHARED));
		TestCaller waiter = this.scene.queued(SHARED);
		LockEngineException failure = new LockEngineException(this.gate.key(), "down", null);
		StoreClaim claim = this.scene.claim();
		this.scene.request();
		Decision decision = this.scene.fail(claim, failure);
		assertThat(brief.failure()).isInstanceOf(LockEngineException.class).hasMessageContaining("down");
		assertThat(waiter.hasEnded()).isFalse();
		assertThat(decision.requested()).isNotSameAs(claim).isSameAs(this.scene.pending());
		assertThat(decision.released()).isEqualTo(claim.claim());
		assertThat(failureFor(waiter)).isSameAs(failure);
		this.scene.request();
		decision = this.scene.fail(this.scene.claim(), failure);
		assertThat(decision.delay()).isPositive();
		assertThat(failureFor(waiter)).isSameAs(failure);
		this.scene.response(BUSY);
		assertThat(failureFor(waiter)).isNull();
	}

	/** A waiter is busy if others had the key during its wait. */
	@Test
	void storeIsSilentForWaitersWhoseClaimHadNoResponseDuringTheirWholeWait() {
		TestCaller first = this.scene.first(EXCLUSIVE);
		TestCaller second = this.scene.queued(EXCLUSIVE);
		this.scene.request();
		this.scene.clock.advance(Duration.ofMillis(100).minus(NANO));
		assertThat(failureFor(first)).isNull();
		this.scene.clock.advance(NANO);
		assertThat(failureFor(first)).hasMessageContaining("did not respond");
		assertThat(failureFor(second)).hasMessageContaining("did not respond");
		this.scene.answer(this.scene.claim(), this.scene.granted(LEASE));
		TestCaller third = this.scene.queued(EXCLUSIVE);
		assertThat(failureFor(third)).isNull();
		this.scene.clock.advance(NANO);
		Hold held = this.scene.open(first);
		this.scene.leaveWithoutPass(held);
		this.scene.released(Duration.ZERO);
		assertThat(this.scene.claim().hasResponse()).isFalse();
		assertThat(failureFor(third)).isNull();
	}

	@Test
	void failureThatIsNotWorthARetryEndsTheWaitOfAll() {
		TestCaller first = this.scene.first(EXCLUSIVE);
		TestCaller second = this.scene.queued(EXCLUSIVE);
		Claim requested = this.scene.request();
		Decision decision = this.scene.fail(this.scene.claim(),
				new LockEngineException(this.gate.key(), "no such table", null, false));
		assertThat(ManualGate.woken(decision)).containsExactly(first, second);
		assertThat(first.failure()).hasMessage("no such table").isNotSameAs(second.failure());
		assertThat(decision.requested()).isNull();
		assertThat(decision.released()).isEqualTo(requested);
		assertThat(decision.removesGate()).isTrue();
		assertThat(failureFor(first)).isNull();
	}

	@Test
	void callersAreRefusedAndTheGateIsRemoved() {
		TestCaller first = this.scene.first(EXCLUSIVE);
		TestCaller second = this.scene.queued(EXCLUSIVE);
		Decision decision = this.scene.drain();
		assertThat(ManualGate.woken(decision)).containsExactly(first, second);
		assertThat(second.failure()).hasMessageContaining("shutting down");
		assertThat(decision.removesGate()).isTrue();
	}

	/** What is under way may still be granted. */
	@Test
	void claimThatWasGivenUpDuringItsRequestIsReleasedAfterTheResponse() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		Claim requested = this.scene.request();
		Decision decision = this.scene.giveUp(caller);
		assertThat(decision.released()).isNull();
		assertThat(decision.removesGate()).isTrue();
		decision = this.scene.answer(claim, this.scene.granted(LEASE));
		assertThat(decision.released()).isEqualTo(requested);
		assertThat(decision.requested()).isNull();
		assertThat(this.scene.holds()).isEmpty();
	}

	@Test
	void claimThatWasGivenUpDuringItsRequestIsReleasedWithoutAResponse() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		Claim requested = this.scene.request();
		this.scene.giveUp(caller);
		Decision decision = this.scene.fail(claim, new LockEngineException(this.gate.key(), "down", null));
		assertThat(decision.released()).isEqualTo(requested);
		assertThat(decision.requested()).isNull();
		assertThat(this.gate.begin(claim)).isFalse();
	}

	/** The store pushes a grant while a request of the same claim is under way. */
	@Test
	void responseAfterAPushedGrantReleasesNothingWhileItIsHeld() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		this.scene.response(BUSY);
		Claim requested = this.scene.request();
		this.scene.push(claim, this.scene.granted(LEASE));
		Hold held = this.scene.open(caller);
		Decision decision = this.scene.answer(claim, BUSY);
		assertThat(decision.released()).isNull();
		assertThat(decision.requested()).isNull();
		assertThat(this.scene.leave(held).freed()).isSameAs(held);
	}

	@Test
	void holdThatIsLeftDuringARequestOfItsClaimIsReleasedAfterTheResponse() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		this.scene.response(BUSY);
		Claim requested = this.scene.request();
		this.scene.push(claim, this.scene.granted(LEASE));
		Hold held = this.scene.open(caller);
		assertThat(this.scene.leave(held).removesGate()).isTrue();
		Decision decision = this.scene.answer(claim, BUSY);
		assertThat(decision.released()).isEqualTo(requested);
	}

	@Test
	void callerGivesUpOnce() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		this.scene.grant();
		assertThat(this.scene.giveUp(caller).woken()).isNull();
		assertThat(caller.failure()).isNull();
		assertThat(this.scene.holds()).containsExactly(caller.hold());
	}

	@Test
	void callerThatWasNeverQueuedGivesUpWithoutAnEffectOnTheQueue() {
		TestCaller first = this.scene.first(EXCLUSIVE);
		TestCaller second = this.scene.queued(EXCLUSIVE);
		TestCaller busy = this.scene.caller(brief(EXCLUSIVE));
		this.scene.enter(busy);
		Decision decision = this.scene.giveUp(busy);
		assertThat(decision.removesGate()).isFalse();
		assertThat(ManualGate.woken(this.scene.grant())).containsExactly(first);
		assertThat(ManualGate.woken(this.scene.leave(this.scene.open(first)))).containsExactly(second);
	}

	@Test
	void waitersThatShareTheKeyClaimItOneAfterTheOther() {
		this.scene.first(SHARED);
		TestCaller second = this.scene.queued(SHARED);
		Decision decision = this.scene.grant();
		assertThat(decision.requested()).isNotNull().isSameAs(this.scene.pending());
		this.scene.grant();
		assertThat(second.hold()).isNotNull();
	}

	@Test
	void successorInheritsTheClaimThatItNeeds() {
		TestCaller first = this.scene.first(EXCLUSIVE);
		TestCaller second = this.scene.queued(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		this.scene.response(BUSY);
		Decision decision = this.scene.giveUp(first);
		assertThat(ManualGate.woken(decision)).containsExactly(first);
		assertThat(decision.requested()).isNull();
		assertThat(decision.released()).isNull();
		assertThat(this.scene.claim()).isSameAs(claim);
		this.scene.grant();
		assertThat(second.hold()).isNotNull();
	}

	@Test
	void successorThatDoesNotWaitInheritsTheClaimAsItIs() {
		TestCaller first = this.scene.first(brief(SHARED));
		this.scene.queued(brief(SHARED));
		StoreClaim claim = this.scene.claim();
		Decision decision = this.scene.giveUp(first);
		assertThat(decision.requested()).isNull();
		assertThat(this.scene.claim()).isSameAs(claim);
		assertThat(claim.claim().waits()).isFalse();
	}

	@Test
	void successorOfAnotherAccessBeginsAClaimOfItsOwn() {
		TestCaller first = this.scene.first(EXCLUSIVE);
		this.scene.queued(SHARED);
		StoreClaim claim = this.scene.claim();
		this.scene.response(BUSY);
		Decision decision = this.scene.giveUp(first);
		assertThat(decision.released()).isEqualTo(claim.claim());
		assertThat(decision.requested()).isSameAs(this.scene.claim()).isNotSameAs(claim);
		assertThat(this.scene.claim().claim().access()).isEqualTo(Access.SHARED);
	}

	@Test
	void waiterInTheMiddleGivesUpWithoutATraceAtTheStore() {
		this.scene.first(EXCLUSIVE);
		TestCaller second = this.scene.queued(SHARED);
		TestCaller third = this.scene.queued(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		Decision decision = this.scene.giveUp(second);
		assertThat(decision.released()).isNull();
		assertThat(decision.requested()).isNull();
		assertThat(this.scene.claim()).isSameAs(claim);
		assertThat(third.hasEnded()).isFalse();
	}

	/** Return why the store has not decided about a waiter, {@code null} if busy. */
	private @Nullable LockEngineException failureFor(TestCaller waiter) {
		StoreClaim pending = this.scene.pending();
		return (pending != null) ? pending.failureSince(waiter.start(), this.scene.clock.nanoTime(), false) : null;
	}

}
