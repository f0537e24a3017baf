package io.leasehold.service.gate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.leasehold.LossCause;
import io.leasehold.service.gate.ManualGate.TestCaller;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static io.leasehold.service.gate.ManualGate.EXCLUSIVE;
import static io.leasehold.service.gate.ManualGate.LEASE;
import static io.leasehold.service.gate.ManualGate.NANO;
import static io.leasehold.service.gate.ManualGate.SHARED;
import static io.leasehold.service.gate.ManualGate.permits;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Handles of the holds of a key, and what becomes of holds that nobody closes.
 */
class KeyHoldsTests {

	private static final Duration DELAY = Duration.ofSeconds(5);

	private ManualGate scene = new ManualGate();

	@Test
	void lastHandleLeavesTheHold() {
		KeyGate gate = this.scene.gate;
		Hold held = this.scene.acquire(EXCLUSIVE);
		Object second = new Object();
		assertThat(gate.open(held, second, false)).isNotNull().isNotSameAs(second);
		assertThat(held.handles()).isEqualTo(2);
		assertThat(gate.close(held)).isFalse();
		assertThat(gate.open(held, second, false)).isNotNull();
		assertThat(gate.close(held)).isFalse();
		assertThat(gate.close(held)).isTrue();
		assertThat(gate.open(held, second, false)).isNull();
	}

	@Test
	void handleOfALostHoldDoesNotLeaveIt() {
		KeyGate gate = this.scene.gate;
		Hold held = this.scene.acquire(EXCLUSIVE);
		assertThat(gate.holdOf(held.grant)).isSameAs(held);
		gate.lose(held, LossCause.EXPIRED);
		assertThat(gate.holdOf(held.grant)).isNull();
		assertThat(gate.close(held)).isFalse();
		assertThat(held.isClosed()).isFalse();
	}

	@Test
	void holdsAreListedInTheirOrder() {
		KeyGate gate = this.scene.gate;
		assertThat(gate.holds()).isEmpty();
		Hold first = this.scene.acquire(SHARED);
		assertThat(gate.holds()).containsExactly(first);
		Hold second = this.scene.acquire(SHARED);
		Hold third = this.scene.acquire(SHARED);
		assertThat(gate.holds()).containsExactly(first, second, third);
		this.scene.release(second);
		assertThat(gate.holds()).containsExactly(first, third);
		this.scene.release(first);
		assertThat(gate.holds()).containsExactly(third);
	}

	@Test
	void boundHoldIsAbandonedByTheEndOfItsThread() throws Exception {
		KeyGate gate = this.scene.gate;
		Thread ended = new Thread(() -> {
		});
		ended.start();
		ended.join();
		assertThat(gate.isAbandoned(acquireBound(ended))).isTrue();
		assertThat(gate.isAbandoned(acquireBound(Thread.currentThread()))).isFalse();
		Hold handedOver = acquireBound(ended);
		gate.open(handedOver, this, false);
		assertThat(gate.isAbandoned(handedOver)).isFalse();
		Hold closed = acquireBound(ended);
		gate.close(closed);
		assertThat(gate.isAbandoned(closed)).isFalse();
		Hold lost = acquireBound(ended);
		gate.lose(lost, LossCause.NOT_OWNER);
		assertThat(gate.isAbandoned(lost)).isFalse();
	}

	private Hold acquireBound(Thread thread) {
		TestCaller caller = this.scene.caller(SHARED, thread);
		this.scene.gate.enter(caller);
		this.scene.grant();
		Hold hold = Objects.requireNonNull(caller.hold());
		this.scene.gate.open(hold, this, true);
		return hold;
	}

	@Test
	void holdIsAbandonedOnceItsFirstHandleIsUnreachable() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		this.scene.grant();
		Hold hold = Objects.requireNonNull(caller.hold());
		assertThat(this.scene.gate.isAbandoned(hold)).isFalse();
		Object[] handle = { new Object() };
		assertThat(this.scene.gate.open(hold, handle[0], false)).isSameAs(handle[0]);
		System.gc();
		assertThat(this.scene.gate.isAbandoned(hold)).isFalse();
		assertThat(this.scene.gate.open(hold, this, false)).isSameAs(handle[0]);
		handle[0] = this;
		await().until(() -> {
			System.gc();
			return this.scene.gate.isAbandoned(hold);
		});
	}

	@Test
	void slowHoldIsReportedOnceWhileItIsOpen() {
		KeyGate gate = this.scene.gate;
		TestCaller caller = this.scene.first(SHARED);
		this.scene.grant();
		Hold held = Objects.requireNonNull(caller.hold());
		assertThat(gate.reportsSlow(held)).isFalse();
		this.scene.open(caller);
		assertThat(gate.reportsSlow(held)).isTrue();
		assertThat(gate.reportsSlow(held)).isFalse();
		Hold closed = this.scene.acquire(SHARED);
		gate.close(closed);
		assertThat(gate.reportsSlow(closed)).isFalse();
	}

	@Test
	void callerThatWaitsForItsOwnHoldIsReportedOnce() {
		KeyGate gate = this.scene.gate;
		Hold held = this.scene.acquire(EXCLUSIVE);
		TestCaller caller = this.scene.queued(EXCLUSIVE);
		assertThat(gate.reportsSelfWait(held, caller)).isTrue();
		assertThat(gate.reportsSelfWait(held, caller)).isFalse();
		assertThat(gate.reportsSelfWait(held, caller.under(held))).isFalse();
	}

	/** Its thread may have handed the first permit to another one. */
	@Test
	void callerThatWaitsForAnotherPermitIsReportedIfItRunsUnderTheFirst() {
		KeyGate gate = this.scene.gate;
		Hold held = this.scene.acquire(permits(1));
		TestCaller caller = this.scene.queued(permits(1));
		assertThat(gate.reportsSelfWait(held, caller)).isFalse();
		assertThat(gate.reportsSelfWait(held, caller.under(held))).isTrue();
		assertThat(gate.reportsSelfWait(held, caller)).isFalse();
	}

	/** The store may keep the key for a holder whose work goes on. */
	@Test
	void keyThatTheStoreKeepsForALostHoldIsReleasedWithItsLastHandle() {
		assertThat(isReleasedAfter(LossCause.CANCELLED, Duration.ZERO)).isTrue();
		assertThat(isReleasedAfter(LossCause.MAX_HOLD, DELAY)).isTrue();
		assertThat(isReleasedAfter(LossCause.EXPIRED, DELAY)).isTrue();
		assertThat(isReleasedAfter(LossCause.MAX_HOLD, Duration.ZERO)).isFalse();
		assertThat(isReleasedAfter(LossCause.EXPIRED, Duration.ZERO)).isFalse();
		assertThat(isReleasedAfter(LossCause.NOT_OWNER, DELAY)).isFalse();
		assertThat(isReleasedAfter(LossCause.SHUTDOWN, DELAY)).isFalse();
	}

	private boolean isReleasedAfter(LossCause cause, Duration lockDelay) {
		this.scene = new ManualGate();
		KeyGate gate = this.scene.gate;
		Hold held = this.scene.acquire(EXCLUSIVE.toBuilder().lockDelay(lockDelay).build());
		assertThat(gate.leaveAfterLoss(held)).isFalse();
		gate.open(held, this, false);
		gate.lose(held, cause);
		gate.close(held);
		assertThat(gate.leaveAfterLoss(held)).isFalse();
		gate.close(held);
		boolean released = gate.leaveAfterLoss(held);
		assertThat(gate.leaveAfterLoss(held)).isFalse();
		return released;
	}

	@Test
	void closedHoldThatIsStillPresentIsNotReleasedAsALostOne() {
		Hold held = this.scene.acquire(EXCLUSIVE);
		this.scene.gate.close(held);
		assertThat(this.scene.gate.leaveAfterLoss(held)).isFalse();
		held.lose(LossCause.CANCELLED);
		assertThat(this.scene.gate.leaveAfterLoss(held)).isFalse();
	}

	/** One that was lost within a release, by two threads. */
	@Test
	void presentHoldWithoutHandlesIsNotReleasedAsALostOne() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		this.scene.grant();
		Hold unopened = Objects.requireNonNull(caller.hold());
		unopened.lose(LossCause.CANCELLED);
		assertThat(this.scene.gate.leaveAfterLoss(unopened)).isFalse();
	}

	@Test
	void closedHoldThatFirstWaitsForItsExtensionIsToBeLeft() {
		KeyGate gate = this.scene.gate;
		Hold open = this.scene.acquire(SHARED);
		Hold closed = this.scene.acquire(SHARED);
		gate.close(closed);
		assertThat(gate.firstRenewalEnded(open.grant)).isNull();
		assertThat(gate.firstRenewalEnded(closed.grant)).isSameAs(closed);
		gate.leave(closed, true, this.scene.clock.nanoTime());
		assertThat(gate.firstRenewalEnded(closed.grant)).isNull();
	}

	@Test
	void holdIsInUseFromItsOpeningToItsEnd() {
		TestCaller caller = this.scene.first(EXCLUSIVE.toBuilder().minHold(DELAY).build());
		this.scene.grant();
		Hold held = Objects.requireNonNull(caller.hold());
		assertThat(this.scene.gate.isInUse(held)).isFalse();
		this.scene.open(caller);
		this.scene.clock.advance(DELAY);
		assertThat(this.scene.gate.isInUse(held)).isTrue();
		this.scene.gate.close(held);
		assertThat(this.scene.gate.isInUse(held)).isFalse();
	}

	@Test
	void closedHoldIsInUseUntilTheEndOfItsMinHold() {
		Hold held = this.scene.acquire(EXCLUSIVE.toBuilder().minHold(DELAY).build());
		this.scene.gate.close(held);
		this.scene.clock.advance(DELAY.minus(NANO));
		assertThat(this.scene.gate.isInUse(held)).isTrue();
		this.scene.clock.advance(NANO);
		assertThat(this.scene.gate.isInUse(held)).isFalse();
	}

	@Test
	void tokensOfAGrantAreThoseOfItsPasses() {
		assertThat(FencingTokens.first(7)).isEqualTo(448);
		assertThat(FencingTokens.isOf(448, 7, 0)).isTrue();
		assertThat(FencingTokens.isOf(448 + FencingTokens.MOST_PASSES, 7, 0)).isTrue();
		assertThat(FencingTokens.isOf(447, 7, 0)).isFalse();
		assertThat(FencingTokens.isOf(448 + 64, 7, 0)).isFalse();
	}

}
