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
		Actions actions = this.scene.response(BUSY);
		assertThat(actions.listens()).isTrue();
		assertThat(actions.requested()).isSameAs(claim);
		assertThat(actions.delay()).isEqualTo(BUSY.retryIn());
		assertThat(this.scene.response(BUSY).listens()).isFalse();
	}

	@Test
	void busyClaimThatWasSignalledMeanwhileIsRequestedAtOnce() {
		this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		Claim requested = this.scene.request();
		assertThat(this.gate.begin(claim)).isNull();
		Actions actions = this.gate.responded(claim, requested, this.scene.clock.nanoTime(), BUSY);
		assertThat(actions.delay()).isZero();
		assertThat(this.scene.response(BUSY).delay()).isEqualTo(BUSY.retryIn());
	}

	@Test
	void callerThatDoesNotWaitIsBusyAndItsGateIsRemoved() {
		TestCaller caller = this.scene.first(brief(EXCLUSIVE));
		this.scene.clock.advance(Duration.ofMillis(7));
		Actions actions = this.scene.response(BUSY);
		assertThat(ManualGate.woken(actions)).containsExactly(caller);
		assertThat(caller.failure()).isInstanceOf(LockBusyException.class).hasMessageContaining(" 7 ms");
		assertThat(actions.removesGate()).isTrue();
		assertThat(actions.listens()).isFalse();
		assertThat(actions.requested()).isNull();
		assertThat(actions.released()).isNull();
	}

	@Test
	void callersThatDoNotWaitAreAllBusyAndTheWaiterBehindThemHasANewClaim() {
		TestCaller first = this.scene.first(brief(SHARED));
		TestCaller second = this.scene.queued(brief(SHARED));
		TestCaller waiter = this.scene.queued(SHARED);
		StoreClaim claim = this.scene.claim();
		Actions actions = this.scene.response(BUSY);
		assertThat(ManualGate.woken(actions)).containsExactly(first, second);
		assertThat(waiter.hasEnded()).isFalse();
		assertThat(actions.requested()).isNotSameAs(claim).isSameAs(this.gate.remote());
		assertThat(actions.released()).isNull();
		assertThat(actions.delay()).isZero();
		assertThat(this.scene.request().waits()).isTrue();
	}

	@Test
	void callerBetweenWaitersIsBusyWithTheFirstResponse() {
		this.scene.first(SHARED);
		this.scene.queued(brief(SHARED));
		TestCaller waiter = this.scene.queued(SHARED);
		Actions actions = this.scene.response(BUSY);
		assertThat(ManualGate.woken(actions)).hasSize(1);
		assertThat(ManualGate.woken(this.scene.response(BUSY))).isEmpty();
		assertThat(waiter.hasEnded()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void grantThatEndsAtItsResponseIsReleasedAndTheKeyRequestedByAnotherClaim(boolean waits) {
		TestCaller caller = this.scene.first(waits ? EXCLUSIVE : brief(EXCLUSIVE));
		StoreClaim claim = this.scene.claim();
		Actions actions = this.scene.grant(Duration.ZERO);
		assertThat(caller.hasEnded()).isFalse();
		assertThat(actions.released()).isEqualTo(claim.claim());
		assertThat(actions.requested()).isNotSameAs(claim).isSameAs(this.gate.remote());
		assertThat(actions.delay()).isZero();
		assertThat(this.gate.begin(claim)).isNull();
		this.scene.grant(NANO);
		assertThat(caller.hold()).isNotNull();
	}

	@Test
	void contradictionEndsTheWaitOfAllWithTheSameNumberOfPermits() {
		TestCaller first = this.scene.first(permits(3));
		TestCaller writer = this.scene.queued(EXCLUSIVE);
		TestCaller second = this.scene.queued(permits(3));
		Actions actions = this.scene.response(new AcquisitionOutcome.Contradicted(Access.permits(2)));
		assertThat(ManualGate.woken(actions)).containsExactly(first, second);
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
		Actions actions = this.gate.noResponse(claim, failure);
		assertThat(brief.failure()).isInstanceOf(LockEngineException.class).hasMessageContaining("down");
		assertThat(waiter.hasEnded()).isFalse();
		assertThat(actions.requested()).isNotSameAs(claim).isSameAs(this.gate.remote());
		assertThat(actions.released()).isEqualTo(claim.claim());
		assertThat(this.gate.failureFor(waiter, false)).isSameAs(failure);
		this.scene.request();
		actions = this.gate.noResponse(this.scene.claim(), failure);
		assertThat(actions.delay()).isPositive();
		assertThat(this.gate.failureFor(waiter, false)).isSameAs(failure);
		this.scene.response(BUSY);
		assertThat(this.gate.failureFor(waiter, false)).isNull();
	}

	/** A waiter is busy if others had the key during its wait. */
	@Test
	void storeIsSilentForWaitersWhoseClaimHadNoResponseDuringTheirWholeWait() {
		TestCaller first = this.scene.first(EXCLUSIVE);
		TestCaller second = this.scene.queued(EXCLUSIVE);
		this.scene.request();
		this.scene.clock.advance(Duration.ofMillis(100).minus(NANO));
		assertThat(this.gate.failureFor(first, false)).isNull();
		this.scene.clock.advance(NANO);
		assertThat(this.gate.failureFor(first, false)).hasMessageContaining("did not respond");
		assertThat(this.gate.failureFor(second, false)).hasMessageContaining("did not respond");
		this.gate.responded(this.scene.claim(), this.scene.claim().claim(), this.scene.clock.nanoTime(),
				this.scene.granted(LEASE));
		TestCaller third = this.scene.queued(EXCLUSIVE);
		assertThat(this.gate.failureFor(third, false)).isNull();
		this.scene.clock.advance(NANO);
		Hold held = this.scene.open(first);
		this.gate.close(held);
		this.gate.leave(held, false, this.scene.clock.nanoTime());
		this.gate.released(Duration.ZERO);
		assertThat(this.scene.claim().hasResponse()).isFalse();
		assertThat(this.gate.failureFor(third, false)).isNull();
	}

	@Test
	void failureThatIsNotWorthARetryEndsTheWaitOfAll() {
		TestCaller first = this.scene.first(EXCLUSIVE);
		TestCaller second = this.scene.queued(EXCLUSIVE);
		Claim requested = this.scene.request();
		Actions actions = this.gate.noResponse(this.scene.claim(),
				new LockEngineException(this.gate.key(), "no such table", null, false));
		assertThat(ManualGate.woken(actions)).containsExactly(first, second);
		assertThat(first.failure()).hasMessage("no such table").isNotSameAs(second.failure());
		assertThat(actions.requested()).isNull();
		assertThat(actions.released()).isEqualTo(requested);
		assertThat(actions.removesGate()).isTrue();
		assertThat(this.gate.failureFor(first, false)).isNull();
	}

	@Test
	void callersAreRefusedAndTheGateIsRemoved() {
		TestCaller first = this.scene.first(EXCLUSIVE);
		TestCaller second = this.scene.queued(EXCLUSIVE);
		Actions actions = this.gate.refuse(new LockEngineException(this.gate.key(), "shutting down", null));
		assertThat(ManualGate.woken(actions)).containsExactly(first, second);
		assertThat(second.failure()).hasMessage("shutting down");
		assertThat(actions.removesGate()).isTrue();
	}

	/** What is under way may still be granted. */
	@Test
	void claimThatWasGivenUpDuringItsRequestIsReleasedAfterTheResponse() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		Claim requested = this.scene.request();
		Actions actions = this.gate.giveUp(caller, new IllegalStateException("given up"));
		assertThat(actions.released()).isNull();
		assertThat(actions.removesGate()).isTrue();
		actions = this.gate.responded(claim, requested, this.scene.clock.nanoTime(), this.scene.granted(LEASE));
		assertThat(actions.released()).isEqualTo(requested);
		assertThat(actions.requested()).isNull();
		assertThat(this.gate.holds()).isEmpty();
	}

	@Test
	void claimThatWasGivenUpDuringItsRequestIsReleasedWithoutAResponse() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		Claim requested = this.scene.request();
		this.gate.giveUp(caller, new IllegalStateException("given up"));
		Actions actions = this.gate.noResponse(claim, new LockEngineException(this.gate.key(), "down", null));
		assertThat(actions.released()).isEqualTo(requested);
		assertThat(actions.requested()).isNull();
		assertThat(this.gate.begin(claim)).isNull();
	}

	/** The store pushes a grant while a request of the same claim is under way. */
	@Test
	void responseAfterAPushedGrantReleasesNothingWhileItIsHeld() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		this.scene.response(BUSY);
		Claim requested = this.scene.request();
		this.gate.signalled(claim, new Signal.Pushed(this.scene.granted(LEASE)));
		Hold held = this.scene.open(caller);
		Actions actions = this.gate.responded(claim, requested, this.scene.clock.nanoTime(), BUSY);
		assertThat(actions.released()).isNull();
		assertThat(actions.requested()).isNull();
		assertThat(this.scene.leave(held)).isSameAs(Action.RELEASE);
	}

	@Test
	void holdThatIsLeftDuringARequestOfItsClaimIsReleasedAfterTheResponse() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		this.scene.response(BUSY);
		Claim requested = this.scene.request();
		this.gate.signalled(claim, new Signal.Pushed(this.scene.granted(LEASE)));
		Hold held = this.scene.open(caller);
		assertThat(this.scene.leave(held).removesGate()).isTrue();
		Actions actions = this.gate.responded(claim, requested, this.scene.clock.nanoTime(), BUSY);
		assertThat(actions.released()).isEqualTo(requested);
	}

	@Test
	void callerGivesUpOnce() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		this.scene.grant();
		assertThat(this.gate.giveUp(caller, new IllegalStateException("too late"))).isSameAs(Action.NONE);
		assertThat(caller.failure()).isNull();
		assertThat(this.gate.holds()).containsExactly(caller.hold());
	}

	@Test
	void callerThatWasNeverQueuedGivesUpWithoutAnEffectOnTheQueue() {
		TestCaller first = this.scene.first(EXCLUSIVE);
		TestCaller second = this.scene.queued(EXCLUSIVE);
		TestCaller busy = this.scene.caller(brief(EXCLUSIVE));
		this.gate.enter(busy);
		Actions actions = this.gate.giveUp(busy, new IllegalStateException("given up"));
		assertThat(actions.removesGate()).isFalse();
		assertThat(ManualGate.woken(this.scene.grant())).containsExactly(first);
		assertThat(ManualGate.woken(this.scene.leave(this.scene.open(first)))).containsExactly(second);
	}

	@Test
	void waitersThatShareTheKeyClaimItOneAfterTheOther() {
		this.scene.first(SHARED);
		TestCaller second = this.scene.queued(SHARED);
		Actions actions = this.scene.grant();
		assertThat(actions.requested()).isNotNull().isSameAs(this.gate.remote());
		this.scene.grant();
		assertThat(second.hold()).isNotNull();
	}

	@Test
	void successorInheritsTheClaimThatItNeeds() {
		TestCaller first = this.scene.first(EXCLUSIVE);
		TestCaller second = this.scene.queued(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		this.scene.response(BUSY);
		Actions actions = this.gate.giveUp(first, new IllegalStateException("given up"));
		assertThat(ManualGate.woken(actions)).containsExactly(first);
		assertThat(actions.requested()).isNull();
		assertThat(actions.released()).isNull();
		assertThat(this.scene.claim()).isSameAs(claim);
		this.scene.grant();
		assertThat(second.hold()).isNotNull();
	}

	@Test
	void successorThatDoesNotWaitInheritsTheClaimAsItIs() {
		TestCaller first = this.scene.first(brief(SHARED));
		this.scene.queued(brief(SHARED));
		StoreClaim claim = this.scene.claim();
		Actions actions = this.gate.giveUp(first, new IllegalStateException("given up"));
		assertThat(actions.requested()).isNull();
		assertThat(this.scene.claim()).isSameAs(claim);
		assertThat(claim.claim().waits()).isFalse();
	}

	@Test
	void successorOfAnotherAccessBeginsAClaimOfItsOwn() {
		TestCaller first = this.scene.first(EXCLUSIVE);
		this.scene.queued(SHARED);
		StoreClaim claim = this.scene.claim();
		this.scene.response(BUSY);
		Actions actions = this.gate.giveUp(first, new IllegalStateException("given up"));
		assertThat(actions.released()).isEqualTo(claim.claim());
		assertThat(actions.requested()).isSameAs(this.scene.claim()).isNotSameAs(claim);
		assertThat(this.scene.claim().claim().access()).isEqualTo(Access.SHARED);
	}

	@Test
	void waiterInTheMiddleGivesUpWithoutATraceAtTheStore() {
		this.scene.first(EXCLUSIVE);
		TestCaller second = this.scene.queued(SHARED);
		TestCaller third = this.scene.queued(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		Actions actions = this.gate.giveUp(second, new IllegalStateException("given up"));
		assertThat(actions.released()).isNull();
		assertThat(actions.requested()).isNull();
		assertThat(this.scene.claim()).isSameAs(claim);
		assertThat(third.hasEnded()).isFalse();
	}

}
