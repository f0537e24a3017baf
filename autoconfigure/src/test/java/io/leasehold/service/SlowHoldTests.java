package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEvent.HoldSlow;
import io.leasehold.engine.ManualClock;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for reports of locks that are held for too long.
 */
@ExtendWith(OutputCaptureExtension.class)
class SlowHoldTests {

	private final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private LockService service;

	@AfterEach
	void close() {
		this.service.close();
	}

	@Test
	void isReportedOnceWhileTheLockIsStillHeld(CapturedOutput output) {
		this.service = service(MonotonicClock.SYSTEM, Duration.ofMillis(50));
		HeldLock held = this.service.acquire("a");
		Awaitility.await().until(() -> !slow().isEmpty());
		HoldSlow notified = slow().get(0);
		assertThat(notified.key().value()).isEqualTo("a");
		assertThat(notified.fencingToken()).isEqualTo(held.fencingToken());
		assertThat(Duration.ofNanos(notified.nanos())).isGreaterThanOrEqualTo(Duration.ofMillis(50));
		assertThat(output)
			.contains("Lock 'a' (test) is held by thread %s for ".formatted(Thread.currentThread().getName()));
		held.close();
		Awaitility.await().until(() -> this.events.stream().anyMatch(LockEvent.HoldEnded.class::isInstance));
		assertThat(slow()).hasSize(1);
	}

	@Test
	@SuppressWarnings("try")
	void isReportedAtTheEndAtTheLatest() {
		ManualClock clock = new ManualClock();
		this.service = service(clock, Duration.ofMillis(50));
		HeldLock held = this.service.acquire("a");
		clock.advance(Duration.ofMillis(49));
		try (HeldLockScope scope = HeldLockScope.open(held)) {
			this.service.acquire("a").close();
		}
		clock.advance(Duration.ofMillis(1));
		held.close();
		Awaitility.await().until(() -> !slow().isEmpty());
		assertThat(slow()).singleElement()
			.satisfies((notified) -> assertThat(notified.nanos()).isEqualTo(Duration.ofMillis(50).toNanos()));
	}

	@Test
	void isNotReportedWithoutALimit() {
		ManualClock clock = new ManualClock();
		this.service = service(clock, LockOptions.UNLIMITED);
		HeldLock held = this.service.acquire("a");
		clock.advance(Duration.ofSeconds(9));
		held.close();
		Awaitility.await().until(() -> this.events.stream().anyMatch(LockEvent.HoldEnded.class::isInstance));
		assertThat(slow()).isEmpty();
	}

	/** The time after the loss is not that of a hold. */
	@Test
	void isNotReportedAfterALoss() {
		ManualClock clock = new ManualClock();
		this.service = service(clock, Duration.ofSeconds(30));
		HeldLock held = this.service.acquire("a");
		clock.advance(Duration.ofSeconds(45));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
		Awaitility.await().until(() -> this.events.stream().anyMatch(LockEvent.HoldEnded.class::isInstance));
		assertThat(slow()).isEmpty();
	}

	private List<HoldSlow> slow() {
		return this.events.stream().filter(HoldSlow.class::isInstance).map(HoldSlow.class::cast).toList();
	}

	private LockService service(MonotonicClock clock, Duration slowHold) {
		LockOptions defaults = new LockOptions("test", "local", Duration.ofSeconds(10), Duration.ofSeconds(10),
				Duration.ZERO, LockOptions.UNLIMITED);
		return new LockService(
				new ServiceSettings(defaults, OnLost.THROW, 63, Duration.ofSeconds(5), slowHold, LockOptions.UNLIMITED,
						HolderReport.NEVER, DeadlockPolicy.WARN),
				List.of(new LocalLockEngine(clock)), Member.of("test"), clock, List.of(this.events::add),
				ReleaseTiming.IMMEDIATE);
	}

}
