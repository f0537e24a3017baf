package io.leasehold.service.gate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.leasehold.LockOptions;
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
		assertThat(gate.opened(held, second, false)).isNotNull().isNotSameAs(second);
		assertThat(held.handles()).isEqualTo(2);
		assertThat(this.scene.close(held).closes()).isFalse();
		assertThat(gate.opened(held, second, false)).isNotNull();
		assertThat(this.scene.close(held).closes()).isFalse();
		assertThat(this.scene.holds()).containsExactly(held);
		assertThat(this.scene.close(held).closes()).isTrue();
		assertThat(gate.opened(held, second, false)).isNull();
		assertThat(this.scene.holds()).isEmpty();
	}

	@Test
	void handleOfALostHoldDoesNotLeaveIt() {
		KeyGate gate = this.scene.gate;
		Hold held = this.scene.acquire(EXCLUSIVE);
		assertThat(gate.renewalBegan(held.grant)).isSameAs(held);
		this.scene.lose(held, LossCause.EXPIRED);
		assertThat(gate.renewalBegan(held.grant)).isNull();
		Decision decision = this.scene.close(held);
		assertThat(decision.closes()).isFalse();
		assertThat(decision.freed()).isNull();
		assertThat(held.isClosed()).isFalse();
	}

	@Test
	void holdsAreListedInTheirOrder() {
		KeyGate gate = this.scene.gate;
		assertThat(this.scene.holds()).isEmpty();
		Hold first = this.scene.acquire(SHARED);
		assertThat(this.scene.holds()).containsExactly(first);
		Hold second = this.scene.acquire(SHARED);
		Hold third = this.scene.acquire(SHARED);
		assertThat(this.scene.holds()).containsExactly(first, second, third);
		this.scene.release(second);
		assertThat(this.scene.holds()).containsExactly(first, third);
		this.scene.release(first);
		assertThat(this.scene.holds()).containsExactly(third);
	}

	@Test
	void boundHoldIsAbandonedByTheEndOfItsThread() throws Exception {
		KeyGate gate = this.scene.gate;
		Thread ended = new Thread(() -> {
		});
		ended.start();
		ended.join();
		assertThat(this.scene.useOf(acquireBound(ended))).isEqualTo(Hold.Use.ABANDONED);
		assertThat(this.scene.useOf(acquireBound(Thread.currentThread()))).isNotEqualTo(Hold.Use.ABANDONED);
		Hold handedOver = acquireBound(ended);
		gate.opened(handedOver, this, false);
		assertThat(this.scene.useOf(handedOver)).isNotEqualTo(Hold.Use.ABANDONED);
		Hold closed = acquireBound(ended);
		this.scene.close(closed);
		assertThat(this.scene.useOf(closed)).isNotEqualTo(Hold.Use.ABANDONED);
		Hold lost = acquireBound(ended);
		this.scene.lose(lost, LossCause.NOT_OWNER);
		assertThat(this.scene.useOf(lost)).isNotEqualTo(Hold.Use.ABANDONED);
	}

	private Hold acquireBound(Thread thread) {
		TestCaller caller = this.scene.caller(SHARED, thread);
		this.scene.enter(caller);
		this.scene.grant();
		Hold hold = Objects.requireNonNull(caller.hold());
		this.scene.gate.opened(hold, this, true);
		return hold;
	}

	@Test
	void holdIsAbandonedOnceItsFirstHandleIsUnreachable() {
		TestCaller caller = this.scene.first(EXCLUSIVE);
		this.scene.grant();
		Hold hold = Objects.requireNonNull(caller.hold());
		assertThat(this.scene.useOf(hold)).isNotEqualTo(Hold.Use.ABANDONED);
		Object[] handle = { new Object() };
		assertThat(this.scene.gate.opened(hold, handle[0], false)).isSameAs(handle[0]);
		System.gc();
		assertThat(this.scene.useOf(hold)).isNotEqualTo(Hold.Use.ABANDONED);
		assertThat(this.scene.gate.opened(hold, this, false)).isSameAs(handle[0]);
		handle[0] = this;
		await().until(() -> {
			System.gc();
			return this.scene.useOf(hold) == Hold.Use.ABANDONED;
		});
	}

	@Test
	void slowHoldIsReportedOnceWhileItIsOpen() {
		TestCaller caller = this.scene.first(SHARED);
		this.scene.grant();
		Hold held = Objects.requireNonNull(caller.hold());
		assertThat(held.reportsSlow()).isFalse();
		this.scene.open(caller);
		assertThat(held.reportsSlow()).isTrue();
		assertThat(held.reportsSlow()).isFalse();
		Hold closed = this.scene.acquire(SHARED);
		this.scene.close(closed);
		assertThat(closed.reportsSlow()).isFalse();
	}

	@Test
	void callerThatWaitsForItsOwnHoldIsReportedOnce() {
		Hold held = this.scene.acquire(EXCLUSIVE);
		assertThat(selfWait(this.scene.caller(EXCLUSIVE))).isNull();
		LockOptions own = EXCLUSIVE.toBuilder().reentrant(false).build();
		assertThat(selfWait(this.scene.caller(own).under(held))).isSameAs(held);
		assertThat(selfWait(this.scene.caller(own).under(held))).isNull();
	}

	/** Its thread may have handed the first permit to another one. */
	@Test
	void callerThatWaitsForAnotherPermitIsReportedIfItRunsUnderTheFirst() {
		TestCaller first = permit();
		this.scene.enter(first);
		this.scene.grant();
		Hold held = this.scene.open(first);
		assertThat(selfWait(permit())).isNull();
		assertThat(selfWait(permit().under(held))).isSameAs(held);
		assertThat(selfWait(permit().under(held))).isNull();
	}

	/** Create a caller in the test's thread for the only permit. */
	private TestCaller permit() {
		return this.scene.caller(permits(1), Thread.currentThread());
	}

	/** Let a caller enter that begins to wait. */
	private @Nullable Hold selfWait(TestCaller caller) {
		Decision decision = this.scene.gate.enter(caller);
		assertThat(decision.startsWait()).isTrue();
		return decision.selfWait();
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
		gate.opened(held, this, false);
		this.scene.lose(held, cause);
		assertThat(this.scene.close(held).released()).isNull();
		Decision last = this.scene.close(held);
		assertThat(last.closes()).isFalse();
		return last.released() == held.grant.claim;
	}

	@Test
	void keyOfALostHoldIsNotReleasedBeforeTheEndOfItsMinHold() {
		Hold held = this.scene.acquire(EXCLUSIVE.toBuilder().minHold(DELAY).build());
		this.scene.lose(held, LossCause.CANCELLED);
		assertThat(this.scene.close(held).released()).isNull();
	}

	@Test
	void holdThatIsNotClosedIsNotLeftWhenItsFirstRenewalEnds() {
		Hold open = this.scene.acquire(SHARED);
		assertThat(this.scene.gate.keepingEnded(open.grant).freed()).isNull();
		assertThat(this.scene.holds()).containsExactly(open);
		this.scene.release(open);
		assertThat(this.scene.gate.keepingEnded(open.grant).freed()).isNull();
	}

	/** The clock of the service may lag behind that of the timer. */
	@Test
	void holdWhoseTimerIsEarlyIsLeftLater() {
		Hold held = this.scene.acquire(EXCLUSIVE.toBuilder().minHold(DELAY).build());
		assertThat(this.scene.close(held).leaving()).isSameAs(held);
		this.scene.clock.advance(DELAY.minus(NANO));
		assertThat(this.scene.gate.keepingEnded(held.grant).leaving()).isSameAs(held);
		this.scene.clock.advance(NANO);
		assertThat(this.scene.gate.keepingEnded(held.grant).freed()).isSameAs(held);
	}

	@Test
	void holdIsInUseFromItsOpeningToItsEnd() {
		TestCaller caller = this.scene.first(EXCLUSIVE.toBuilder().minHold(DELAY).build());
		this.scene.grant();
		Hold held = Objects.requireNonNull(caller.hold());
		assertThat(this.scene.useOf(held)).isEqualTo(Hold.Use.UNUSED);
		this.scene.open(caller);
		this.scene.clock.advance(DELAY);
		assertThat(this.scene.useOf(held)).isEqualTo(Hold.Use.IN_USE);
		this.scene.close(held);
		assertThat(this.scene.useOf(held)).isNull();
	}

	@Test
	void closedHoldIsInUseUntilTheEndOfItsMinHold() {
		Hold held = this.scene.acquire(EXCLUSIVE.toBuilder().minHold(DELAY).build());
		this.scene.close(held);
		this.scene.clock.advance(DELAY.minus(NANO));
		assertThat(this.scene.useOf(held)).isEqualTo(Hold.Use.IN_USE);
		this.scene.clock.advance(NANO);
		assertThat(this.scene.useOf(held)).isEqualTo(Hold.Use.UNUSED);
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
