package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.VirtualClock;
import io.leasehold.test.contract.DelegatingEngine;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class WatchdogTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private static final LockOptions OPTIONS = ServiceOverThreads.OPTIONS.toBuilder().lease(LEASE).build();

	private final VirtualClock clock = new VirtualClock();

	@Test
	void lockIsRenewedThatComesAfterDaysWithoutAny() {
		Gaps gaps = new Gaps(new LocalLockEngine(this.clock));
		try (LockService service = service(gaps)) {
			this.clock.advance(Duration.ofDays(2));
			HeldLock held = service.acquire("a");
			for (int i = 1; i <= 2; i++) {
				int renewals = i;
				this.clock.advance(LEASE.dividedBy(3));
				Awaitility.await().until(() -> gaps.renewals.get() >= renewals);
			}
			assertThat(held.isValid()).isTrue();
		}
	}

	/**
	 * Thousands of locks and a store that takes its time for each request: all that is
	 * due is renewed by one of them, so that no lock waits for half of its lease.
	 */
	@Fault(55)
	@Test
	void thousandsOfLocksAreRenewedInTime() {
		Gaps gaps = new Gaps(new LocalLockEngine(this.clock));
		try (LockService service = service(gaps)) {
			LockOptions options = service.defaults().toBuilder().lease(Duration.ofSeconds(9)).build();
			Pace pace = Pace.begin();
			List<HeldLock> held = new ArrayList<>();
			for (int i = 0; i < 5000; i++) {
				held.add(service.acquire("many:" + i, options));
			}
			Awaitility.await().until(() -> gaps.longest.size() == 5000);
			assertThat(Duration.ofNanos(Collections.max(gaps.longest.values())))
				.isLessThan(options.lease().dividedBy(3).plus(pace.slack(options.lease().dividedBy(6))));
			held.forEach(HeldLock::close);
		}
	}

	/** The stack of the caller's thread is full, for example. */
	@Test
	void locksAreRenewedAfterAnErrorInTheThreadThatPlannedIt() {
		RefusingThreads threads = new RefusingThreads();
		Gaps gaps = new Gaps(new LocalLockEngine(this.clock));
		try (ServiceOverThreads service = new ServiceOverThreads(gaps, threads, this.clock)) {
			threads.refusesTimersOf = Thread.currentThread();
			assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> service.acquire("a", OPTIONS));
			threads.refusesTimersOf = null;
			requireRenewal(service.acquire("b", OPTIONS), gaps);
		}
	}

	@Test
	void asyncCallerWhoseTimerDoesNotStartReceivesTheError() {
		RefusingThreads threads = new RefusingThreads();
		LockEngine store = new LocalLockEngine(this.clock);
		try (ServiceOverThreads service = new ServiceOverThreads(store, threads, this.clock);
				ServiceOverThreads elsewhere = new ServiceOverThreads(store, new EngineThreads("elsewhere"),
						this.clock)) {
			HeldLock first = elsewhere.acquire("a", OPTIONS);
			threads.refusesTimersOf = Thread.currentThread();
			assertThat(service.acquireAsync("a", OPTIONS)).isCompletedExceptionally();
			threads.refusesTimersOf = null;
			first.close();
			elsewhere.acquire("a", OPTIONS).close();
		}
	}

	@Test
	void locksAreRenewedAfterTheRefusalOfABatch() {
		RefusingThreads threads = new RefusingThreads();
		Gaps gaps = new Gaps(new LocalLockEngine(this.clock));
		try (ServiceOverThreads service = new ServiceOverThreads(gaps, threads, this.clock)) {
			HeldLock held = service.acquire("a", OPTIONS);
			threads.refusesBatch.set(true);
			requireRenewal(held, gaps);
			assertThat(threads.refusesBatch).isFalse();
		}
	}

	private void requireRenewal(HeldLock held, Gaps gaps) {
		this.clock.advance(LEASE.dividedBy(3));
		Awaitility.await().until(() -> gaps.renewals.get() > 0);
		assertThat(held.isValid()).isTrue();
	}

	private LockService service(LockEngine engine) {
		LockOptions defaults = new LockOptions("test", "local", LEASE, LEASE, Duration.ZERO, LockOptions.UNLIMITED);
		return new LockService(new ServiceSettings(defaults, OnLost.WARN, 63, Duration.ofSeconds(5)), List.of(engine),
				Member.of("test"), this.clock, List.of(), ReleaseTiming.IMMEDIATE);
	}

	/** Threads that do not accept some tasks. */
	private static final class RefusingThreads extends EngineThreads {

		private volatile @Nullable Thread refusesTimersOf;

		/** The next one only. */
		private final AtomicBoolean refusesBatch = new AtomicBoolean();

		RefusingThreads() {
			super("refusing");
		}

		@Override
		Future<?> schedule(Runnable task, long nanos) {
			if (this.refusesTimersOf == Thread.currentThread()) {
				throw new StackOverflowError();
			}
			return super.schedule(task, nanos);
		}

		@Override
		Executor renewals() {
			return (task) -> {
				if (this.refusesBatch.compareAndSet(true, false)) {
					throw new OutOfMemoryError("Java heap space");
				}
				super.renewals().execute(task);
			};
		}

	}

	/** Takes 5 ms for a renewal, and measures the time between those of each lock. */
	private static final class Gaps extends DelegatingEngine {

		private final Map<LockKey, Long> requested = new ConcurrentHashMap<>();

		private final Map<LockKey, Long> longest = new ConcurrentHashMap<>();

		private final AtomicInteger renewals = new AtomicInteger();

		Gaps(LockEngine engine) {
			super(engine);
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			this.requested.put(claim.key(), System.nanoTime());
			return super.tryAcquire(claim);
		}

		@Override
		public List<RenewalOutcome> renew(List<Renewal> due) {
			long request = System.nanoTime();
			LockSupport.parkNanos(5_000_000);
			List<RenewalOutcome> outcomes = super.renew(due);
			this.renewals.incrementAndGet();
			due.forEach((renewal) -> {
				LockKey key = renewal.claim().key();
				this.longest.merge(key, System.nanoTime() - this.requested.put(key, request), Math::max);
			});
			return outcomes;
		}

	}

}
