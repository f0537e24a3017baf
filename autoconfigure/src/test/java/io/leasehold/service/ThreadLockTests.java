package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockModeException;
import io.leasehold.LockOptions;
import io.leasehold.LockView;
import io.leasehold.engine.Holder;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.LockEvent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link KeyLock} and {@link ThreadLocks}: the locks that a thread holds, and
 * the effect of an interrupt.
 */
class ThreadLockTests {

	private final LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);

	private final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private final LockOptions options = new LockOptions("test", "local", Duration.ofSeconds(30), Duration.ZERO,
			Duration.ZERO, LockOptions.UNLIMITED);

	private final LockService locks = new LockService(
			new ServiceSettings(this.options, OnLost.THROW, 63, Duration.ofSeconds(5)), List.of(this.store),
			Member.of("test"), MonotonicClock.SYSTEM, List.of(this.events::add), ReleaseTiming.IMMEDIATE);

	@AfterEach
	void close() {
		this.locks.close();
		assertThat(Thread.interrupted()).isFalse();
	}

	@ParameterizedTest
	@MethodSource("orders")
	void locksOfAThreadMayBeUnlockedInAnyOrder(List<String> order) {
		List<LockView> views = Stream.of("a", "b", "c").map(this.locks::asLock).toList();
		views.forEach(LockView::lock);
		List<String> locked = new ArrayList<>(List.of("a", "b", "c"));
		for (String key : order) {
			LockView view = views.get("abc".indexOf(key));
			view.unlock();
			locked.remove(key);
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(view::unlock);
			assertThat(views).filteredOn((one) -> one.held().isPresent())
				.extracting((one) -> one.held().orElseThrow().key())
				.containsExactlyElementsOf(locked);
			assertThat(this.store.size()).isEqualTo(locked.size());
		}
	}

	static Stream<List<String>> orders() {
		return Stream.of(List.of("a", "b", "c"), List.of("a", "c", "b"), List.of("b", "a", "c"), List.of("b", "c", "a"),
				List.of("c", "a", "b"), List.of("c", "b", "a"));
	}

	/** As with registries of locks, which create an object for each use of a key. */
	@Test
	void viewsOfOneKeyAndModeAreOneLockToTheirThread() {
		this.locks.asLock("a").lock();
		this.locks.asLock("a").lock();
		assertThat(this.locks.asLock("a", this.options).held()).isPresent();
		this.locks.asReadWriteLock("a").writeLock().unlock();
		assertThat(this.store.size()).isOne();
		this.locks.asLock("a").unlock();
		assertThat(this.store.size()).isZero();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.locks.asLock("a")::unlock)
			.withMessageContaining("'a'");
	}

	@Test
	void viewsOfOtherKeysModesNumbersOfPermitsAndEnginesAreOtherLocks() {
		this.locks.asLock("a").lock();
		LockOptions permits = this.options.toBuilder().permits(2).build();
		this.locks.asLock("p", permits).lock();
		try (LockService other = new LockService(
				new ServiceSettings(this.options, OnLost.THROW, 63, Duration.ofSeconds(5)),
				List.of(new LocalLockEngine(MonotonicClock.SYSTEM)), Member.of("test"), MonotonicClock.SYSTEM,
				List.of(), ReleaseTiming.IMMEDIATE)) {
			for (LockView view : List.of(this.locks.asLock("b"), this.locks.asReadWriteLock("a").readLock(),
					this.locks.asLock("p", permits.toBuilder().permits(3).build()), this.locks.asLock("p"),
					other.asLock("a"))) {
				assertThat(view.held()).isEmpty();
				assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(view::unlock);
			}
		}
		assertThat(this.store.size()).isEqualTo(2);
		this.locks.asLock("p", permits).unlock();
		this.locks.asLock("a").unlock();
		assertThat(this.store.size()).isZero();
	}

	@Test
	void lockIsHeldUntilItsLastUnlock() {
		LockView view = this.locks.asLock("a");
		view.lock();
		HeldLock first = view.held().orElseThrow();
		view.lock();
		HeldLock second = view.held().orElseThrow();
		assertThat(second).isNotSameAs(first);
		view.unlock();
		assertThat(second.isValid()).isFalse();
		assertThat(view.held()).containsSame(first);
		assertThat(this.store.size()).isOne();
		view.unlock();
		assertThat(this.store.size()).isZero();
	}

	@Test
	void textOfALockIncludesItsValidity() {
		LockView view = this.locks.asLock("a");
		view.lock();
		HeldLock held = view.held().orElseThrow();
		assertThat(held).hasToString("HeldLock 'a' (token %d, valid)".formatted(held.fencingToken()));
		view.unlock();
		assertThat(held).hasToString("HeldLock 'a' (token %d, not valid)".formatted(held.fencingToken()));
	}

	@Test
	void interruptedThreadLocksAndStaysInterrupted() throws Exception {
		Lock lock = this.locks.asLock("a");
		Thread.currentThread().interrupt();
		lock.lock();
		assertThat(Thread.interrupted()).isTrue();
		lock.unlock();
		lock.lock();
		assertThat(Thread.interrupted()).isFalse();
		lock.unlock();
		Thread.currentThread().interrupt();
		assertThat(lock.tryLock()).isTrue();
		assertThat(Thread.interrupted()).isTrue();
		lock.unlock();
		assertThat(lock.tryLock()).isTrue();
		assertThat(Thread.interrupted()).isFalse();
		lock.unlock();
	}

	@Test
	void interruptedThreadIsRefusedWhereItMayBe() {
		Lock lock = this.locks.asLock("a");
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS))
			.withMessageContaining("'a'");
		assertThat(Thread.interrupted()).isFalse();
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(lock::lockInterruptibly);
		assertThat(Thread.interrupted()).isFalse();
		assertThat(this.store.size()).isZero();
	}

	@Test
	void lockOutlastsAnInterruptAndKeepsIt() throws Exception {
		HeldLock held = this.locks.acquire("a");
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		Thread waiter = new Thread(() -> {
			Lock lock = this.locks.asLock("a");
			lock.lock();
			interrupted.complete(Thread.interrupted());
			lock.unlock();
		});
		waiter.start();
		awaitWaits(1);
		waiter.interrupt();
		awaitWaits(2);
		assertThat(interrupted).isNotDone();
		held.close();
		assertThat(interrupted.get(30, TimeUnit.SECONDS)).isTrue();
		waiter.join();
		assertThat(this.store.size()).isZero();
	}

	@Test
	void timedTryLockEndsWithoutTheLock() throws Exception {
		Lock lock = this.locks.asLock("a");
		HeldLock held = this.locks.acquire("a");
		assertThat(lock.tryLock(-1, TimeUnit.SECONDS)).isFalse();
		assertThat(lock.tryLock(1, TimeUnit.MILLISECONDS)).isFalse();
		held.close();
		assertThat(lock.tryLock(-1, TimeUnit.SECONDS)).isTrue();
		assertThat(this.store.inspect(new LockKey("a"))).extracting(Holder::thread)
			.containsExactly(Thread.currentThread().getName());
		lock.unlock();
	}

	/** Callers that disagree about the number would admit too many holders. */
	@Test
	void contradictoryNumberOfPermitsIsAnError() {
		HeldLock held = this.locks.acquire("a", this.options.toBuilder().permits(2).build());
		Lock lock = this.locks.asLock("a", this.options.toBuilder().permits(3).build());
		assertThatExceptionOfType(LockModeException.class).isThrownBy(lock::tryLock);
		assertThatExceptionOfType(LockModeException.class).isThrownBy(() -> lock.tryLock(1, TimeUnit.MILLISECONDS));
		held.close();
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
	}

	private void awaitWaits(int count) {
		Awaitility.await()
			.until(() -> this.events.stream().filter(LockEvent.WaitStarted.class::isInstance).count() == count);
	}

}
