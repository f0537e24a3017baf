package io.leasehold.service.gate;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.leasehold.LockEngineException;
import io.leasehold.LossCause;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.service.gate.ManualGate.TestCaller;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

import static io.leasehold.service.gate.ManualGate.EXCLUSIVE;
import static io.leasehold.service.gate.ManualGate.LEASE;
import static io.leasehold.service.gate.ManualGate.NANO;
import static io.leasehold.service.gate.ManualGate.SHARED;
import static io.leasehold.service.gate.ManualGate.brief;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * When the requests of a claim are sent again, and what stops them.
 */
class StoreClaimTests {

	private static final AcquisitionOutcome.Busy BUSY = new AcquisitionOutcome.Busy(Duration.ofSeconds(3));

	private final ManualGate scene = new ManualGate();

	private final KeyGate gate = this.scene.gate;

	@Test
	void signalIsFollowedByARequestUnlessOneIsUnderWay() {
		this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		this.scene.response(BUSY);
		Decision decision = this.gate.signalled(claim, new Signal.Retry());
		assertThat(decision.requested()).isSameAs(claim);
		assertThat(decision.delay()).isZero();
		this.scene.request();
		assertThat(this.gate.signalled(claim, new Signal.Retry()).requested()).isNull();
	}

	/** The request under way was sent for a caller that does not wait. */
	@Test
	void claimThatDoesNotWaitIsReplacedAfterItsResponse() {
		TestCaller attempt = this.scene.first(brief(SHARED));
		this.scene.queued(SHARED);
		StoreClaim claim = this.scene.claim();
		Claim requested = this.scene.request();
		assertThat(this.scene.giveUp(attempt).requested()).isNull();
		Decision decision = this.scene.answer(claim, BUSY);
		assertThat(decision.requested()).isNotSameAs(claim).isSameAs(this.scene.pending());
		assertThat(decision.delay()).isZero();
		assertThat(this.scene.request()).matches(Claim::waits).isNotEqualTo(requested);
	}

	/** The report overtook the response that granted the key, and a pushed grant. */
	@Fault(178)
	@Test
	void revokedGrantIsNotHandedOutHoweverItArrives() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		this.scene.response(BUSY);
		AcquisitionOutcome.Granted revoked = this.scene.granted(LEASE);
		Claim requested = this.scene.request();
		this.gate.revoked(Set.of(revoked.number()), (any) -> true);
		Decision decision = this.scene.answer(claim, revoked);
		assertThat(decision.released()).isEqualTo(requested);
		assertThat(this.scene.push(claim, revoked)).satisfies(StoreClaimTests::hasNoEffect);
		assertThat(caller.hasEnded()).isFalse();
		Claim next = this.scene.request();
		assertThat(next.owner()).isNotEqualTo(requested.owner());
		this.scene.push(claim, revoked);
		assertThat(caller.hasEnded()).isFalse();
		this.scene.answer(this.scene.claim(), this.scene.granted(LEASE));
		assertThat(caller.hold()).isNotNull();
	}

	/** Requests that begin after the report do not make the revoked grant valid. */
	@Fault(178)
	@Test
	void revokedGrantIsNotHandedOutAfterAnotherRequestBegan() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		this.scene.response(BUSY);
		AcquisitionOutcome.Granted revoked = this.scene.granted(LEASE);
		this.gate.revoked(Set.of(revoked.number()), (any) -> true);
		this.scene.request();
		Decision decision = this.scene.push(claim, revoked);
		assertThat(caller.hasEnded()).isFalse();
		assertThat(decision.requested()).isNotSameAs(claim).isSameAs(this.scene.pending());
	}

	@Test
	void grantThatIsYoungerThanTheRevokedOneIsHandedOut() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		this.scene.response(BUSY);
		this.gate.revoked(Set.of(this.scene.granted(LEASE).number()), (any) -> true);
		this.scene.push(claim, this.scene.granted(LEASE));
		assertThat(caller.hold()).isNotNull();
	}

	@Test
	void pushedGrantThatCouldNotBeExtendedIsReleased() {
		Hold held = pushed(LEASE.dividedBy(3));
		this.scene.queued(EXCLUSIVE);
		this.scene.clock.advance(LEASE.dividedBy(9));
		assertThat(this.scene.leave(held).hurries()).isTrue();
		assertThat(this.scene.endFirstRenewal(held).freed()).isSameAs(held);
	}

	@Test
	void cancelledHoldIsReleasedAfterTheResponseToTheRequestInFlight() {
		this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		this.scene.response(BUSY);
		Claim requested = this.scene.request();
		this.scene.push(claim, this.scene.granted(LEASE));
		Hold held = this.scene.holds().get(0);
		this.gate.opened(held, this, false);
		assertThat(this.scene.lose(held, LossCause.CANCELLED).loss()).isNotNull()
			.satisfies((loss) -> assertThat(loss.rest()).isNull());
		assertThat(this.scene.close(held).released()).isNull();
		Decision decision = this.scene.answer(claim, BUSY);
		assertThat(decision.released()).isEqualTo(requested);
		assertThat(decision.delay()).isZero();
	}

	private Hold pushed(Duration lease) {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		this.scene.response(BUSY);
		this.scene.push(this.scene.claim(), this.scene.granted(lease));
		return this.scene.open(caller);
	}

	@Test
	void signalOfAClaimThatIsOverIsIgnored() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		this.scene.response(BUSY);
		this.scene.giveUp(caller);
		assertThat(this.scene.push(claim, this.scene.granted(LEASE))).satisfies(StoreClaimTests::hasNoEffect);
		assertThat(this.gate.signalled(claim, new Signal.Retry())).satisfies(StoreClaimTests::hasNoEffect);
		assertThat(this.scene.holds()).isEmpty();
	}

	@Test
	void timerAndListenerAreStoppedWithTheClaim() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		Decision busy = this.scene.response(BUSY);
		boolean[] closed = new boolean[1];
		Subscription listener = () -> closed[0] = true;
		claim.next().subscribed(listener);
		Future<?> timer = new CompletableFuture<>();
		claim.next().planned(busy.plan(), timer);
		Decision decision = this.scene.giveUp(caller);
		assertThat(decision.ended()).isSameAs(claim.next());
		assertThat(timer).isNotCancelled();
		assertThat(closed[0]).isFalse();
		claim.next().stop();
		assertThat(timer).isCancelled();
		assertThat(closed[0]).isTrue();
	}

	@Test
	void timerAndListenerThatComeAfterTheEndAreStoppedAtOnce() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		Decision busy = this.scene.response(BUSY);
		this.scene.giveUp(caller);
		claim.next().stop();
		boolean[] closed = new boolean[1];
		claim.next().subscribed(() -> closed[0] = true);
		assertThat(closed[0]).isTrue();
		Future<?> late = new CompletableFuture<>();
		claim.next().planned(busy.plan(), late);
		assertThat(late).isCancelled();
	}

	@Test
	void listenerIsStoppedWithTheGrant() {
		this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		this.scene.response(BUSY);
		claim.next().subscribed(() -> {
		});
		assertThat(this.scene.grant().ended()).isSameAs(claim.next());
	}

	@Test
	void claimWithoutTimerAndListenerNeedsNoStop() {
		this.scene.first(EXCLUSIVE);
		assertThat(this.scene.grant().ended()).isNull();
	}

	@Test
	void timerOfARequestThatWasPlannedAgainIsObsolete() {
		this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		int first = this.scene.response(BUSY).plan();
		Future<?> former = new CompletableFuture<>();
		claim.next().planned(first, former);
		int second = this.gate.signalled(claim, new Signal.Retry()).plan();
		Future<?> late = new CompletableFuture<>();
		claim.next().planned(first, late);
		assertThat(late).isCancelled();
		assertThat(former).isNotCancelled();
		Future<?> next = new CompletableFuture<>();
		claim.next().planned(second, next);
		assertThat(former).isCancelled();
		assertThat(next).isNotCancelled();
	}

	/** The thread that plans it was overtaken by a signal and its response. */
	@Test
	void timerOfARequestThatBeganMeanwhileIsObsolete() {
		this.scene.first(EXCLUSIVE);
		StoreClaim claim = this.scene.claim();
		int first = this.scene.response(BUSY).plan();
		int second = this.scene.response(BUSY).plan();
		Future<?> timer = new CompletableFuture<>();
		claim.next().planned(second, timer);
		Future<?> late = new CompletableFuture<>();
		claim.next().planned(first, late);
		assertThat(late).isCancelled();
		assertThat(timer).isNotCancelled();
		this.scene.request();
		Future<?> later = new CompletableFuture<>();
		claim.next().planned(second, later);
		assertThat(later).isCancelled();
	}

	@Test
	void listenerThatDidNotOpenIsTriedAgainWithTheNextResponse() {
		this.scene.first(EXCLUSIVE);
		assertThat(this.scene.response(BUSY).listens()).isTrue();
		this.scene.claim().next().subscribed(null);
		assertThat(this.scene.response(BUSY).listens()).isTrue();
	}

	/**
	 * The store may have granted the claim already. Its token would be less than that of
	 * a younger grant that others shared and released before the successor came. The
	 * simulator found this.
	 */
	@Test
	void sharedClaimIsNotInheritedByACallerThatCameAfterItsRequest() {
		TestCaller first = this.scene.first(SHARED);
		StoreClaim claim = this.scene.claim();
		Claim requested = this.scene.request();
		this.scene.clock.advance(NANO);
		this.scene.queued(SHARED);
		this.scene.fail(claim, new LockEngineException(this.gate.key(), "silent", null));
		Decision decision = this.scene.giveUp(first);
		assertThat(decision.released()).isEqualTo(requested);
		assertThat(decision.requested()).isSameAs(this.scene.claim()).isNotSameAs(claim);
	}

	@Test
	void sharedClaimIsInheritedByACallerThatCameBeforeItsLastRequest() {
		TestCaller first = this.scene.first(SHARED);
		StoreClaim claim = this.scene.claim();
		this.scene.clock.advance(NANO);
		this.scene.queued(SHARED);
		this.scene.response(new AcquisitionOutcome.Busy(LEASE));
		this.scene.giveUp(first);
		assertThat(this.scene.claim()).isSameAs(claim);
	}

	private static void hasNoEffect(Decision decision) {
		assertThat(decision.woken()).isNull();
		assertThat(decision.requested()).isNull();
		assertThat(decision.released()).isNull();
	}

}
