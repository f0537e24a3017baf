package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.HandoffKind;
import io.leasehold.event.LockEvent;
import io.leasehold.event.RenewalResult;
import io.leasehold.test.contract.DelegatingEngine;
import io.leasehold.test.contract.Fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link LockService} on the local engine; two services that share it stand for
 * two processes.
 */
@Timeout(60)
class LockServiceTests {

	private final LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);

	private final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private final LockService here = service(63, OnLost.THROW);

	private final LockService there = service(63, OnLost.THROW);

	@AfterEach
	void close() {
		this.here.close();
		this.there.close();
	}

	@Test
	void secondProcessFindsAHeldKeyBusy() {
		try (HeldLock held = this.here.acquire("a")) {
			assertThat(held.isValid()).isTrue();
			assertThat(held.remaining()).isPositive();
			assertThatExceptionOfType(LockBusyException.class)
				.isThrownBy(() -> this.there.acquire("a", waiting(Duration.ZERO)))
				.withMessageContaining("'a'")
				.withMessageContaining("local");
		}
		assertThat(this.there.tryAcquire("a")).isPresent();
	}

	@Test
	@SuppressWarnings("try")
	void tokensGrowThroughLocalPassesAndReleases() throws Exception {
		List<Long> tokens = new CopyOnWriteArrayList<>();
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger overlaps = new AtomicInteger();
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			LockService service = (i % 2 == 0) ? this.here : this.there;
			threads.add(new Thread(() -> {
				for (int n = 0; n < 200; n++) {
					service.call("hot", (lock) -> {
						if (inside.incrementAndGet() != 1) {
							overlaps.incrementAndGet();
						}
						tokens.add(lock.fencingToken());
						return inside.decrementAndGet();
					});
				}
			}));
		}
		// All of them wait at least once, however fast one of them is
		try (HeldLock first = this.here.acquire("hot")) {
			threads.forEach(Thread::start);
			awaitWaiting(8);
		}
		for (Thread thread : threads) {
			thread.join();
		}
		assertThat(overlaps).hasValue(0);
		assertThat(tokens).hasSize(1600).isSorted().doesNotHaveDuplicates();
		assertThat(this.events).contains(new LockEvent.HandedOff("local", HandoffKind.LOCAL));
		assertThat(this.store.size()).isZero();
	}

	@Test
	void passesEndAfterTheConfiguredNumber() {
		try (LockService service = service(2, OnLost.THROW)) {
			HeldLock first = service.acquire("a");
			List<CompletableFuture<HeldLock>> waiting = new ArrayList<>();
			for (int i = 0; i < 4; i++) {
				waiting.add(service.acquireAsync("a"));
			}
			long grant = first.fencingToken() / 64;
			first.close();
			assertThat(closeAndToken(waiting.get(0))).isEqualTo(grant * 64 + 1);
			assertThat(closeAndToken(waiting.get(1))).isEqualTo(grant * 64 + 2);
			assertThat(closeAndToken(waiting.get(2)) / 64).isGreaterThan(grant);
			closeAndToken(waiting.get(3));
		}
	}

	@Test
	@SuppressWarnings("try")
	void scopeReentersWithTheSameToken() {
		try (HeldLock outer = this.here.acquire("a"); HeldLockScope scope = HeldLockScope.open(outer)) {
			HeldLock inner = this.here.acquire("a", waiting(Duration.ZERO));
			assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
			inner.close();
			inner.close();
			assertThat(inner.isValid()).isFalse();
			assertThat(outer.isValid()).isTrue();
			assertThat(this.there.tryAcquire("a")).isEmpty();
		}
		assertThat(this.there.tryAcquire("a")).isPresent();
	}

	@Test
	@SuppressWarnings("try")
	void holdEndsWithItsLastHandleInWhicheverOrder() {
		HeldLock outer = this.here.acquire("a");
		HeldLock inner;
		try (HeldLockScope scope = HeldLockScope.open(outer)) {
			inner = this.here.acquire("a");
		}
		CompletableFuture.runAsync(outer::close).join();
		assertThat(this.there.tryAcquire("a")).isEmpty();
		inner.close();
		assertThat(this.there.tryAcquire("a")).isPresent();
	}

	/** The last handle is closed between the re-entry and its own handle. */
	@Test
	@SuppressWarnings("try")
	void reentryThatMeetsTheEndOfItsHoldHasANewOne() {
		AtomicReference<HeldLock> outer = new AtomicReference<>();
		AtomicInteger readings = new AtomicInteger();
		Thread caller = Thread.currentThread();
		MonotonicClock clock = () -> {
			if (Thread.currentThread() == caller && readings.decrementAndGet() == 0) {
				CompletableFuture.runAsync(outer.get()::close).join();
			}
			return System.nanoTime();
		};
		LockEngine engine = new DelegatingEngine(this.store) {
			@Override
			public Set<Capability> capabilities() {
				return Set.of();
			}
		};
		try (LockService service = new LockService(settings(63, OnLost.THROW), List.of(engine), Member.of("test"),
				clock, List.of(), ReleaseTiming.IMMEDIATE)) {
			outer.set(service.acquire("a", service.defaults().toBuilder().minHold(Duration.ofSeconds(1)).build()));
			readings.set(3);
			try (HeldLockScope scope = HeldLockScope.open(outer.get()); HeldLock inner = service.acquire("a")) {
				assertThat(inner.fencingToken()).isGreaterThan(outer.get().fencingToken());
			}
		}
	}

	@Test
	void interruptedJdkLockThrowsTheJdksException() throws Exception {
		HeldLock held = this.there.acquire("a");
		Lock lock = this.here.asLock("a");
		AtomicReference<Throwable> thrown = new AtomicReference<>();
		Thread waiter = new Thread(() -> {
			try {
				lock.lockInterruptibly();
			}
			catch (InterruptedException ex) {
				thrown.set(ex);
			}
		});
		waiter.start();
		awaitWaiting(1);
		waiter.interrupt();
		waiter.join();
		assertThat(thrown.get()).hasMessageContaining("'a'");
		held.close();
		Awaitility.await().untilAsserted(() -> assertThat(this.store.size()).isZero());
	}

	@Test
	void interruptedWaiterKeepsItsFlagAndLeavesNothing() throws Exception {
		HeldLock held = this.there.acquire("a");
		AtomicReference<Throwable> thrown = new AtomicReference<>();
		AtomicInteger flagged = new AtomicInteger();
		Thread waiter = new Thread(() -> {
			try {
				this.here.acquire("a");
			}
			catch (LockInterruptedException ex) {
				thrown.set(ex);
				flagged.set(Thread.currentThread().isInterrupted() ? 1 : 0);
			}
		});
		waiter.start();
		awaitWaiting(1);
		waiter.interrupt();
		waiter.join();
		assertThat(thrown.get()).isInstanceOf(LockInterruptedException.class).hasMessageContaining("'a'");
		assertThat(flagged).hasValue(1);
		held.close();
		Awaitility.await().untilAsserted(() -> assertThat(this.store.size()).isZero());
	}

	@Test
	void nextCallerInheritsThePlaceInTheQueue() throws Exception {
		HeldLock held = this.there.acquire("a");
		CompletableFuture<HeldLock> impatient = this.here.acquireAsync("a");
		awaitWaiting(1);
		CompletableFuture<HeldLock> patient = this.here.acquireAsync("a");
		awaitWaiting(2);
		CompletableFuture<HeldLock> rival = this.there.acquireAsync("a", waiting(Duration.ofSeconds(20)));
		awaitWaiting(3);
		impatient.cancel(true);
		held.close();
		// Passed on locally first: the rival waits in the same process as the holder
		rival.get(30, TimeUnit.SECONDS).close();
		patient.get(30, TimeUnit.SECONDS).close();
		assertThat(impatient).isCancelled();
		Awaitility.await().untilAsserted(() -> assertThat(this.store.size()).isZero());
	}

	@Test
	void lostLockIsToldAndThrownAtTheEnd() throws Exception {
		HeldLock held = this.here.acquire("a", lease(Duration.ofSeconds(2)));
		CountDownLatch told = new CountDownLatch(1);
		held.onLost((ex) -> told.countDown());
		this.store.lose(new LockKey("a"));
		assertThat(told.await(30, TimeUnit.SECONDS)).isTrue();
		assertThat(held.isValid()).isFalse();
		assertThat(held.remaining()).isZero();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((ex) -> assertThat(ex.getLossCause()).isEqualTo(LossCause.NOT_OWNER));
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.events).hasAtLeastOneElementOfType(LockEvent.HoldLost.class)
				.hasAtLeastOneElementOfType(LockEvent.HoldEnded.class));
	}

	@Test
	void lossIsFoundAtTheReleaseAtTheLatest() {
		HeldLock held = this.here.acquire("a");
		this.store.lose(new LockKey("a"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
	}

	@Test
	void lossIsOnlyAWarningWhereConfigured() {
		try (LockService service = service(63, OnLost.WARN)) {
			HeldLock held = service.acquire("a");
			this.store.lose(new LockKey("a"));
			held.close();
			assertThat(this.events).hasAtLeastOneElementOfType(LockEvent.HoldLost.class);
		}
	}

	@Test
	void heldLeaseIsRenewed() {
		try (HeldLock held = this.here.acquire("a", lease(Duration.ofMillis(1500)))) {
			Awaitility.await()
				.until(() -> this.events.stream().filter(LockEvent.LeaseRenewed.class::isInstance).count() >= 4);
			assertThat(held.isValid()).isTrue();
		}
	}

	/** As with a store that knows sessions, which may be much shorter than a lease. */
	@Test
	void grantShorterThanItsLeaseIsRenewedWhenAThirdOfItIsGone() {
		long session = Duration.ofMillis(1500).toNanos();
		List<Long> requests = new CopyOnWriteArrayList<>();
		LockEngine engine = new DelegatingEngine(this.store) {
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
				requests.add(System.nanoTime());
				return requests.get(requests.size() - 1);
			}
		};
		try (LockService service = service(engine);
				HeldLock held = service.acquire("a", lease(Duration.ofSeconds(60)))) {
			Awaitility.await().until(() -> requests.size() > 3);
			assertThat(held.isValid()).isTrue();
			for (int i = 1; i < requests.size(); i++) {
				assertThat(requests.get(i) - requests.get(i - 1)).isGreaterThan(session / 4);
			}
		}
	}

	@Test
	void lockInDoubtIsNotValidUntilTheDoubtIsOver() {
		AtomicBoolean doubt = new AtomicBoolean();
		try (LockService service = service(doubting(doubt))) {
			HeldLock held = service.acquire("a");
			doubt.set(true);
			assertThat(held.isValid()).isFalse();
			assertThat(held.remaining()).isPositive();
			doubt.set(false);
			assertThat(held.isValid()).isTrue();
			held.close();
		}
		assertThat(this.events).noneMatch(LockEvent.HoldLost.class::isInstance);
	}

	@Test
	void lockInDoubtIsReleasedInsteadOfPassedOn() {
		AtomicBoolean doubt = new AtomicBoolean();
		try (LockService service = service(doubting(doubt))) {
			HeldLock held = service.acquire("a");
			CompletableFuture<HeldLock> next = service.acquireAsync("a", waiting(Duration.ofSeconds(10)));
			awaitWaiting(1);
			doubt.set(true);
			held.close();
			assertThat(closeAndToken(next) / 64).isGreaterThan(held.fencingToken() / 64);
		}
	}

	private LockEngine doubting(AtomicBoolean doubt) {
		return new DelegatingEngine(this.store) {
			@Override
			public boolean inDoubt(Claim claim) {
				return doubt.get();
			}
		};
	}

	@Test
	void maxHoldEndsRenewal() {
		HeldLock held = this.here.acquire("a",
				lease(Duration.ofMillis(200)).toBuilder()
					.maxHold(Duration.ofMillis(200))
					.waitTime(Duration.ZERO)
					.build());
		Awaitility.await().until(() -> !held.isValid());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((ex) -> assertThat(ex.getLossCause()).isEqualTo(LossCause.MAX_HOLD));
	}

	@Test
	void minHoldKeepsTheKeyClosedAfterItsRelease() {
		LockOptions options = this.here.defaults().toBuilder().minHold(Duration.ofMillis(300)).build();
		long start = System.nanoTime();
		this.here.acquire("a", options).close();
		assertThat(this.there.tryAcquire("a")).isEmpty();
		assertThat(this.here.tryAcquire("a")).isEmpty();
		this.there.acquire("a").close();
		assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(Duration.ofMillis(300).toNanos());
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

	/** A handle that nobody can close any more is a leak, and reported as one. */
	@Fault(63)
	@Test
	void droppedHandleIsReportedAndLeftToItsLease() {
		acquireAndDrop();
		Awaitility.await().pollInterval(Duration.ofMillis(50)).untilAsserted(() -> {
			System.gc();
			assertThat(this.events)
				.anyMatch((event) -> event instanceof LockEvent.HoldLost lost && lost.cause() == LossCause.ABANDONED);
		});
		Awaitility.await().untilAsserted(() -> assertThat(this.store.size()).isZero());
	}

	/** A thread dies without unlocking: the lock is renewed no more. */
	@Fault(63)
	@Test
	void jdkLockEndsWithItsThread() throws Exception {
		Lock lock = this.here.asLock("a", lease(Duration.ofMillis(300)));
		Thread owner = new Thread(lock::lock);
		owner.start();
		owner.join();
		assertThat(this.there.asLock("a").tryLock(1, TimeUnit.MINUTES)).isTrue();
	}

	/** Unlocking in a thread that does not own the lock is refused. */
	@Fault(94)
	@Test
	void jdkLockIsReentrantAndOwnedByItsThread() throws Exception {
		Lock lock = this.here.asLock("a");
		lock.lock();
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
		assertThat(this.there.asLock("a").tryLock()).isFalse();
		AtomicReference<Throwable> thrown = new AtomicReference<>();
		Thread other = new Thread(() -> {
			try {
				lock.unlock();
			}
			catch (IllegalMonitorStateException ex) {
				thrown.set(ex);
			}
		});
		other.start();
		other.join();
		assertThat(thrown.get()).isNotNull();
		lock.unlock();
		assertThat(this.there.asLock("a").tryLock()).isTrue();
	}

	@Test
	void drainRefusesCallersAndWaitsForHolders() throws Exception {
		HeldLock held = this.here.acquire("a");
		CountDownLatch idle = new CountDownLatch(1);
		this.here.drain(idle::countDown);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.here.acquire("b"))
			.withMessageContaining("shutting down");
		assertThat(idle.getCount()).isOne();
		held.close();
		assertThat(idle.await(30, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void holderThatOutlastsTheShutdownIsToldAndLeftToItsLease() {
		HeldLock held = this.here.acquire("a");
		this.here.close();
		assertThat(held.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((ex) -> assertThat(ex.getLossCause()).isEqualTo(LossCause.SHUTDOWN));
		assertThat(this.there.tryAcquire("a")).isEmpty();
	}

	/** Its work may go on until the last handle is closed. */
	@Test
	@Fault(121)
	@SuppressWarnings("try")
	void cancelledLockIsKeptUntilItsLastHandleIsClosed() {
		LockOptions options = lease(Duration.ofMinutes(10)).toBuilder().waitTime(Duration.ZERO).build();
		HeldLock outer = this.here.acquire("a", options);
		HeldLock inner;
		try (HeldLockScope scope = HeldLockScope.open(outer)) {
			inner = this.here.acquire("a", options);
		}
		assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
		this.here.cancelled(inner);
		assertThat(outer.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(inner::close)
			.satisfies((ex) -> assertThat(ex.getLossCause()).isEqualTo(LossCause.CANCELLED));
		Awaitility.await().during(Duration.ofMillis(300)).until(() -> this.there.tryAcquire("a", options).isEmpty());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(outer::close);
		Awaitility.await().until(() -> this.there.tryAcquire("a", options).isPresent());
	}

	@Test
	void cancellationAfterTheEndIsNoLoss() {
		HeldLock held = this.here.acquire("a");
		held.close();
		this.here.cancelled(held);
		assertThat(this.events).noneMatch(LockEvent.HoldLost.class::isInstance);
		assertThat(this.there.tryAcquire("a")).isPresent();
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
		LockEngine engine = new DelegatingEngine(this.store) {
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
		try (LockService service = service(engine);
				HeldLock held = service.acquire("a", lease(Duration.ofSeconds(3)))) {
			Awaitility.await()
				.untilAsserted(() -> assertThat(this.events)
					.anyMatch((event) -> event instanceof LockEvent.LeaseRenewed renewed
							&& renewed.outcome() == RenewalResult.RENEWED));
			assertThat(held.isValid()).isTrue();
			assertThat(renewals).hasValueGreaterThan(3);
		}
	}

	@Test
	void lossTellsWhyTheLastRenewalFailed() {
		LockEngine engine = new DelegatingEngine(this.store) {
			@Override
			public List<RenewalOutcome> renew(List<Renewal> due) {
				throw new LockEngineException(new LockKey("a"), "The store does not answer", null);
			}
		};
		try (LockService service = service(engine)) {
			HeldLock held = service.acquire("a", lease(Duration.ofMillis(1500)));
			Awaitility.await().until(() -> !held.isValid());
			assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
				.satisfies((ex) -> assertThat(ex.getSuppressed()[0]).hasMessageContaining("The store does not answer"));
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
	void shutdownReleasesWhatWaitedForItsFirstRenewal() throws Exception {
		CountDownLatch renewed = new CountDownLatch(1);
		LockEngine engine = new HandingEngine(this.store) {
			@Override
			public List<RenewalOutcome> renew(List<Renewal> due) {
				Awaitility.await().until(() -> renewed.getCount() == 0);
				return super.renew(due);
			}
		};
		try (LockService service = service(engine)) {
			HeldLock held = service.acquire("a");
			CompletableFuture<HeldLock> next = service.acquireAsync("a");
			awaitWaiting(1);
			held.close();
			assertThat(next).isNotDone();
			CountDownLatch idle = new CountDownLatch(1);
			service.drain(idle::countDown);
			renewed.countDown();
			assertThat(idle.await(30, TimeUnit.SECONDS)).isTrue();
			assertThat(next).isCompletedExceptionally();
			assertThat(this.there.tryAcquire("a")).isPresent();
		}
	}

	@Test
	void lossWhileTheStoreIsAskedKeepsTheLockDelay() throws Exception {
		Duration valid = Duration.ofMillis(100);
		Duration lockDelay = Duration.ofSeconds(1);
		AtomicReference<Consumer<Signal>> listening = new AtomicReference<>();
		CountDownLatch polled = new CountDownLatch(1);
		CountDownLatch responded = new CountDownLatch(1);
		CompletableFuture<Long> released = new CompletableFuture<>();
		LockEngine engine = new DelegatingEngine(this.store) {
			@Override
			public AcquisitionOutcome tryAcquire(Claim claim) {
				if (listening.get() != null) {
					polled.countDown();
					Awaitility.await().until(() -> responded.getCount() == 0);
				}
				return new AcquisitionOutcome.Busy(Duration.ZERO);
			}

			@Override
			public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
				listening.set(listener);
				return Subscription.POLLING;
			}

			@Override
			public List<RenewalOutcome> renew(List<Renewal> due) {
				return List.of(new RenewalOutcome.Unknown(new IllegalStateException("no answer")));
			}

			@Override
			public ReleaseOutcome release(Claim claim) {
				released.complete(System.nanoTime());
				return super.release(claim);
			}
		};
		try (LockService service = service(engine)) {
			service.acquireAsync("a", waiting(Duration.ofSeconds(20)).toBuilder().lockDelay(lockDelay).build());
			assertThat(polled.await(30, TimeUnit.SECONDS)).isTrue();
			long believedUntil = System.nanoTime() + valid.toNanos();
			listening.get().accept(new Signal.Pushed(new AcquisitionOutcome.Granted(1, believedUntil)));
			Awaitility.await().until(() -> this.events.stream().anyMatch(LockEvent.HoldEnded.class::isInstance));
			responded.countDown();
			assertThat(released.get(30, TimeUnit.SECONDS) - believedUntil).isGreaterThanOrEqualTo(lockDelay.toNanos());
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
		LockEngine engine = new HandingEngine(this.store) {
			@Override
			public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
				Thread pusher = new Thread(() -> super.subscribe(claim, listener), "pusher");
				pusher.setUncaughtExceptionHandler((thread, error) -> {
				});
				pusher.start();
				return Subscription.POLLING;
			}
		};
		try (LockService service = new LockService(settings(63, OnLost.THROW), List.of(engine), Member.of("test"),
				clock, List.of(), ReleaseTiming.IMMEDIATE)) {
			CompletableFuture.supplyAsync(
					() -> service.acquire("a", service.defaults().toBuilder().waitTime(Duration.ofMinutes(1)).build()))
				.get(30, TimeUnit.SECONDS)
				.close();
		}
		assertThat(readings).hasValueGreaterThan(1);
	}

	@Test
	void engineThatThrowsAnErrorBlocksNobody() {
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
	void waitIsToldOnceThoughItsFirstGrantWasTakenUpTooLate() throws Exception {
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

	private void acquireAndDrop() {
		this.here.acquire("dropped", lease(Duration.ofMillis(500)));
	}

	private static long closeAndToken(CompletableFuture<HeldLock> future) {
		HeldLock held = future.orTimeout(5, TimeUnit.SECONDS).join();
		held.close();
		return held.fencingToken();
	}

	private void awaitWaiting(int count) {
		Awaitility.await()
			.until(() -> this.events.stream().filter(LockEvent.WaitStarted.class::isInstance).count() == count);
	}

	private List<AcquireOutcome> outcomes() {
		return this.events.stream()
			.filter(LockEvent.AcquireEnded.class::isInstance)
			.map((event) -> ((LockEvent.AcquireEnded) event).outcome())
			.toList();
	}

	private LockOptions waiting(Duration waitTime) {
		return this.here.defaults().toBuilder().waitTime(waitTime).build();
	}

	private LockOptions lease(Duration lease) {
		return this.here.defaults().toBuilder().lease(lease).build();
	}

	private LockService service(int handoffs, OnLost onLost) {
		return service(this.store, settings(handoffs, onLost));
	}

	private LockService service(LockEngine engine) {
		return service(engine, settings(63, OnLost.THROW));
	}

	private LockService service(LockEngine engine, ServiceSettings settings) {
		return new LockService(settings, List.of(engine), Member.of("test"), MonotonicClock.SYSTEM,
				List.of(this.events::add), ReleaseTiming.IMMEDIATE);
	}

	private static ServiceSettings settings(int handoffs, OnLost onLost) {
		LockOptions defaults = new LockOptions("test", "local", Duration.ofSeconds(10), Duration.ofSeconds(10),
				Duration.ZERO, LockOptions.UNLIMITED);
		return new ServiceSettings(defaults, onLost, handoffs, Duration.ofSeconds(5));
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
					System.nanoTime() + Duration.ofSeconds(4).toNanos())));
			return Subscription.POLLING;
		}

	}

}
