package io.leasehold.test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.Member;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.service.LockService;
import io.leasehold.service.OnLost;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.service.ServiceSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LockRecorderTests {

	private final VirtualClock clock = new VirtualClock();

	private final LocalLockEngine engine = new LocalLockEngine(this.clock);

	private final LockRecorder recorder = new LockRecorder();

	private final LockService locks = new LockService(settings(), List.of(this.engine), Member.of("test"), this.clock,
			List.of(this.recorder), ReleaseTiming.IMMEDIATE);

	@AfterEach
	void close() {
		this.locks.close();
	}

	@Test
	void lockIsHeldUntilItIsReleased() {
		try (HeldLock held = this.locks.acquire("order:42")) {
			assertThat(this.recorder).acquired(held.key()).holds("order:42").neverAcquired("order:43");
			assertThat(this.recorder.held()).containsExactly("order:42");
			fails(() -> assertThat(this.recorder).released("order:42"), "'order:42' to have been released",
					"'order:42' (OrderService.pay): held");
			fails(() -> assertThat(this.recorder).holdsNothing(), "no lock to be held", "order:42");
			fails(() -> assertThat(this.recorder).neverAcquired("order:42"), "'order:42' never to have been acquired");
		}
		assertThat(this.recorder).acquired("order:42").released("order:42").holdsNothing();
		fails(() -> assertThat(this.recorder).holds("order:42"), "'order:42' to be held",
				"'order:42' (OrderService.pay): released");
	}

	@Test
	void failureTellsWhatWasLockedInstead() {
		fails(() -> assertThat(this.recorder).acquired("100%d"), """
				Expecting lock '100%d' to have been acquired, but recorded was:
				  nothing""");
		this.locks.acquire("order:42").close();
		this.locks.acquire("order:43").close();
		fails(() -> assertThat(this.recorder).acquired("order:44"), """
				Expecting lock 'order:44' to have been acquired, but recorded was:
				  'order:42' (OrderService.pay): released
				  'order:43' (OrderService.pay): released""");
		fails(() -> assertThat(this.recorder).lost("order:42"), "'order:42' to have been lost");
		fails(() -> assertThat(this.recorder).foundBusy("order:42"), "'order:42' to have been found busy");
	}

	@Test
	void lockThatIsHeldAgainIsNotReleased() {
		this.locks.acquire("order:42").close();
		HeldLock again = this.locks.acquire("order:42");
		fails(() -> assertThat(this.recorder).released("order:42"), "to have been released each time");
		again.close();
		assertThat(this.recorder).released("order:42");
		assertThat(this.recorder.acquired()).containsExactly("order:42", "order:42");
	}

	@Test
	@SuppressWarnings("try")
	void reentryIsNoAcquisition() {
		try (HeldLock outer = this.locks.acquire("order:42");
				HeldLockScope scope = HeldLockScope.open(outer);
				HeldLock inner = this.locks.acquire(outer.key())) {
			assertThat(this.recorder.acquired()).containsExactly(inner.key());
			assertThat(this.recorder).hasToString("""
					'order:42' (OrderService.pay): held
					  'order:42' (OrderService.pay): reentered""");
		}
	}

	@Test
	void lockOfAnotherIsFoundBusy() throws ExecutionException, InterruptedException {
		HeldLock other = this.locks.acquireAsync("order:42").get();
		assertThat(this.locks.tryAcquire("order:42")).isEmpty();
		assertThat(this.recorder).foundBusy("order:42").holds("order:42");
		other.close();
		assertThat(this.recorder).holdsNothing();
	}

	@Test
	void lossOfALockIsNoRelease() {
		HeldLock held = this.locks.acquire("order:42");
		this.engine.lose(new LockKey("order:42"));
		held.close();
		assertThat(this.recorder).acquired("order:42").lost("order:42").holdsNothing();
		fails(() -> assertThat(this.recorder).released("order:42"),
				"'order:42' (OrderService.pay): lost, as the store no longer knows this owner");
	}

	@Test
	void lockEndsWhenTheClockIsMovedPastItsLease() {
		HeldLock held = this.locks.acquire("order:42");
		this.clock.advance(Duration.ofSeconds(11));
		Awaitility.await().untilAsserted(() -> assertThat(this.recorder).lost("order:42"));
		assertThat(held.isValid()).isFalse();
	}

	@Test
	void clearedRecordIsEmpty() {
		this.locks.acquire("order:42").close();
		this.recorder.clear();
		assertThat(this.recorder).neverAcquired("order:42");
		assertThat(this.recorder.acquired()).isEmpty();
	}

	private static void fails(Runnable assertion, String... message) {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(assertion::run)
			.satisfies((failure) -> assertThat(failure).hasMessageContainingAll(message));
	}

	private static ServiceSettings settings() {
		LockOptions defaults = new LockOptions("OrderService.pay", "local", Duration.ofSeconds(10),
				Duration.ofSeconds(5), Duration.ZERO, LockOptions.UNLIMITED);
		return new ServiceSettings(defaults, OnLost.WARN, 63, Duration.ofSeconds(5));
	}

}
