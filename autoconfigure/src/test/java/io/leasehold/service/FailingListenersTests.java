package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.Member;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEventListener;
import io.leasehold.test.VirtualClock;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.TestSettings;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for listeners, meters and actions that throw or block: no lock takes harm.
 */
@ExtendWith(OutputCaptureExtension.class)
class FailingListenersTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private final VirtualClock clock = new VirtualClock();

	private final LocalLockEngine store = new LocalLockEngine(this.clock);

	private final CountDownLatch free = new CountDownLatch(1);

	private final List<LockService> services = new ArrayList<>();

	@AfterEach
	void close() {
		this.free.countDown();
		this.services.forEach(LockService::close);
	}

	/** A listener throws for each event: each failure is logged once. */
	@Fault(57)
	@Test
	void listenerThatThrowsHarmsNoLock(CapturedOutput output) {
		LockService service = service((event) -> {
			throw new IllegalStateException("notified of " + event.getClass().getSimpleName());
		});
		HeldLock held = service.acquire("a");
		awaitRenewals(4, held);
		assertThat(held.isValid()).isTrue();
		held.close();
		assertThat(output).containsOnlyOnce("IllegalStateException: notified of AcquireEnded")
			.containsOnlyOnce("IllegalStateException: notified of HoldEnded");
		Awaitility.await()
			.untilAsserted(() -> assertThat(output).contains("IllegalStateException: notified of LeaseRenewed"));
		assertThat(this.store.size()).isZero();
	}

	/** A listener never returns from the event of a renewal. */
	@Fault(57)
	@Test
	void listenerThatBlocksDelaysNoRenewal() throws Exception {
		CountDownLatch blocked = new CountDownLatch(1);
		LockService service = service((event) -> {
			if (event instanceof LockEvent.LeaseRenewed) {
				blocked.countDown();
				await(this.free);
			}
		});
		HeldLock held = service.acquire("a");
		awaitRenewals(1, held);
		assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
		awaitRenewals(4, held);
		assertThat(held.isValid()).isTrue();
		held.close();
	}

	/**
	 * What holders do about the loss of a lock never returns: other locks are renewed,
	 * waiting callers served, and other losses reported.
	 */
	@Fault(57)
	@Test
	void actionsThatBlockDelayNoOthers() throws Exception {
		LockService service = service((event) -> {
		});
		CountDownLatch blocked = new CountDownLatch(20);
		for (int i = 0; i < 20; i++) {
			HeldLock lost = service.acquire("lost:" + i);
			lost.onLost((loss) -> {
				blocked.countDown();
				await(this.free);
			});
			this.store.lose(new LockKey("lost:" + i));
		}
		this.clock.advance(LEASE.dividedBy(3));
		assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
		HeldLock elsewhere = service((event) -> {
		}).acquire("b");
		HeldLock held = service.acquire("a");
		Thread waiter = new Thread(() -> service.acquire("b").close());
		waiter.start();
		awaitRenewals(4, held, elsewhere);
		assertThat(held.isValid()).isTrue();
		elsewhere.close();
		waiter.join(30_000);
		assertThat(waiter.isAlive()).isFalse();
		held.close();
	}

	/** An action fails: the next one is run, and the failure is logged once. */
	@Fault(57)
	@Test
	void actionThatThrowsIsLoggedOnce(CapturedOutput output) throws Exception {
		LockService service = service((event) -> {
		});
		HeldLock lost = service.acquire("a");
		CountDownLatch notified = new CountDownLatch(1);
		lost.onLost((loss) -> {
			throw new IllegalStateException("action");
		});
		lost.onLost((loss) -> notified.countDown());
		this.store.lose(new LockKey("a"));
		this.clock.advance(LEASE.dividedBy(3));
		assertThat(notified.await(30, TimeUnit.SECONDS)).isTrue();
		Awaitility.await().untilAsserted(() -> assertThat(output).containsOnlyOnce("IllegalStateException: action"));
		service.acquire("a").close();
	}

	/** Let a third of the lease pass and wait for a renewal, a number of times. */
	private void awaitRenewals(int times, HeldLock... held) {
		for (int i = 0; i < times; i++) {
			this.clock.advance(LEASE.dividedBy(3));
			for (HeldLock lock : held) {
				Awaitility.await().until(() -> lock.remaining().compareTo(LEASE.multipliedBy(3).dividedBy(4)) > 0);
			}
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private LockService service(LockEventListener listener) {
		LockOptions defaults = new LockOptions("test", "local", LEASE, Duration.ofHours(1), Duration.ZERO,
				LockOptions.UNLIMITED);
		LockService service = new LockService(TestSettings.of(defaults, OnLost.WARN), List.of(this.store),
				Member.of("test"), this.clock, List.of(listener), ReleaseTiming.IMMEDIATE);
		this.services.add(service);
		return service;
	}

}
