package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.leasehold.HeldLock;
import io.leasehold.LockOptions;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.event.HandoffKind;
import io.leasehold.event.LockEvent;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Until when a grant is passed on inside a process, to the nanosecond.
 */
class HandoffTimesTests {

	private static final Duration LEASE = SteppedService.LEASE;

	private static final Duration NANO = Duration.ofNanos(1);

	private SteppedService process = new SteppedService();

	@Test
	void grantWithHalfOfItsLeaseLeftIsPassedOn() {
		assertThat(isPassedOnWith(LEASE.dividedBy(2))).isTrue();
	}

	@Test
	void grantWithLessThanHalfOfItsLeaseLeftIsReleased() {
		assertThat(isPassedOnWith(LEASE.dividedBy(2).minus(NANO))).isFalse();
	}

	private boolean isPassedOnWith(Duration left) {
		this.process.store.response = (attempt) -> (attempt instanceof AcquisitionOutcome.Granted granted)
				? new AcquisitionOutcome.Granted(granted.number(), this.process.store.in(left)) : attempt;
		HeldLock held = this.process.acquire("a");
		return isPassedOn(held, this.process.options());
	}

	@Test
	void grantIsPassedOnUntilItsConfirmationIsAThirdOfItsLeaseOld() {
		this.process.store.renewNothing();
		HeldLock held = this.process.acquire("a");
		this.process.clock.advance(LEASE.dividedBy(3).minus(NANO));
		assertThat(isPassedOn(held, this.process.options())).isTrue();
	}

	@Test
	void grantIsReleasedWhenItsConfirmationIsAThirdOfItsLeaseOld() {
		this.process.store.renewNothing();
		HeldLock held = this.process.acquire("a");
		this.process.clock.advance(LEASE.dividedBy(3));
		assertThat(isPassedOn(held, this.process.options())).isFalse();
	}

	@Test
	void grantIsPassedOnForTheConfiguredTime() {
		this.process = new SteppedService(63, Duration.ofSeconds(1), true);
		HeldLock held = this.process.acquire("a");
		this.process.clock.advance(Duration.ofSeconds(1).minus(NANO));
		assertThat(isPassedOn(held, this.process.options())).isTrue();
	}

	/** A store without a queue may let a waiter of another process go first. */
	@Test
	void waiterStandsBackForAsLongAsTheStoreDemands() {
		this.process = new SteppedService(0, Duration.ofSeconds(1), true);
		HeldLock held = this.process.acquire("a");
		CompletableFuture<HeldLock> next = this.process.await("a", this.process.options());
		this.process.store.standBack = Duration.ofMillis(20);
		held.close();
		this.process.advance(Duration.ofMillis(20).minus(NANO));
		assertThat(next).isNotDone();
		this.process.advance(NANO);
		next.getNow(null).close();
	}

	@Test
	void grantIsReleasedAfterTheConfiguredTime() {
		this.process = new SteppedService(63, Duration.ofSeconds(1), true);
		HeldLock held = this.process.acquire("a");
		this.process.clock.advance(Duration.ofSeconds(1));
		assertThat(isPassedOn(held, this.process.options())).isFalse();
	}

	@Test
	void grantIsPassedOnAsOftenAsConfigured() {
		this.process = new SteppedService(2, Duration.ofHours(1), true);
		HeldLock held = this.process.acquire("a");
		HeldLock second = next(held);
		HeldLock third = next(second);
		HeldLock fourth = next(third);
		assertThat(second.fencingToken()).isEqualTo(held.fencingToken() + 1);
		assertThat(third.fencingToken()).isEqualTo(held.fencingToken() + 2);
		assertThat(fourth.fencingToken() / 64).isGreaterThan(held.fencingToken() / 64);
		fourth.close();
	}

	@Test
	void grantThatIsPassedToAShorterLeaseIsRenewedEarlier() {
		HeldLock held = this.process.acquire("a");
		this.process.advance(Duration.ofSeconds(1));
		HeldLock passed = next(held, this.process.options().toBuilder().lease(Duration.ofSeconds(6)).build());
		assertThat(passed.fencingToken()).isEqualTo(held.fencingToken() + 1);
		this.process.advance(Duration.ofSeconds(2));
		assertThat(this.process.store.renewed).extracting(SteppedService.Renewed::at)
			.containsExactly(Duration.ofSeconds(3));
		passed.close();
	}

	@Test
	void handoffsAreReportedAndNothingElseIs() {
		HeldLock held = this.process.acquire("a");
		assertThat(handoffs()).isEmpty();
		next(held).close();
		assertThat(handoffs()).containsExactly(HandoffKind.LOCAL);
		this.process.store.pushed = LEASE;
		CompletableFuture<HeldLock> pushed = this.process.await("b", this.process.options());
		pushed.getNow(null).close();
		assertThat(handoffs()).containsExactly(HandoffKind.LOCAL, HandoffKind.PUSHED);
	}

	private List<HandoffKind> handoffs() {
		return this.process.events.stream()
			.filter(LockEvent.HandedOff.class::isInstance)
			.map((event) -> ((LockEvent.HandedOff) event).kind())
			.toList();
	}

	@Test
	void grantIsPassedOnAtTheEndOfItsMinHold() {
		Duration minHold = Duration.ofSeconds(1);
		HeldLock held = this.process.locks.acquire("a", this.process.options().toBuilder().minHold(minHold).build());
		this.process.clock.advance(minHold);
		assertThat(isPassedOn(held, this.process.options())).isTrue();
	}

	@Test
	void grantIsReleasedBeforeTheEndOfItsMinHold() {
		Duration minHold = Duration.ofSeconds(1);
		HeldLock held = this.process.locks.acquire("a", this.process.options().toBuilder().minHold(minHold).build());
		this.process.clock.advance(minHold.minus(NANO));
		CompletableFuture<HeldLock> next = this.process.await("a", this.process.options());
		held.close();
		this.process.advance(Duration.ZERO);
		assertThat(next).isNotDone();
		this.process.advance(Duration.ofSeconds(1));
		assertThat(next.getNow(null).fencingToken() / 64).isGreaterThan(held.fencingToken() / 64);
	}

	/** The service keeps a key locked where the store does not. */
	@Test
	void keyStaysLockedForItsMinHoldAndNoLonger() {
		this.process = new SteppedService(0, Duration.ZERO, false);
		Duration minHold = Duration.ofSeconds(1);
		LockOptions options = this.process.options().toBuilder().minHold(minHold).build();
		HeldLock held = this.process.locks.acquire("a", options);
		this.process.clock.advance(Duration.ofMillis(400));
		held.close();
		this.process.advance(Duration.ofMillis(600).minus(NANO));
		assertThat(this.process.store.released).isEmpty();
		this.process.advance(NANO);
		assertThat(this.process.store.released).containsExactly(minHold);
	}

	@Test
	void keyIsReleasedByItsHolderAtTheEndOfItsMinHold() {
		this.process = new SteppedService(0, Duration.ZERO, false);
		Duration minHold = Duration.ofSeconds(1);
		HeldLock held = this.process.locks.acquire("a", this.process.options().toBuilder().minHold(minHold).build());
		this.process.clock.advance(minHold);
		held.close();
		assertThat(this.process.store.released).containsExactly(minHold);
	}

	private boolean isPassedOn(HeldLock held, LockOptions next) {
		return next(held, next).fencingToken() == held.fencingToken() + 1;
	}

	private HeldLock next(HeldLock held) {
		return next(held, this.process.options());
	}

	/** Close a lock that another caller waits for, and return that one's. */
	private HeldLock next(HeldLock held, LockOptions options) {
		CompletableFuture<HeldLock> next = this.process.await("a", options);
		assertThat(next).isNotDone();
		held.close();
		this.process.threads.run();
		return next.getNow(null);
	}

}
