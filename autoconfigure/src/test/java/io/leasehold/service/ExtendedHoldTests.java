package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LockView;
import io.leasehold.LossCause;
import io.leasehold.event.LockEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * When a hold ends whose maximum hold time was moved, to the nanosecond.
 */
class ExtendedHoldTests {

	private static final Duration LEASE = SteppedService.LEASE;

	private static final Duration BELIEVED = SteppedService.BELIEVED;

	private static final Duration NANO = Duration.ofNanos(1);

	private final SteppedService process = new SteppedService();

	private final List<LossCause> losses = new ArrayList<>();

	@AfterEach
	void close() {
		this.process.close();
	}

	private HeldLock acquire(String key, Duration maxHold) {
		return this.process.locks.acquire(new LockKey(key),
				this.process.options().toBuilder().maxHold(maxHold).build());
	}

	@Test
	void leaseThatIsAboutToEndIsExtendedAtOnce() {
		HeldLock held = acquire("a", LEASE);
		this.process.advance(BELIEVED.minus(NANO));
		assertThat(this.process.store.renewed).isEmpty();
		held.extend(Duration.ofMinutes(10));
		assertThat(held.remaining()).isEqualTo(NANO);
		this.process.threads.run();
		assertThat(this.process.store.renewed).hasSize(1);
		assertThat(held.remaining()).isEqualTo(BELIEVED);
		this.process.advance(Duration.ofMinutes(9));
		assertThat(held.isValid()).isTrue();
		this.process.advance(Duration.ofMinutes(1));
		assertLostAfterMaxHold(held);
	}

	@Test
	void endCanBeMovedBack() {
		HeldLock held = acquire("a", LockOptions.UNLIMITED);
		held.onLost((loss) -> this.losses.add(loss.getLossCause()));
		this.process.advance(Duration.ofMinutes(1));
		held.extend(Duration.ofMillis(700));
		this.process.advance(Duration.ofMillis(700).minus(NANO));
		assertThat(held.remaining()).isEqualTo(NANO);
		assertThat(this.process.store.local.size()).isOne();
		this.process.advance(NANO);
		assertThat(this.process.store.local.size()).as("keys in the store").isZero();
		assertThat(this.losses).containsExactly(LossCause.MAX_HOLD);
		await()
			.untilAsserted(() -> assertThat(this.process.events).hasAtLeastOneElementOfType(LockEvent.HoldEnded.class));
		assertThat(this.process.events).filteredOn(LockEvent.HoldLost.class::isInstance).hasSize(1);
		assertLostAfterMaxHold(held);
	}

	@Test
	void minimumHoldIsMovedForward() {
		HeldLock held = acquire("a", Duration.ofMinutes(10));
		held.extend(Duration.ofMinutes(10), Duration.ofMinutes(2));
		held.close();
		this.process.advance(Duration.ofMinutes(2).minus(NANO));
		assertThat(this.process.store.local.size()).as("keys in the store").isOne();
		this.process.advance(NANO);
		assertThat(this.process.store.local.size()).as("keys in the store").isZero();
	}

	/** The store enforces that of the acquisition, and the process a later one. */
	@Test
	void minimumHoldIsNotMovedBack() {
		HeldLock held = this.process.locks.acquire(new LockKey("a"),
				this.process.options().toBuilder().minHold(Duration.ofMinutes(2)).build());
		held.extend(Duration.ofMinutes(10), Duration.ofMinutes(1));
		held.extend(Duration.ofMinutes(10));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> held.extend(Duration.ofMinutes(10), Duration.ofMinutes(11)))
			.withMessage("minHold PT11M is longer than maxHold PT10M");
		held.close();
		this.process.advance(Duration.ofMinutes(2).minus(NANO));
		assertThat(this.process.locks.tryAcquire("a")).isEmpty();
		this.process.advance(NANO);
		this.process.acquire("a").close();
	}

	/** A third of the lease passes between renewals, not of the first hold time. */
	@Test
	void longerHoldIsNotRenewedMoreOftenThanOthers() {
		HeldLock held = acquire("a", Duration.ofSeconds(3));
		this.process.advance(Duration.ofSeconds(1));
		held.extend(LockOptions.UNLIMITED);
		this.process.advance(Duration.ofMinutes(1));
		assertThat(held.isValid()).isTrue();
		assertThat(this.process.store.renewed).hasSizeBetween(6, 8)
			.extracting(SteppedService.Renewed::lease)
			.containsOnly(LEASE);
		held.close();
		assertThat(this.process.store.local.size()).isZero();
	}

	@Test
	void reentrySeveralKeysAndViewsMoveTheEndOfTheirHolds() {
		HeldLock outer = this.process.acquire("a");
		HeldLockScope scope = HeldLockScope.open(outer);
		HeldLock inner = this.process.acquire("a");
		inner.extend(LEASE);
		inner.close();
		scope.close();
		HeldLock several = this.process.locks.acquireAll(List.of("b", "c"));
		several.extend(LEASE);
		LockView view = this.process.locks.asLock("d");
		view.lock();
		view.held().orElseThrow().extend(LEASE);
		assertThat(this.process.store.local.size()).isEqualTo(4);
		this.process.advance(LEASE);
		assertLostAfterMaxHold(outer);
		assertLostAfterMaxHold(several);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(view::unlock);
		assertThat(this.process.store.local.size()).isZero();
	}

	private static void assertLostAfterMaxHold(HeldLock held) {
		assertThat(held.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> held.extend(LEASE));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(LossCause.MAX_HOLD));
	}

}
