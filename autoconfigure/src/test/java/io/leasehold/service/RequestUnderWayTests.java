package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.leasehold.HeldLock;
import io.leasehold.LockOptions;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.contract.DelegatingEngine;
import io.leasehold.test.contract.Fault;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What happens to a lock while a request for it is under way.
 */
class RequestUnderWayTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private final LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);

	/**
	 * The store pushes a grant while the claim's poll is under way, and the lock is given
	 * back at once: a release that overtook the poll would leave what the poll then gets.
	 */
	@Fault(141)
	@Test
	void claimIsReleasedAfterTheResponseToItsRequest() {
		PushWhilePolling engine = new PushWhilePolling(this.store);
		try (LockService service = service(engine, MonotonicClock.SYSTEM)) {
			HeldLock held = service.acquireAsync("a").join();
			held.close();
			assertThat(engine.released).hasValue(0);
			engine.response.countDown();
			Awaitility.await().until(() -> engine.released.get() == 1);
			assertThat(engine.releasedAfterResponse).hasValue(1);
		}
	}

	/** The clock moves after the grant and before the caller takes it up. */
	@Fault(141)
	@Test
	void grantThatEndsBeforeItIsTakenUpIsNotHandedOut() {
		AtomicInteger readings = new AtomicInteger(Integer.MAX_VALUE);
		AtomicLong ahead = new AtomicLong();
		MonotonicClock clock = () -> {
			if (readings.decrementAndGet() == -1) {
				ahead.addAndGet(LEASE.multipliedBy(2).toNanos());
			}
			return System.nanoTime() + ahead.get();
		};
		AtomicInteger granted = new AtomicInteger();
		LockEngine engine = new DelegatingEngine(new LocalLockEngine(clock)) {
			@Override
			public AcquisitionOutcome tryAcquire(Claim claim) {
				AcquisitionOutcome attempt = super.tryAcquire(claim);
				readings.set((granted.getAndIncrement() == 0) ? 1 : Integer.MAX_VALUE);
				return attempt;
			}
		};
		try (LockService service = service(engine, clock)) {
			HeldLock held = service.acquire("a");
			assertThat(granted).hasValue(2);
			assertThat(held.isValid()).isTrue();
			held.close();
		}
	}

	/**
	 * A waiter is refused at shutdown, and its claim waits at the store: the process must
	 * not end before that is released.
	 */
	@Test
	void serviceIsIdleOnceTheClaimsOfItsWaitersAreReleased() {
		List<String> order = Collections.synchronizedList(new ArrayList<>());
		LockEngine engine = new DelegatingEngine(this.store) {
			@Override
			public ReleaseOutcome release(Claim claim) {
				order.add("released");
				return super.release(claim);
			}
		};
		try (LockService other = service(this.store, MonotonicClock.SYSTEM);
				LockService service = service(engine, MonotonicClock.SYSTEM)) {
			other.acquire("a");
			CompletableFuture<HeldLock> waiter = service.acquireAsync("a");
			Awaitility.await().until(() -> !service.inspector().overview().waiting().isEmpty());
			service.drain(() -> order.add("idle"));
			Awaitility.await().until(() -> order.contains("idle"));
			assertThat(waiter).failsWithin(Duration.ofSeconds(50));
			assertThat(order).containsExactly("released", "idle");
		}
	}

	/**
	 * Once a check of the library has to find such a waiter, it has waited for seconds.
	 */
	@Test
	void waiterIsPolledForIfTheEngineFailsToEnqueueIt() throws Exception {
		AtomicInteger enqueued = new AtomicInteger();
		LockEngine engine = new DelegatingEngine(this.store) {
			@Override
			public AcquisitionOutcome tryAcquire(Claim claim) {
				AcquisitionOutcome attempt = super.tryAcquire(claim);
				return (attempt instanceof AcquisitionOutcome.Busy) ? new AcquisitionOutcome.Busy(Duration.ofMillis(20))
						: attempt;
			}

			@Override
			public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
				if (enqueued.incrementAndGet() == 1) {
					throw new IllegalStateException("no signals");
				}
				return super.subscribe(claim, listener);
			}
		};
		try (LockService other = service(this.store, MonotonicClock.SYSTEM);
				ServiceOverThreads here = new ServiceOverThreads(engine, new EngineThreads("test"))) {
			HeldLock holder = other.acquire("a");
			CompletableFuture<HeldLock> waiter = here.acquireAsync("a");
			Awaitility.await().until(() -> enqueued.get() > 1);
			assertThat(waiter).isNotDone();
			holder.close();
			waiter.get(30, TimeUnit.SECONDS).close();
			assertThat(here.findings()).isEmpty();
		}
		assertThat(this.store.size()).isZero();
	}

	private static LockService service(LockEngine engine, MonotonicClock clock) {
		LockOptions defaults = new LockOptions("test", "local", LEASE, Duration.ofHours(1), Duration.ZERO,
				LockOptions.UNLIMITED);
		return new LockService(new ServiceSettings(defaults, OnLost.THROW, 63, Duration.ofMillis(10)), List.of(engine),
				Member.of("test"), clock, List.of(), ReleaseTiming.IMMEDIATE);
	}

	/**
	 * Its second response is that of a poll, which lasts until a test is done with it.
	 */
	private static final class PushWhilePolling extends DelegatingEngine {

		private final AtomicReference<Consumer<Signal>> listener = new AtomicReference<>();

		private final CountDownLatch response = new CountDownLatch(1);

		private final AtomicInteger released = new AtomicInteger();

		private final AtomicInteger releasedAfterResponse = new AtomicInteger();

		private volatile boolean responded;

		PushWhilePolling(LockEngine engine) {
			super(engine);
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			Consumer<Signal> notified = this.listener.get();
			if (notified != null) {
				long validUntil = MonotonicClock.validUntil(System.nanoTime(), claim.lease());
				CompletableFuture
					.runAsync(() -> notified.accept(new Signal.Pushed(new AcquisitionOutcome.Granted(1, validUntil))));
				Awaitility.await().until(() -> this.response.getCount() == 0);
				this.responded = true;
			}
			return new AcquisitionOutcome.Busy(Duration.ZERO);
		}

		@Override
		public Subscription subscribe(Claim claim, Consumer<Signal> newListener) {
			this.listener.set(newListener);
			return Subscription.POLLING;
		}

		@Override
		public ReleaseOutcome release(Claim claim) {
			this.releasedAfterResponse.addAndGet(this.responded ? 1 : 0);
			this.released.incrementAndGet();
			return super.release(claim);
		}

	}

}
