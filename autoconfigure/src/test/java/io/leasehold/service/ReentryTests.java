package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockBusyException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockMode;
import io.leasehold.LockModeException;
import io.leasehold.LockOptions;
import io.leasehold.LockOverview;
import io.leasehold.LockView;
import io.leasehold.engine.Member;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.LockEvent;
import io.leasehold.test.VirtualClock;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for who re-enters a lock: code inside a scope of it, and the thread that locked
 * it as a {@link Lock}; never a thread for no other reason than that it called
 * {@code acquire}.
 */
@ExtendWith(OutputCaptureExtension.class)
class ReentryTests {

	private final VirtualClock clock = new VirtualClock();

	private final LocalLockEngine store = new LocalLockEngine(this.clock);

	private final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private final LockOptions once = new LockOptions("test", "local", Duration.ofSeconds(10), Duration.ZERO,
			Duration.ZERO, LockOptions.UNLIMITED);

	private final LockService locks = new LockService(
			new ServiceSettings(this.once, OnLost.THROW, 63, Duration.ofSeconds(10)), List.of(this.store),
			Member.of("test"), this.clock, List.of(this.events::add), ReleaseTiming.IMMEDIATE);

	/** The only thread of a pool, which runs one request after the other. */
	private final ExecutorService pool = Executors.newSingleThreadExecutor();

	@AfterEach
	void leavesNothing() {
		this.pool.shutdownNow();
		await().until(() -> this.store.size() == 0);
		assertThat(this.locks.inspector().overview()).isEqualTo(new LockOverview(List.of(), List.of(), List.of()));
		this.locks.close();
	}

	@Fault(117)
	@Test
	void requestDoesNotReenterTheLockThatAnotherRequestOfItsThreadHandedOver() {
		HeldLock handedOver = inPool(() -> this.locks.acquire("a"));
		assertThat(inPool(() -> this.locks.tryAcquire("a"))).isEmpty();
		handedOver.close();
		HeldLock next = inPool(() -> this.locks.acquire("a"));
		assertThat(next.fencingToken()).isGreaterThan(handedOver.fencingToken());
		next.close();
	}

	@Fault(118)
	@Test
	void threadAdmitsNoMoreTasksThanThereArePermits() {
		LockOptions permits = this.once.toBuilder().permits(3).build();
		List<HeldLock> admitted = new ArrayList<>();
		for (int task = 0; task < 9; task++) {
			this.locks.tryAcquire("a", permits).ifPresent(admitted::add);
		}
		assertThat(admitted).hasSize(3);
		assertThat(admitted).extracting(HeldLock::fencingToken).doesNotHaveDuplicates();
		admitted.forEach(HeldLock::close);
	}

	@Test
	@SuppressWarnings("try")
	void scopeReentersItsLockUntilItIsClosed() {
		try (HeldLock lock = this.locks.acquire("a")) {
			try (HeldLockScope scope = HeldLockScope.open(lock);
					HeldLock inner = this.locks.acquire("a");
					HeldLock innermost = this.locks.acquire("a", this.once.toBuilder().mode(LockMode.SHARED).build())) {
				assertThat(inner.fencingToken()).isEqualTo(lock.fencingToken());
				assertThat(innermost.fencingToken()).isEqualTo(lock.fencingToken());
			}
			assertThat(this.locks.tryAcquire("a")).isEmpty();
		}
	}

	@Test
	void workOfACallReentersAlsoASecondLockFurtherOut() {
		this.locks.call("a", (outer) -> this.locks.call("b", (other) -> {
			try (HeldLock inner = this.locks.acquire("a")) {
				assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
			}
			return null;
		}));
	}

	@Fault(117)
	@Test
	void whatAScopeReenteredIsNotReenteredAfterItsEnd() {
		HeldLock handedOver = inPool(() -> this.locks.call("a", (lock) -> this.locks.acquire("a")));
		assertThat(inPool(() -> this.locks.tryAcquire("a"))).isEmpty();
		handedOver.close();
	}

	@Test
	@SuppressWarnings("try")
	void workerReentersTheLockThatItMakesCurrent() {
		HeldLock lock = this.locks.acquire("a");
		long token = inPool(() -> {
			try (lock; HeldLockScope scope = HeldLockScope.open(lock); HeldLock inner = this.locks.acquire("a")) {
				return inner.fencingToken();
			}
		});
		assertThat(token).isEqualTo(lock.fencingToken());
	}

	@Test
	@SuppressWarnings("try")
	void closedHandleInAScopeIsNotReentered() {
		HeldLock lock = this.locks.acquire("a");
		try (HeldLockScope scope = HeldLockScope.open(lock)) {
			HeldLock inner = this.locks.acquire("a");
			lock.close();
			assertThat(this.locks.tryAcquire("a")).isEmpty();
			inner.close();
		}
	}

	@Test
	void threadReentersWhatItLockedThroughWhicheverObject() {
		Lock lock = this.locks.asLock("a");
		lock.lock();
		Lock other = this.locks.asLock("a");
		assertThat(other.tryLock()).isTrue();
		this.locks.acquire("a").close();
		lock.unlock();
		assertThat(inPool(() -> this.locks.tryAcquire("a"))).isEmpty();
		other.unlock();
	}

	@Fault(117)
	@Test
	void whatAThreadReenteredAndHandedOverIsNotReenteredAfterItsUnlock() {
		HeldLock handedOver = inPool(() -> {
			Lock lock = this.locks.asLock("a");
			lock.lock();
			HeldLock inner = this.locks.acquire("a");
			lock.unlock();
			return inner;
		});
		assertThat(inPool(() -> this.locks.asLock("a").tryLock())).isFalse();
		handedOver.close();
	}

	/** The thread that locked has died; who got a handle by re-entry goes on. */
	@Test
	void handleOutlivesTheThreadWhoseLockItReentered() throws Exception {
		Duration lease = Duration.ofMinutes(1);
		CompletableFuture<HeldLock> handedOver = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			this.locks.asLock("a", this.once.toBuilder().lease(lease).build()).lock();
			handedOver.complete(this.locks.acquire("a"));
		});
		thread.start();
		thread.join();
		HeldLock held = handedOver.join();
		for (int i = 0; i < 4; i++) {
			int before = renewals();
			this.clock.advance(lease.dividedBy(3));
			await().until(() -> renewals() > before);
		}
		assertThat(held.isValid()).isTrue();
		this.locks.inspector().forceRelease("", new LockKey("a"));
	}

	/** Another lock in place of the lost one would end with the inner unlock. */
	@Fault(120)
	@Test
	void lostLockIsLockedAgainOnlyAfterItsUnlock() {
		Lock lock = this.locks.asLock("a");
		lock.lock();
		this.locks.inspector().forceRelease("", new LockKey("a"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::tryLock);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lock);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.locks.asLock("a").tryLock());
		assertThat(this.store.size()).isZero();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		lock.lock();
		assertThat(inPool(() -> this.locks.tryAcquire("a"))).isEmpty();
		lock.unlock();
	}

	@Test
	void viewShowsWhatItsThreadHolds() {
		LockView lock = this.locks.asLock("a");
		AtomicReference<LockLostException> notified = new AtomicReference<>();
		assertThat(lock.held()).isEmpty();
		lock.lock();
		HeldLock held = lock.held().orElseThrow();
		held.onLost(notified::set);
		assertThat(held.isValid()).isTrue();
		assertThat(this.locks.isCurrent("a", held.fencingToken())).isTrue();
		assertThat(inPool(() -> lock.held())).isEmpty();
		this.locks.inspector().forceRelease("", new LockKey("a"));
		await().until(() -> notified.get() != null);
		assertThat(lock.held()).hasValueSatisfying((lost) -> assertThat(lost.isValid()).isFalse());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		assertThat(lock.held()).isEmpty();
	}

	@Test
	void writeLockIsNotHadUnderOnesOwnReadLock() throws Exception {
		ReadWriteLock lock = this.locks.asReadWriteLock("a");
		lock.readLock().lock();
		assertThat(lock.writeLock().tryLock()).isFalse();
		assertThat(lock.writeLock().tryLock(1, TimeUnit.MILLISECONDS)).isFalse();
		assertThatExceptionOfType(LockModeException.class).isThrownBy(lock.writeLock()::lock);
		lock.readLock().unlock();
		assertThat(lock.writeLock().tryLock()).isTrue();
		assertThat(lock.readLock().tryLock()).isTrue();
		lock.writeLock().unlock();
		lock.readLock().unlock();
	}

	private int renewals() {
		return (int) this.events.stream().filter(LockEvent.LeaseRenewed.class::isInstance).count();
	}

	@Fault(118)
	@Test
	void permitIsNotReenteredInItsScope() {
		LockOptions permits = this.once.toBuilder().permits(2).build();
		this.locks.call("a", permits, (first) -> this.locks.call("a", permits, (second) -> {
			assertThat(second.fencingToken()).isNotEqualTo(first.fencingToken());
			assertThat(this.locks.tryAcquire("a", permits)).isEmpty();
			return null;
		}));
	}

	@Test
	void callerThatExcludesReentryDoesNotReenter() {
		this.locks.call("a", (lock) -> {
			assertThat(this.locks.tryAcquire("a", this.once.toBuilder().reentrant(false).build())).isEmpty();
			Optional<HeldLock> inner = this.locks.tryAcquire("a", this.once);
			assertThat(inner).isPresent();
			inner.get().close();
			return null;
		});
	}

	@Fault(119)
	@Test
	void threadThatWaitsForItsOwnHandleIsWarnedOfAtOnce(CapturedOutput output) {
		HeldLock own = inPool(() -> this.locks.acquire("a"));
		CompletableFuture<HeldLock> second = CompletableFuture.supplyAsync(
				() -> this.locks.acquire("a", this.once.toBuilder().waitTime(Duration.ofSeconds(20)).build()),
				this.pool);
		await().until(() -> output.getAll().contains("Lock 'a' (test) is awaited by"));
		assertThat(output).contains("holds it already, through a handle that is still open")
			.contains("HeldLockScope.open(handle)")
			.contains("DistributedLocks.call");
		assertThat(second).isNotDone();
		own.close();
		second.join().close();
	}

	@Test
	void threadThatWaitsForItsOwnHandleAgainIsWarnedOfOnce(CapturedOutput output) {
		HeldLock own = this.locks.acquire("a");
		for (int i = 0; i < 2; i++) {
			assertThatExceptionOfType(LockBusyException.class).isThrownBy(
					() -> this.locks.acquire("a", this.once.toBuilder().waitTime(Duration.ofMillis(20)).build()));
		}
		own.close();
		assertThat(output.getAll().split("Lock 'a' \\(test\\) is awaited by", -1)).hasSize(2);
	}

	@Fault(119)
	@Test
	void exceptionOfAThreadThatHoldsTheLockItselfSaysSo() {
		HeldLock own = this.locks.acquire("a");
		for (Duration waitTime : List.of(Duration.ZERO, Duration.ofMillis(20))) {
			assertThatExceptionOfType(LockBusyException.class)
				.isThrownBy(() -> this.locks.acquire("a", this.once.toBuilder().waitTime(waitTime).build()))
				.withMessageContaining("Lock 'a' could not be acquired within")
				.withMessageContaining("by '%s', which holds it already", Thread.currentThread().getName())
				.withMessageContaining("HeldLockScope.open(handle)")
				.withMessageContaining("DistributedLocks.call");
		}
		assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> inPool(() -> this.locks.acquire("a")))
			.withMessageContaining("another owner held it");
		own.close();
	}

	@Fault(119)
	@Test
	void bodyThatWaitsForASecondPermitIsWarnedOf(CapturedOutput output) {
		LockOptions permit = this.once.toBuilder().permits(1).waitTime(Duration.ofMillis(20)).build();
		this.locks.call("a", permit, (first) -> {
			assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> this.locks.acquire("a", permit))
				.withMessageContaining("Permits are not re-entered");
			return null;
		});
		assertThat(output).containsOnlyOnce("holds a permit of it already");
	}

	/** Each task has its permit, whose handle the first thread gave away. */
	@Test
	void threadThatHandedItsPermitsOverMayWaitForTheNext(CapturedOutput output) {
		LockOptions permit = this.once.toBuilder().permits(1).waitTime(Duration.ofSeconds(20)).build();
		HeldLock task = this.locks.acquire("a", permit);
		CompletableFuture.runAsync(() -> {
			await().until(() -> !this.locks.inspector().overview().waiting().isEmpty());
			task.close();
		}, this.pool);
		this.locks.acquire("a", permit).close();
		assertThat(output).doesNotContain("is awaited by");
	}

	private <T> T inPool(Callable<T> request) {
		try {
			return this.pool.submit(request).get();
		}
		catch (ExecutionException ex) {
			throw (RuntimeException) ex.getCause();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
