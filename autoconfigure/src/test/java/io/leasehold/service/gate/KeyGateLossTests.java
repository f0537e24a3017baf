package io.leasehold.service.gate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.leasehold.LockLostException;
import io.leasehold.LockOverview;
import io.leasehold.LossCause;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.service.gate.ManualGate.TestCaller;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.leasehold.service.gate.ManualGate.EXCLUSIVE;
import static io.leasehold.service.gate.ManualGate.LEASE;
import static io.leasehold.service.gate.ManualGate.NANO;
import static io.leasehold.service.gate.ManualGate.SHARED;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a gate decides when a hold is lost, cancelled or dropped, and what it reports.
 */
class KeyGateLossTests {

	private static final Duration DELAY = Duration.ofSeconds(5);

	private ManualGate scene = new ManualGate();

	private KeyGate gate = this.scene.gate;

	@Test
	void lostHoldMakesTheKeyAvailableAndLeavesTheRestOfItsLease() {
		Hold held = this.scene.acquire(EXCLUSIVE.toBuilder().lockDelay(DELAY).build());
		TestCaller next = this.scene.queued(EXCLUSIVE);
		this.scene.clock.advance(Duration.ofSeconds(4));
		Decision decision = this.scene.lose(held, LossCause.NOT_OWNER);
		Decision.Loss loss = Objects.requireNonNull(decision.loss());
		assertThat(loss.hold()).isSameAs(held);
		assertThat(loss.used()).isTrue();
		assertThat(loss.rest()).isEqualTo(LEASE.minusSeconds(4).plus(DELAY));
		assertThat(decision.requested()).isNotNull().isSameAs(this.scene.pending());
		assertThat(decision.delay()).isZero();
		assertThat(held.lossCause()).isEqualTo(LossCause.NOT_OWNER);
		assertThat(held.isValid(this.scene.clock.nanoTime())).isFalse();
		assertThat(this.scene.holds()).isEmpty();
		this.scene.grant();
		assertThat(next.hold()).isNotNull();
	}

	@Test
	void endOfTheLongestHoldTimeIsFollowedByTheLockDelayAlone() {
		Hold held = this.scene.acquire(EXCLUSIVE.toBuilder().maxHold(Duration.ofSeconds(20)).lockDelay(DELAY).build());
		this.scene.clock.advance(Duration.ofSeconds(20));
		assertThat(lose(held, LossCause.MAX_HOLD).rest()).isEqualTo(DELAY);
	}

	@Test
	void lossOfTheOnlyHoldRemovesTheGate() {
		assertThat(this.scene.lose(this.scene.acquire(EXCLUSIVE), LossCause.EXPIRED).removesGate()).isTrue();
	}

	@Test
	void holdIsLostOnce() {
		Hold held = this.scene.acquire(EXCLUSIVE);
		lose(held, LossCause.EXPIRED);
		for (LossCause cause : LossCause.values()) {
			assertThat(this.scene.lose(held, cause).loss()).isNull();
		}
		assertThat(held.lossCause()).isEqualTo(LossCause.EXPIRED);
	}

	@Test
	void onlyOneOfSeveralHoldersIsLost() {
		Hold lost = this.scene.acquire(SHARED);
		Hold other = this.scene.acquire(SHARED);
		assertThat(this.scene.lose(lost, LossCause.NOT_OWNER).removesGate()).isFalse();
		assertThat(this.scene.holds()).containsExactly(other);
		assertThat(other.isValid(this.scene.clock.nanoTime())).isTrue();
	}

	/** The store reports the loss of a grant that was passed on meanwhile. */
	@Test
	void lossOfAGrantEndsTheHoldThatItWasPassedTo() {
		Hold held = this.scene.acquire(EXCLUSIVE);
		TestCaller next = this.scene.queued(EXCLUSIVE);
		this.scene.leave(held);
		Hold passed = this.scene.open(next);
		Decision.Loss loss = lose(held, LossCause.NOT_OWNER);
		assertThat(loss.hold()).isSameAs(passed);
		assertThat(passed.lossCause()).isEqualTo(LossCause.NOT_OWNER);
		assertThat(held.lossCause()).isNull();
	}

	@ParameterizedTest
	@EnumSource(names = { "MAX_HOLD", "ABANDONED" })
	void causeThatConcernsAFormerHolderOnlyDoesNotEndTheNextHold(LossCause cause) {
		Hold held = this.scene.acquire(EXCLUSIVE);
		TestCaller next = this.scene.queued(EXCLUSIVE);
		this.scene.leave(held);
		assertThat(this.scene.lose(held, cause).loss()).isNull();
		assertThat(this.scene.holds()).containsExactly(next.hold());
	}

	@Test
	void lossOfAReleasedHoldDoesNotEndThatOfAnotherGrant() {
		Hold held = this.scene.acquire(SHARED);
		Hold other = this.scene.acquire(SHARED);
		this.scene.release(held);
		assertThat(this.scene.lose(held, LossCause.NOT_OWNER).loss()).isNull();
		assertThat(this.scene.holds()).containsExactly(other);
	}

	@Test
	void holderOfALostHoldIsNotifiedUnlessItHasClosedIt() {
		Hold held = this.scene.acquire(EXCLUSIVE.toBuilder().minHold(DELAY).build());
		List<LockLostException> losses = new ArrayList<>();
		assertThat(held.onLost(this, losses::add)).isFalse();
		held.removeLossActions(this);
		assertThat(this.scene.close(held).closes()).isTrue();
		Decision.Loss loss = lose(held, LossCause.EXPIRED);
		assertThat(loss.used()).isFalse();
		assertThat(loss.actions()).isEmpty();
	}

	@Test
	void holdThatItsCallerHasNotOpenedHasNoHolderToNotify() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		this.scene.grant();
		Hold unopened = Objects.requireNonNull(caller.hold());
		assertThat(lose(unopened, LossCause.EXPIRED).used()).isFalse();
		assertThat(this.gate.opened(unopened, new Object(), false)).isNull();
	}

	@Test
	void actionsOfTheHolderAreDueWithTheLoss() {
		Hold held = this.scene.acquire(EXCLUSIVE);
		List<LockLostException> losses = new ArrayList<>();
		assertThat(held.onLost(this, losses::add)).isFalse();
		assertThat(held.onLost(this, losses::add)).isFalse();
		assertThat(lose(held, LossCause.EXPIRED).actions()).hasSize(2);
		assertThat(held.onLost(this, losses::add)).isTrue();
	}

	@Test
	void cancelledHoldIsLostUnlessItWasClosed() {
		Hold held = this.scene.acquire(SHARED);
		Hold closed = this.scene.acquire(SHARED);
		this.scene.close(closed);
		assertThat(this.scene.lose(closed, LossCause.CANCELLED).loss()).isNull();
		assertThat(lose(held, LossCause.CANCELLED).hold()).isSameAs(held);
		assertThat(held.lossCause()).isEqualTo(LossCause.CANCELLED);
		assertThat(this.scene.lose(held, LossCause.CANCELLED).loss()).isNull();
	}

	@Test
	void formerHolderDoesNotCancelTheHoldThatItsGrantWasPassedTo() {
		Hold held = this.scene.acquire(EXCLUSIVE);
		TestCaller next = this.scene.queued(EXCLUSIVE);
		this.scene.leave(held);
		assertThat(this.scene.lose(held, LossCause.CANCELLED).loss()).isNull();
		assertThat(this.scene.holds()).containsExactly(next.hold());
	}

	@Test
	void closedHoldsAreDroppedBeforeTheEndOfTheirMinHold() {
		Hold open = this.scene.acquire(SHARED.toBuilder().minHold(DELAY).build());
		Hold closed = this.scene.acquire(SHARED.toBuilder().minHold(DELAY).build());
		this.scene.close(closed);
		this.scene.clock.advance(DELAY.minus(NANO));
		assertThat(this.scene.drain().removesGate()).isFalse();
		assertThat(this.scene.holds()).containsExactly(open);
		assertThat(closed.isValid(this.scene.clock.nanoTime())).isFalse();
		this.scene.close(open);
		assertThat(this.scene.drain().removesGate()).isTrue();
	}

	/** It is left although this is not known yet. */
	@Test
	void closedHoldsAreNotDroppedAtTheEndOfTheirMinHold() {
		Hold closed = this.scene.acquire(EXCLUSIVE.toBuilder().minHold(DELAY).build());
		assertThat(this.scene.close(closed).leaving()).isSameAs(closed);
		this.scene.clock.advance(DELAY);
		assertThat(this.scene.drain().removesGate()).isFalse();
		assertThat(this.scene.holds()).containsExactly(closed);
		assertThat(this.gate.keepingEnded(closed.grant).freed()).isSameAs(closed);
	}

	@Test
	void waitersBehindAClosedHoldAreRejectedWhenItIsDropped() {
		Hold closed = this.scene.acquire(EXCLUSIVE.toBuilder().minHold(DELAY).build());
		TestCaller waiter = this.scene.queued(EXCLUSIVE);
		this.scene.close(closed);
		Decision decision = this.scene.drain();
		assertThat(ManualGate.woken(decision)).containsExactly(waiter);
		assertThat(waiter.failure()).hasMessageContaining("shutting down");
		assertThat(decision.requested()).isNull();
		assertThat(decision.removesGate()).isTrue();
	}

	/** Its gate was just created. */
	@Test
	void callerThatEntersDuringTheShutdownIsRejectedAndLeavesNoGate() {
		this.gate.rules.drain(true);
		TestCaller caller = this.scene.caller(EXCLUSIVE);
		Decision decision = this.gate.enter(caller);
		assertThat(ManualGate.woken(decision)).containsExactly(caller);
		assertThat(caller.failure()).hasMessageContaining("shutting down");
		assertThat(decision.first()).isNull();
		assertThat(decision.removesGate()).isTrue();
		assertThat(decision.entersAgain()).isFalse();
	}

	@Test
	void overviewShowsOpenHoldsAndCallersThatWait() {
		Hold open = this.scene.acquire(SHARED);
		Hold closed = this.scene.acquire(SHARED);
		this.scene.close(closed);
		firstThatWaits();
		this.scene.queued(SHARED);
		this.scene.clock.advance(Duration.ofSeconds(10));
		LockOverview overview = overview();
		assertThat(overview.held()).singleElement().satisfies((held) -> {
			assertThat(held.fencingToken()).isEqualTo(open.fencingToken());
			assertThat(held.key()).isEqualTo(this.gate.key());
			assertThat(held.engine()).isEqualTo("local");
			assertThat(held.waiting()).isEqualTo(2);
			assertThat(held.remaining()).isEqualTo(LEASE.minusSeconds(10));
			assertThat(held.handles()).isOne();
		});
		assertThat(overview.waiting()).hasSize(2)
			.allSatisfy((waiting) -> assertThat(waiting.remaining())
				.isEqualTo(ManualGate.WAIT.minus(Duration.ofSeconds(10))));
	}

	@Test
	void pauseDuringASurveyMovesNoTime() {
		this.scene.acquire(SHARED);
		firstThatWaits();
		Survey survey = new Survey(this.scene.clock.nanoTime());
		survey.add(this.gate.describe());
		this.scene.clock.advance(Duration.ofSeconds(10));
		survey.add(this.gate.describe());
		LockOverview overview = survey.overview();
		assertThat(overview.held()).hasSize(2)
			.extracting(LockOverview.Held::since)
			.containsOnly(overview.held().get(0).since());
		assertThat(overview.waiting()).hasSize(2)
			.extracting(LockOverview.Waiting::since)
			.containsOnly(overview.waiting().get(0).since());
	}

	@Test
	void overviewOmitsAHoldThatItsCallerHasNotOpened() {
		this.scene.first(EXCLUSIVE);
		this.scene.grant();
		assertThat(overview()).isEqualTo(new LockOverview(List.of(), List.of(), List.of()));
	}

	private void firstThatWaits() {
		this.scene.first(EXCLUSIVE);
		this.scene.response(new AcquisitionOutcome.Busy(Duration.ofSeconds(1)));
	}

	private LockOverview overview() {
		Survey survey = new Survey(this.scene.clock.nanoTime());
		survey.add(this.gate.describe());
		return survey.overview();
	}

	private Decision.Loss lose(Hold held, LossCause cause) {
		Decision.Loss loss = this.scene.lose(held, cause).loss();
		assertThat(loss).isNotNull();
		return loss;
	}

}
