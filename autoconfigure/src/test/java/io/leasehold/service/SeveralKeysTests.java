package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockBusyException;
import io.leasehold.LockKey;
import io.leasehold.LockKeyException;
import io.leasehold.LockKeys;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.VirtualClock;
import io.leasehold.test.contract.DelegatingEngine;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link HeldLocks}: several keys as one lock.
 */
class SeveralKeysTests {

	private final LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);

	private final LockOptions options = new LockOptions("test", "local", Duration.ofMinutes(1), Duration.ofMinutes(1),
			Duration.ZERO, LockOptions.UNLIMITED);

	private final LockService service = new LockService(
			new ServiceSettings(this.options, OnLost.THROW, 63, Duration.ofMillis(10)), List.of(this.store),
			Member.of("test"), MonotonicClock.SYSTEM, List.of(), ReleaseTiming.IMMEDIATE);

	@AfterEach
	void leavesNothing() {
		await().until(() -> this.store.size() == 0);
		this.service.close();
	}

	@Test
	void allAreHeldAndGivenBack() {
		HeldLock held = this.service.acquireAll(List.of("b", "a", "b"));
		assertThat(held.key()).isEqualTo("a,b");
		assertThat(held.parts()).extracting(HeldLock::key).containsExactly("a", "b");
		assertThat(held.isValid()).isTrue();
		assertThat(held.remaining()).isPositive();
		assertThat(isFree("a")).isFalse();
		assertThat(isFree("b")).isFalse();
		held.close();
		assertThat(held.isValid()).isFalse();
		assertThat(isFree("a")).isTrue();
		assertThat(isFree("b")).isTrue();
	}

	/** Another thread of the library requests the second one. */
	@Test
	void eachNamesTheThreadOfItsAsyncCaller() throws Exception {
		String caller = Thread.currentThread().getName();
		HeldLock held = this.service
			.acquireAllAsync(LockKeys.of(List.of("a", "b")), this.options, List.of(), Acquirer.NEVER_BYPASSED)
			.get(1, TimeUnit.MINUTES);
		assertThat(held.parts())
			.allSatisfy((part) -> assertThat(this.store.inspect(new LockKey(part.key()))).singleElement()
				.satisfies((holder) -> assertThat(holder.thread()).isEqualTo("async=" + caller)));
		held.close();
	}

	/**
	 * What is given back in vain costs the caller one round trip, not one for each key.
	 */
	@Test
	void locksTakenInVainAreGivenBackAtTheSameTime() throws Exception {
		CyclicBarrier together = new CyclicBarrier(3);
		LockEngine slow = new DelegatingEngine(this.store) {

			@Override
			public ReleaseOutcome release(Claim claim) {
				try {
					together.await(30, TimeUnit.SECONDS);
				}
				catch (Exception ex) {
					throw new IllegalStateException("Released alone", ex);
				}
				return super.release(claim);
			}

		};
		HeldLock busy = this.service.acquireAsync("d").get();
		try (LockService other = new LockService(
				new ServiceSettings(this.options.toBuilder().waitTime(Duration.ZERO).build(), OnLost.THROW, 63,
						Duration.ofMillis(10)),
				List.of(slow), Member.of("other"), MonotonicClock.SYSTEM, List.of(), ReleaseTiming.IMMEDIATE)) {
			assertThatExceptionOfType(LockBusyException.class)
				.isThrownBy(() -> other.acquireAll(List.of("a", "b", "c", "d")))
				.satisfies((ex) -> assertThat(ex.getSuppressed()).isEmpty());
			assertThat(together.isBroken()).isFalse();
			assertThat(isFree("a") && isFree("b") && isFree("c")).isTrue();
		}
		busy.close();
	}

	@Test
	void eachHasATokenOfItsOwn() {
		try (HeldLock held = this.service.acquireAll(List.of("a", "b"))) {
			assertThat(held.fencingToken("a")).isEqualTo(held.parts().get(0).fencingToken());
			assertThat(held.fencingToken("b")).isEqualTo(held.parts().get(1).fencingToken());
			assertThatIllegalStateException().isThrownBy(held::fencingToken).withMessageContaining("'a,b'");
			assertThatIllegalArgumentException().isThrownBy(() -> held.fencingToken("c")).withMessageContaining("'c'");
		}
	}

	@Test
	void oneKeyIsAnOrdinaryLock() {
		try (HeldLock held = this.service.acquireAll(List.of("a", "a"))) {
			assertThat(held.fencingToken()).isEqualTo(held.fencingToken("a"));
			assertThat(held.parts()).containsExactly(held);
		}
	}

	@Test
	void noneIsKeptWhenOneIsBusy() throws Exception {
		HeldLock other = this.service.acquireAsync("b").get();
		LockOptions once = this.options.toBuilder().waitTime(Duration.ZERO).build();
		assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> this.service.acquireAll(List.of("a", "b", "c"), once))
			.satisfies((ex) -> assertThat(ex.getKey()).isEqualTo("b"));
		assertThat(isFree("a")).isTrue();
		assertThat(isFree("c")).isTrue();
		other.close();
	}

	/** The wait for "b" gets what the request for "a" has left. */
	@Test
	void allAreWaitedForWithinOneWaitTime() {
		VirtualClock clock = new VirtualClock();
		Duration waitTime = Duration.ofHours(1);
		LockEngine slow = new DelegatingEngine(new LocalLockEngine(clock)) {

			@Override
			public AcquisitionOutcome tryAcquire(Claim claim) {
				AcquisitionOutcome response = super.tryAcquire(claim);
				if (claim.key().value().equals("a")) {
					clock.advance(waitTime.minusMillis(200));
				}
				return response;
			}

		};
		LockOptions patient = this.options.toBuilder().lease(waitTime.multipliedBy(10)).waitTime(waitTime).build();
		try (LockService other = new LockService(new ServiceSettings(patient, OnLost.THROW, 63, Duration.ofMillis(10)),
				List.of(slow), Member.of("other"), clock, List.of(), ReleaseTiming.IMMEDIATE)) {
			HeldLock b = other.acquireAsync("b").join();
			long start = clock.nanoTime();
			assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> other.acquireAll(List.of("a", "b")))
				.satisfies((ex) -> assertThat(ex.getKey()).isEqualTo("b"));
			assertThat(clock.nanoTime() - start).isGreaterThanOrEqualTo(waitTime.toNanos());
			assertThat(other.tryAcquire("a")).isPresent();
			b.close();
		}
	}

	/**
	 * Callers that name the same keys in different orders would wait for each other if
	 * keys were taken as named.
	 */
	@Test
	@Fault(87)
	void callersWithOppositeOrdersDoNotWaitForEachOther() throws Exception {
		AtomicInteger inside = new AtomicInteger();
		List<CompletableFuture<Void>> callers = new ArrayList<>();
		for (List<String> keys : List.of(List.of("a", "b", "c"), List.of("c", "b", "a"), List.of("b", "c", "a"))) {
			callers.add(CompletableFuture.runAsync(() -> {
				for (int i = 0; i < 100; i++) {
					try (HeldLock held = this.service.acquireAll(keys)) {
						assertThat(held.isValid()).isTrue();
						assertThat(inside.incrementAndGet()).isOne();
						inside.decrementAndGet();
					}
				}
			}, (task) -> new Thread(task).start()));
		}
		for (CompletableFuture<Void> caller : callers) {
			caller.get();
		}
	}

	@Test
	void lossOfOneIsTheLossOfAllAndReportedOnce() {
		AtomicInteger notified = new AtomicInteger();
		HeldLock held = this.service.acquireAll(List.of("a", "b"),
				this.options.toBuilder().lease(Duration.ofSeconds(2)).build());
		held.onLost((loss) -> notified.incrementAndGet());
		this.store.lose(new LockKey("a"));
		this.store.lose(new LockKey("b"));
		await().until(() -> held.parts().stream().noneMatch(HeldLock::isValid) && notified.get() > 0);
		assertThat(held.isValid()).isFalse();
		assertThat(held.remaining()).isZero();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::throwIfLost);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((ex) -> assertThat(ex.getSuppressed()).hasSize(1));
		assertThat(notified).hasValue(1);
	}

	@Test
	@SuppressWarnings("try")
	void scopeReentersTheKeysThatItHolds() {
		try (HeldLock outer = this.service.acquire("b");
				HeldLockScope scope = HeldLockScope.open(outer);
				HeldLock inner = this.service.acquireAll(List.of("a", "b"))) {
			assertThat(inner.fencingToken("b")).isEqualTo(outer.fencingToken());
		}
	}

	@Test
	@SuppressWarnings("try")
	void scopeOfSeveralKeysReentersEachOfThem() {
		LockOptions once = this.options.toBuilder().waitTime(Duration.ZERO).build();
		try (HeldLock outer = this.service.acquireAll(List.of("a", "b"));
				HeldLock other = this.service.acquire("c");
				HeldLockScope scope = HeldLockScope.open(outer)) {
			for (HeldLock part : outer.parts()) {
				HeldLock inner = this.service.acquire(part.key(), once);
				assertThat(inner.fencingToken()).isEqualTo(part.fencingToken());
				inner.close();
			}
			outer.parts().forEach((part) -> assertThat(isFree(part.key())).isFalse());
			assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> this.service.acquire("c", once));
		}
	}

	@Test
	void badKeysAreRefused() {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> this.service.acquireAll(List.of()))
			.withMessageContaining("No lock key");
		assertThatExceptionOfType(LockKeyException.class)
			.isThrownBy(() -> this.service.acquireAll(Arrays.asList("a", null)))
			.withMessageContaining("null");
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> this.service.acquireAll(List.of("a", " ")))
			.withMessageContaining("blank");
	}

	@Test
	void storeTellsWhetherATokenIsCurrent() {
		HeldLock first = this.service.acquire("a");
		assertThat(this.service.isCurrent("a", first.fencingToken())).isTrue();
		assertThat(this.service.isCurrent("a", first.fencingToken() - 64)).isFalse();
		assertThat(this.service.isCurrent("b", first.fencingToken())).isFalse();
		first.close();
		assertThat(this.service.isCurrent("a", first.fencingToken())).isFalse();
		try (HeldLock second = this.service.acquire("a")) {
			assertThat(this.service.isCurrent("a", first.fencingToken())).isFalse();
			assertThat(this.service.isCurrent("a", second.fencingToken())).isTrue();
		}
		this.store.faults().setDown(true);
		assertThatExceptionOfType(io.leasehold.LockEngineException.class)
			.isThrownBy(() -> this.service.isCurrent("a", first.fencingToken()));
		this.store.faults().setDown(false);
	}

	private boolean isFree(String key) {
		return CompletableFuture.supplyAsync(() -> {
			var held = this.service.tryAcquire(key);
			held.ifPresent(HeldLock::close);
			return held.isPresent();
		}).join();
	}

}
