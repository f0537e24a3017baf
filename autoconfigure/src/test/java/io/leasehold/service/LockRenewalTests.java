package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.event.RenewalResult;
import io.leasehold.test.VirtualClock;
import io.leasehold.test.contract.DelegatingEngine;
import io.leasehold.test.contract.Fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Renewal of leases, and failures of the store.
 */
class LockRenewalTests extends LockServiceFixture {

	private static final Duration THIRD = Duration.ofSeconds(20);

	private final VirtualClock clock = new VirtualClock();

	private final LocalLockEngine virtual = new LocalLockEngine(this.clock);

	@Test
	void heldLeaseIsRenewed() {
		try (LockService service = service(this.virtual, this.clock);
				HeldLock held = service.acquire("a", lease(THIRD.multipliedBy(3)))) {
			for (int i = 1; i <= 4; i++) {
				long renewals = i;
				this.clock.advance(THIRD);
				Awaitility.await()
					.until(() -> this.events.stream()
						.filter(LockEvent.LeaseRenewed.class::isInstance)
						.count() >= renewals);
			}
			assertThat(held.isValid()).isTrue();
		}
	}

	/** As with a store that knows sessions, which may be much shorter than a lease. */
	@Test
	void grantShorterThanItsLeaseIsRenewedWhenAThirdOfItIsGone() {
		long session = THIRD.multipliedBy(3).toNanos();
		List<Long> requests = new CopyOnWriteArrayList<>();
		LockEngine engine = new DelegatingEngine(this.virtual) {
			@Override
			public AcquisitionOutcome tryAcquire(Claim claim) {
				AcquisitionOutcome.Granted granted = (AcquisitionOutcome.Granted) super.tryAcquire(claim);
				return new AcquisitionOutcome.Granted(granted.number(), request() + session);
			}

			@Override
			public List<RenewalOutcome> renew(List<Renewal> due) {
				return List.of(new RenewalOutcome.Renewed(request() + session));
			}

			private long request() {
				requests.add(LockRenewalTests.this.clock.nanoTime());
				return requests.get(requests.size() - 1);
			}
		};
		try (LockService service = service(engine, this.clock);
				HeldLock held = service.acquire("a", lease(Duration.ofHours(1)))) {
			for (int i = 1; i <= 3; i++) {
				int renewals = i;
				this.clock.advance(THIRD);
				Awaitility.await().until(() -> requests.size() > renewals);
			}
			assertThat(held.isValid()).isTrue();
			for (int i = 1; i < requests.size(); i++) {
				assertThat(requests.get(i) - requests.get(i - 1)).isGreaterThan(session / 4);
			}
		}
	}

	@Test
	void maxHoldEndsRenewal() {
		Duration maxHold = Duration.ofMinutes(1);
		try (LockService service = service(this.virtual, this.clock)) {
			HeldLock held = service.acquire("a", lease(maxHold).toBuilder().maxHold(maxHold).build());
			this.clock.advance(maxHold);
			Awaitility.await().until(() -> !held.isValid());
			assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
				.satisfies((ex) -> assertThat(ex.getLossCause()).isEqualTo(LossCause.MAX_HOLD));
		}
	}

	@Test
	void storeThatIsDownIsNotABusyLock() {
		this.store.faults().setDown(true);
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> this.here.acquire("a", waiting(Duration.ofMillis(200))))
			.withMessageContaining("'a'")
			.withMessageContaining("local");
		assertThat(outcomes()).containsExactly(AcquireOutcome.UNAVAILABLE);
	}

	@Test
	void storeThatComesBackWithinTheWaitTimeIsAskedAgain() throws Exception {
		this.store.faults().setDown(true);
		CompletableFuture<HeldLock> waiting = this.here.acquireAsync("a", waiting(Duration.ofSeconds(10)));
		awaitWaiting(1);
		this.store.faults().setDown(false);
		waiting.get(30, TimeUnit.SECONDS).close();
	}

	@Test
	void lostReplyLeavesNothingBehind() {
		this.store.faults().setLoseReplies(true);
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> this.here.acquire("a", waiting(Duration.ZERO)));
		this.store.faults().setLoseReplies(false);
		Awaitility.await().untilAsserted(() -> assertThat(this.store.size()).isZero());
	}

	@Test
	void unknownEngineIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.here.acquire("a", this.here.defaults().toBuilder().engine("redis").build()))
			.withMessageContaining("redis")
			.withMessageContaining("local");
	}

	/** Whatever a renewal throws, the next one is tried. */
	@Fault(16)
	@Test
	void renewalThatFailsInAnyWayIsRepeated() {
		AtomicInteger renewals = new AtomicInteger();
		LockEngine engine = new DelegatingEngine(this.virtual) {
			@Override
			public List<RenewalOutcome> renew(List<Renewal> due) {
				return switch (renewals.incrementAndGet()) {
					case 1 -> throw new IllegalStateException("renewal");
					case 2 -> throw new StackOverflowError("renewal");
					case 3 -> List.of();
					default -> super.renew(due);
				};
			}
		};
		try (LockService service = service(engine, this.clock);
				HeldLock held = service.acquire("a", lease(THIRD.multipliedBy(3)))) {
			this.clock.advance(THIRD);
			Awaitility.await()
				.untilAsserted(() -> assertThat(this.events)
					.anyMatch((event) -> event instanceof LockEvent.LeaseRenewed renewed
							&& renewed.outcome() == RenewalResult.RENEWED));
			assertThat(held.isValid()).isTrue();
			assertThat(renewals).hasValueGreaterThan(3);
		}
	}

	@Test
	void acquisitionThatFailsPlansNoRelease() {
		AtomicInteger planned = new AtomicInteger();
		ReleaseTiming timing = () -> {
			planned.incrementAndGet();
			return Runnable::run;
		};
		try (LockService service = new LockService(settings(63, OnLost.THROW), List.of(this.store), Member.of("test"),
				MonotonicClock.SYSTEM, List.of(), timing); HeldLock held = this.there.acquire("a")) {
			assertThat(service.tryAcquire("a")).isEmpty();
			assertThat(planned).hasValue(0);
			service.acquire("b").close();
			assertThat(planned).hasValue(1);
			assertThat(held.isValid()).isTrue();
		}
	}

	@Test
	void handedGrantThatIsGivenBackSoonIsNotExtended() {
		int briefHolds = 50;
		List<LockKey> extended = new CopyOnWriteArrayList<>();
		LockEngine engine = new HandingEngine(this.store) {
			@Override
			public List<RenewalOutcome> renew(List<Renewal> due) {
				due.forEach((renewal) -> extended.add(renewal.claim().key()));
				return super.renew(due);
			}
		};
		try (LockService service = service(engine)) {
			HeldLock held = service.acquire("long");
			Awaitility.await().until(() -> !extended.isEmpty());
			held.close();
			extended.clear();
			for (int i = 0; i < briefHolds; i++) {
				HeldLock brief = service.acquire("brief");
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
				brief.close();
			}
		}
		assertThat(extended).as("a slow machine may hold some for long").hasSizeLessThan(briefHolds);
	}

	@Test
	void callerIsWokenThoughNoThreadIsLeftToWatchItsHold() throws Exception {
		AtomicInteger readings = new AtomicInteger();
		MonotonicClock clock = () -> {
			if (Thread.currentThread().getName().equals("pusher") && readings.incrementAndGet() == 2) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			return System.nanoTime();
		};
		AtomicReference<Thread> caller = new AtomicReference<>();
		AtomicReference<Thread> pusher = new AtomicReference<>();
		AtomicReference<Throwable> failure = new AtomicReference<>();
		LockEngine engine = new HandingEngine(this.store) {
			@Override
			public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
				Thread thread = new Thread(() -> {
					Awaitility.await().until(() -> caller.get().getState() == Thread.State.TIMED_WAITING);
					super.subscribe(claim, listener);
				}, "pusher");
				thread.setUncaughtExceptionHandler((failed, error) -> failure.set(error));
				pusher.set(thread);
				thread.start();
				return Subscription.POLLING;
			}
		};
		try (LockService service = new LockService(settings(63, OnLost.THROW), List.of(engine), Member.of("test"),
				clock, List.of(), ReleaseTiming.IMMEDIATE)) {
			CompletableFuture.runAsync(() -> {
				caller.set(Thread.currentThread());
				service.acquire("a", service.defaults().toBuilder().waitTime(Duration.ofMinutes(1)).build()).close();
			}).get(30, TimeUnit.SECONDS);
			pusher.get().join();
		}
		assertThat(failure.get()).isInstanceOf(OutOfMemoryError.class);
	}

	@Test
	void engineThatThrowsAnErrorBlocksNoCaller() {
		AtomicBoolean broken = new AtomicBoolean(true);
		LockEngine engine = new DelegatingEngine(this.store) {
			@Override
			public AcquisitionOutcome tryAcquire(Claim claim) {
				if (broken.get()) {
					throw new NoClassDefFoundError("client");
				}
				return super.tryAcquire(claim);
			}
		};
		try (LockService service = service(engine)) {
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> service.acquire("a"))
				.withRootCauseInstanceOf(NoClassDefFoundError.class);
			broken.set(false);
			service.acquire("a").close();
		}
	}

	@Test
	void callerThatFailsDuringItsRequestLeavesTheQueueToTheNext() {
		AtomicReference<CompletableFuture<HeldLock>> next = new AtomicReference<>();
		FullStack engine = new FullStack(this.store);
		try (LockService service = service(engine)) {
			engine.first = () -> next.set(service.acquireAsync("a"));
			assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> service.acquire("a"));
			next.get().join().close();
		}
	}

	@Test
	void requestWhoseFailureCannotBeReportedIsRepeated() {
		FullStack engine = new FullStack(this.store);
		try (LockService service = service(engine)) {
			engine.first = () -> {
			};
			service.acquireAsync("a").join().close();
		}
	}

	@Test
	void waitIsReportedOnceThoughItsFirstGrantWasTakenTooLate() throws Exception {
		AtomicBoolean late = new AtomicBoolean();
		MonotonicClock clock = () -> System.nanoTime()
				+ ((late.get() && Thread.currentThread().getName().equals("late")) ? 3_600_000_000_000L : 0);
		LocalLockEngine engine = new LocalLockEngine(clock);
		try (LockService service = new LockService(settings(63, OnLost.THROW), List.of(engine), Member.of("test"),
				clock, List.of(this.events::add), ReleaseTiming.IMMEDIATE)) {
			HeldLock held = service.acquire("a");
			Thread waiter = new Thread(
					() -> service.acquire("a", service.defaults().toBuilder().waitTime(Duration.ofDays(1)).build())
						.close(),
					"late");
			waiter.start();
			awaitWaiting(1);
			late.set(true);
			held.close();
			waiter.join();
			assertThat(outcomes()).containsExactly(AcquireOutcome.ACQUIRED, AcquireOutcome.ACQUIRED);
			assertThat(this.events)
				.filteredOn((event) -> event instanceof LockEvent.AcquireEnded ended && ended.waited())
				.hasSize(1);
			assertThat(this.events).filteredOn(LockEvent.WaitStarted.class::isInstance).hasSize(1);
		}
	}

	private List<AcquireOutcome> outcomes() {
		return this.events.stream()
			.filter(LockEvent.AcquireEnded.class::isInstance)
			.map((event) -> ((LockEvent.AcquireEnded) event).outcome())
			.toList();
	}

	/** Hands its locks to those who wait, each with what is left of a short lease. */
	private static class HandingEngine extends DelegatingEngine {

		HandingEngine(LockEngine store) {
			super(store);
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			return new AcquisitionOutcome.Busy(Duration.ofSeconds(5));
		}

		@Override
		public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
			AcquisitionOutcome.Granted granted = (AcquisitionOutcome.Granted) super.tryAcquire(claim);
			listener.accept(new Signal.Pushed(new AcquisitionOutcome.Granted(granted.number(),
					System.nanoTime() + Duration.ofSeconds(20).toNanos())));
			return Subscription.POLLING;
		}

	}

	/** The first request fails, and so does the report of its failure. */
	private static final class FullStack extends DelegatingEngine {

		private final AtomicBoolean full = new AtomicBoolean();

		private volatile @Nullable Runnable first;

		FullStack(LockEngine store) {
			super(store);
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			Runnable action = this.first;
			if (action != null) {
				this.first = null;
				action.run();
				this.full.set(true);
				throw new StackOverflowError();
			}
			return super.tryAcquire(claim);
		}

		@Override
		public String name() {
			if (this.full.getAndSet(false)) {
				throw new StackOverflowError();
			}
			return super.name();
		}

	}

}
