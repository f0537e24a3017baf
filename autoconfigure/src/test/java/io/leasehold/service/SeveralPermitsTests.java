package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockOptions;
import io.leasehold.LockOverview;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for several permits that are acquired in one call.
 */
class SeveralPermitsTests {

	private static final String KEY = "x".repeat(512);

	private final LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);

	private final LockOptions three = new LockOptions("test", "local", Duration.ofSeconds(60), Duration.ofSeconds(30),
			Duration.ZERO, LockOptions.UNLIMITED)
		.toBuilder()
		.permits(3)
		.build();

	private final LockOptions once = this.three.toBuilder().waitTime(Duration.ZERO).build();

	/** Releases that wait for the end of a transaction. */
	private final List<Runnable> deferred = new ArrayList<>();

	private final LockService here = service("here", ReleaseTiming.IMMEDIATE);

	private final LockService there = service("there", ReleaseTiming.IMMEDIATE);

	@AfterEach
	void leavesNothing() {
		await().until(() -> this.store.size() == 0);
		assertThat(this.here.inspector().overview()).isEqualTo(new LockOverview(List.of(), List.of(), List.of()));
		this.here.close();
		this.there.close();
	}

	@Test
	void permitsAreHeldTogetherAndReleasedTogether() {
		HeldLock two = this.here.acquirePermits(KEY, 2, this.once);
		assertThat(two.key()).isEqualTo(KEY);
		assertThat(two.parts()).extracting(HeldLock::fencingToken).doesNotHaveDuplicates().hasSize(2);
		HeldLock third = this.there.acquire(KEY, this.once);
		assertThat(this.there.tryAcquire(KEY, this.once)).isEmpty();
		third.close();
		two.close();
		this.there.acquirePermits(KEY, 3, this.once).close();
	}

	@Test
	void noneIsKeptWhereSomeAreMissing() {
		HeldLock other = this.there.acquirePermits(KEY, 2, this.once);
		for (Duration waitTime : List.of(Duration.ZERO, Duration.ofMillis(30))) {
			long start = System.nanoTime();
			assertThatExceptionOfType(LockBusyException.class)
				.isThrownBy(() -> this.here.acquirePermits(KEY, 2, this.three.toBuilder().waitTime(waitTime).build()))
				.withMessageContaining("2 of the 3 permits")
				.satisfies((ex) -> assertThat(ex.getWaited()).isBetween(waitTime,
						Duration.ofNanos(System.nanoTime() - start)));
		}
		assertThat(this.here.inspector().overview().held()).isEmpty();
		// The claim that waited is removed in the background, before its lease ends
		this.there.acquire(KEY, this.three).close();
		other.close();
	}

	/** Each alone has room; two that had one permit each would wait for ever. */
	@Test
	void callersOfTwoProcessesDoNotWaitForEachOther() {
		AtomicInteger permits = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		List<CompletableFuture<Void>> callers = new ArrayList<>();
		for (LockService service : List.of(this.here, this.there, this.here, this.there)) {
			callers.add(CompletableFuture.runAsync(() -> {
				for (int i = 0; i < 25; i++) {
					try (HeldLock held = service.acquirePermits(KEY, 2, this.three)) {
						int now = permits.addAndGet(held.parts().size());
						most.accumulateAndGet(now, Math::max);
						permits.addAndGet(-2);
					}
				}
			}, (task) -> new Thread(task).start()));
		}
		callers.forEach(CompletableFuture::join);
		assertThat(most).hasValue(2);
	}

	@Test
	void turnToCollectDoesNotWaitForTheEndOfATransaction() {
		LockService service = service("transaction", () -> this.deferred::add);
		HeldLock first = service.acquirePermits(KEY, 2, this.once.toBuilder().permits(4).build());
		HeldLock second = service.acquirePermits(KEY, 2, this.once.toBuilder().permits(4).build());
		second.close();
		first.close();
		assertThat(this.store.size()).isNotZero();
		this.deferred.forEach(Runnable::run);
		service.close();
	}

	@Test
	void morePermitsThanThereAreAreRefused() {
		for (int count : List.of(-1, 0, 4)) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.here.acquirePermits("a", count, this.once))
				.withMessage("Lock 'a' has 3 permits: %d cannot be acquired at once", count);
		}
	}

	private LockService service(String name, ReleaseTiming timing) {
		return new LockService(new ServiceSettings(this.three, OnLost.THROW, 63, Duration.ofMillis(10)),
				List.of(this.store), Member.of(name), MonotonicClock.SYSTEM, List.of(), timing);
	}

}
