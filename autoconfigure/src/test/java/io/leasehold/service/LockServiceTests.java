package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockBusyException;
import io.leasehold.LockInterruptedException;
import io.leasehold.engine.Capability;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.HandoffKind;
import io.leasehold.event.LockEvent;
import io.leasehold.test.VirtualClock;
import io.leasehold.test.contract.DelegatingEngine;
import io.leasehold.test.contract.Fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockService} on the local engine; two services that share it stand for
 * two processes.
 */
class LockServiceTests extends LockServiceFixture {

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
			outer.set(service.acquire("a", service.defaults().toBuilder().minHold(Duration.ofSeconds(5)).build()));
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
	void minHoldKeepsTheKeyClosedAfterItsRelease() {
		Duration minHold = Duration.ofMinutes(1);
		VirtualClock clock = new VirtualClock();
		LockEngine engine = new LocalLockEngine(clock);
		try (LockService one = service(engine, clock); LockService other = service(engine, clock)) {
			one.acquire("a", one.defaults().toBuilder().minHold(minHold).build()).close();
			clock.advance(minHold.minusSeconds(10));
			assertThat(other.tryAcquire("a")).isEmpty();
			assertThat(one.tryAcquire("a")).isEmpty();
			CompletableFuture<HeldLock> next = other.acquireAsync("a", waiting(Duration.ofMinutes(1)));
			awaitWaiting(1);
			assertThat(next).isNotDone();
			clock.advance(Duration.ofSeconds(10));
			closeAndToken(next);
		}
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

}
