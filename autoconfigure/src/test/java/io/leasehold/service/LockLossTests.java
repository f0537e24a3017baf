package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.LockEvent;
import io.leasehold.test.VirtualClock;
import io.leasehold.test.contract.DelegatingEngine;
import io.leasehold.test.contract.Fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Losses of locks, and the end of a process.
 */
class LockLossTests extends LockServiceFixture {

	@Test
	void lostLockIsReportedAndThrownAtTheEnd() throws Exception {
		HeldLock held = this.here.acquire("a", lease(Duration.ofSeconds(6)));
		CountDownLatch reported = new CountDownLatch(1);
		held.onLost((ex) -> reported.countDown());
		this.store.lose(new LockKey("a"));
		assertThat(reported.await(30, TimeUnit.SECONDS)).isTrue();
		assertThat(held.isValid()).isFalse();
		assertThat(held.remaining()).isZero();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((ex) -> assertThat(ex.getLossCause()).isEqualTo(LossCause.NOT_OWNER));
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.events).hasAtLeastOneElementOfType(LockEvent.HoldLost.class)
				.hasAtLeastOneElementOfType(LockEvent.HoldEnded.class));
	}

	/** Its actions would stop work that has ended. */
	@Test
	@SuppressWarnings("try")
	void holderIsNotNotifiedOfALossAfterItClosedItsHandle() {
		List<String> notified = new CopyOnWriteArrayList<>();
		HeldLock outer = this.here.acquire("a", lease(Duration.ofSeconds(6)));
		Consumer<LockLostException> action = (loss) -> notified.add("outer");
		try (HeldLockScope scope = HeldLockScope.open(outer)) {
			outer.onLost(action);
			try (HeldLock inner = this.here.acquire("a")) {
				inner.onLost(action);
				inner.onLost((loss) -> notified.add("inner"));
			}
		}
		this.store.lose(new LockKey("a"));
		CountDownLatch last = new CountDownLatch(1);
		outer.onLost((loss) -> last.countDown());
		Awaitility.await().until(() -> last.getCount() == 0 && !notified.isEmpty());
		assertThat(notified).containsExactly("outer");
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

	/** A handle that nobody can close any more is a leak, and reported as one. */
	@Fault(63)
	@Test
	void droppedHandleIsReportedAndLeftToItsLease() {
		VirtualClock clock = new VirtualClock();
		LocalLockEngine engine = new LocalLockEngine(clock);
		try (LockService service = service(engine, clock)) {
			acquireAndDrop(service);
			Awaitility.await().pollInterval(Duration.ofMillis(50)).untilAsserted(() -> {
				System.gc();
				assertThat(this.events).anyMatch(
						(event) -> event instanceof LockEvent.HoldLost lost && lost.cause() == LossCause.ABANDONED);
			});
			assertThat(engine.size()).isOne();
			clock.advance(service.defaults().lease());
			assertThat(engine.size()).isZero();
		}
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
	void holderThatOutlastsTheShutdownIsNotifiedAndLeftToItsLease() {
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
	void lossTellsWhyTheLastRenewalFailed() {
		VirtualClock clock = new VirtualClock();
		LockEngine engine = new DelegatingEngine(new LocalLockEngine(clock)) {
			@Override
			public List<RenewalOutcome> renew(List<Renewal> due) {
				throw new LockEngineException(new LockKey("a"), "The store does not respond", null);
			}
		};
		try (LockService service = service(engine, clock)) {
			HeldLock held = service.acquire("a");
			clock.advance(service.defaults().lease().dividedBy(3));
			Awaitility.await().until(() -> this.events.stream().anyMatch(LockEvent.LeaseRenewed.class::isInstance));
			clock.advance(service.defaults().lease());
			Awaitility.await().until(() -> !held.isValid());
			assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
				.satisfies(
						(ex) -> assertThat(ex.getSuppressed()[0]).hasMessageContaining("The store does not respond"));
		}
	}

	@Test
	void lossWhileTheStoreIsAskedKeepsTheLockDelay() throws Exception {
		VirtualClock clock = new VirtualClock();
		Duration valid = Duration.ofMinutes(1);
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
				return List.of(new RenewalOutcome.Unknown(new IllegalStateException("no response")));
			}

			@Override
			public ReleaseOutcome release(Claim claim) {
				released.complete(clock.nanoTime());
				return super.release(claim);
			}
		};
		try (LockService service = service(engine, clock)) {
			CompletableFuture<HeldLock> acquired = service.acquireAsync("a",
					waiting(Duration.ofSeconds(20)).toBuilder().lockDelay(lockDelay).build());
			assertThat(polled.await(30, TimeUnit.SECONDS)).isTrue();
			listening.get()
				.accept(new Signal.Pushed(new AcquisitionOutcome.Granted(1, clock.nanoTime() + valid.toNanos())));
			HeldLock held = acquired.get(30, TimeUnit.SECONDS);
			clock.advance(valid);
			Awaitility.await().until(() -> this.events.stream().anyMatch(LockEvent.HoldEnded.class::isInstance));
			assertThat(held.isValid()).isFalse();
			long response = clock.nanoTime();
			responded.countDown();
			assertThat(released.get(30, TimeUnit.SECONDS) - response).isGreaterThanOrEqualTo(lockDelay.toNanos());
		}
	}

	private static void acquireAndDrop(LockService service) {
		service.acquire("dropped");
	}

}
