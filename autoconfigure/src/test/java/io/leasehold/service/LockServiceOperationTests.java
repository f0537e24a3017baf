package io.leasehold.service;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockEngineException;
import io.leasehold.LockHolder;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LockOverview;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.VirtualClock;
import io.leasehold.test.contract.DelegatingEngine;
import io.leasehold.test.contract.Fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what {@link LockService} reports to operators and does for them.
 */
class LockServiceOperationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private final VirtualClock clock = new VirtualClock();

	private final LocalLockEngine store = new LocalLockEngine(this.clock);

	private final List<LockKey> probed = new ArrayList<>();

	private final LockEngine engine = new DelegatingEngine(this.store) {

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			LockServiceOperationTests.this.probed.add(claim.key());
			return super.tryAcquire(claim);
		}

	};

	private final LockService here = service(this.store);

	private final LockService there = service(this.store);

	@AfterEach
	void close() {
		this.here.close();
		this.there.close();
	}

	@Test
	void overviewOfNothingIsEmpty() {
		this.here.acquire("a").close();
		assertThat(this.here.inspector().overview()).isEqualTo(new LockOverview(List.of(), List.of(), List.of()));
		assertThat(this.here.inspector().engines()).containsExactly("local");
	}

	@Test
	@SuppressWarnings("try")
	void heldLockIsShownWithItsThreadAndItsHandles() {
		HeldLock held = this.here.acquire(KEY.value(), this.here.defaults().toBuilder().name("pay").build());
		HeldLock again;
		try (HeldLockScope scope = HeldLockScope.open(held)) {
			again = this.here.acquire(KEY.value());
		}
		assertThat(this.here.inspector().overview().held()).singleElement().satisfies((shown) -> {
			assertThat(shown.engine()).isEqualTo("local");
			assertThat(shown.key()).isEqualTo(KEY);
			assertThat(shown.name()).isEqualTo("pay");
			assertThat(shown.fencingToken()).isEqualTo(held.fencingToken());
			assertThat(shown.thread()).isEqualTo(Thread.currentThread().getName());
			assertThat(shown.since()).isBetween(Instant.now().minusSeconds(10), Instant.now());
			assertThat(shown.remaining()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(10));
			assertThat(shown.handles()).isEqualTo(2);
			assertThat(shown.waiting()).isZero();
		});
		assertThat(this.there.inspector().overview().held()).isEmpty();
		again.close();
		held.close();
		assertThat(this.here.inspector().overview().held()).isEmpty();
	}

	@Test
	void waitingCallersAreShownTheLongestFirst() {
		HeldLock held = this.here.acquire(KEY.value(),
				this.here.defaults().toBuilder().lease(Duration.ofHours(1)).build());
		this.clock.advance(Duration.ofMinutes(1));
		HeldLock other = this.here.acquire("b");
		CompletableFuture<HeldLock> first = this.here.acquireAsync(KEY.value());
		Awaitility.await().until(() -> this.here.inspector().overview().waiting().size() == 1);
		Thread second = new Thread(() -> this.here.acquire(KEY.value()).close(), "second");
		second.start();
		Awaitility.await().until(() -> this.here.inspector().overview().waiting().size() == 2);
		LockOverview overview = this.here.inspector().overview("local", KEY);
		assertThat(overview.held()).singleElement().satisfies((shown) -> assertThat(shown.waiting()).isEqualTo(2));
		assertThat(overview.waiting()).extracting(LockOverview.Waiting::thread).containsExactly(null, "second");
		assertThat(overview.waiting()).allSatisfy(
				(shown) -> assertThat(shown.remaining()).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(10)));
		assertThat(this.here.inspector().overview().held()).extracting(LockOverview.Held::key)
			.containsExactly(KEY, new LockKey("b"));
		assertThat(this.here.inspector().overview("", new LockKey("c")))
			.isEqualTo(new LockOverview(List.of(), List.of(), List.of()));
		held.close();
		other.close();
		first.thenAccept(HeldLock::close).join();
		Awaitility.await().untilAsserted(() -> assertThat(this.here.inspector().overview().waiting()).isEmpty());
	}

	@Test
	void storeTellsWhoHoldsAKeyInAnotherProcess() {
		HeldLock held = this.there.acquire(KEY.value());
		assertThat(this.here.inspector().inspect("", KEY)).singleElement().satisfies((holder) -> {
			assertThat(holder.application()).isEqualTo("test");
			assertThat(holder.process()).isEqualTo(ProcessHandle.current().pid());
			assertThat(holder.fencingToken()).isEqualTo(held.fencingToken());
		});
		held.close();
		assertThat(this.here.inspector().inspect("local", KEY)).isEmpty();
		assertThatIllegalArgumentException().isThrownBy(() -> this.here.inspector().inspect("redis", KEY))
			.withMessageContaining("'redis'");
	}

	/** An operator takes a lock away: its holder in this process is notified at once. */
	@Fault(95)
	@Test
	void holderInThisProcessIsNotifiedOfAForcedReleaseAtOnce() throws Exception {
		HeldLock held = this.here.acquire(KEY.value(),
				this.here.defaults().toBuilder().lease(Duration.ofHours(1)).build());
		CountDownLatch notified = new CountDownLatch(1);
		held.onLost((loss) -> notified.countDown());
		CompletableFuture<HeldLock> next = this.here.acquireAsync(KEY.value());
		assertThat(this.here.inspector().forceRelease("local", KEY)).extracting(LockHolder::fencingToken)
			.containsExactly(held.fencingToken());
		assertThat(notified.await(30, TimeUnit.SECONDS)).isTrue();
		assertThat(held.isValid()).isFalse();
		assertThat(next.get(30, TimeUnit.SECONDS).fencingToken()).isGreaterThan(held.fencingToken());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
		next.join().close();
		assertThat(this.here.inspector().forceRelease("local", KEY)).isEmpty();
	}

	@Test
	void forcedReleaseOfAnotherProcessTouchesNothingHere() {
		HeldLock held = this.there.acquire(KEY.value());
		HeldLock other = this.here.acquire("b");
		assertThat(this.here.inspector().forceRelease("local", KEY)).isNotEmpty();
		assertThat(other.isValid()).isTrue();
		other.close();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
	}

	/** A stage may end after the application that waits for its release. */
	@Test
	void lockIsClosedWithoutBlockingEvenAfterTheServiceWas() {
		HeldLock held = this.here.acquire("order:43");
		this.here.close();
		CompletableFuture<Void> closed = this.here.closeAsync(held, this.here.defaults());
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> closed.get(30, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockLostException.class);
	}

	@Test
	void probeTakesAndReleasesALock() {
		try (LockService service = service(this.engine)) {
			assertThat(service.inspector().probe("local")).isPositive();
			assertThat(this.probed).singleElement()
				.satisfies((key) -> assertThat(key.value()).startsWith("leasehold:health:"));
			assertThat(this.store.size()).isZero();
		}
	}

	@Test
	void probeWhoseReleaseFailedIsReleasedInTheBackground() {
		AtomicInteger releases = new AtomicInteger();
		LockEngine failing = new DelegatingEngine(this.store) {

			@Override
			public Duration minLease() {
				return Duration.ofMinutes(1);
			}

			@Override
			public ReleaseOutcome release(Claim claim) {
				if (releases.getAndIncrement() == 0) {
					throw new LockEngineException(claim.key(), "The connection broke", null);
				}
				return super.release(claim);
			}

		};
		try (LockService service = service(failing)) {
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> service.inspector().probe(""));
			await().until(() -> this.store.size() == 0);
		}
	}

	@Test
	void probesUseFewKeysHoweverManyThereAre() {
		try (LockService service = service(this.engine)) {
			for (int i = 0; i < 200; i++) {
				service.inspector().probe("");
			}
			assertThat(this.probed).hasSize(200);
			assertThat(this.probed.stream().distinct()).hasSizeBetween(2, 16);
		}
	}

	@Test
	void probeGoesRoundAKeyThatAnotherProcessTries() {
		try (LockService service = service(this.engine)) {
			for (int i = 0; i < 16; i += 2) {
				this.there.acquire("leasehold:health:" + i);
			}
			for (int i = 0; i < 20; i++) {
				assertThat(service.inspector().probe("")).isPositive();
			}
		}
	}

	@Test
	void probeFailsWhereNoKeyIsGranted() {
		for (int i = 0; i < 16; i++) {
			this.there.acquire("leasehold:health:" + i);
		}
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.here.inspector().probe(""))
			.withMessageContaining("'local'")
			.withMessageContaining("leasehold:health:");
	}

	@Test
	void probeOfAStoreThatIsDownFailsAndLeavesNothing() {
		this.store.faults().setDown(true);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.here.inspector().probe(""));
		this.store.faults().setDown(false);
		this.store.faults().setLoseReplies(true);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.here.inspector().probe(""));
		Awaitility.await().untilAsserted(() -> assertThat(this.store.size()).isZero());
	}

	private LockService service(LockEngine engine) {
		LockOptions defaults = new LockOptions("test", "local", Duration.ofSeconds(10), Duration.ofSeconds(10),
				Duration.ZERO, LockOptions.UNLIMITED);
		return new LockService(new ServiceSettings(defaults, OnLost.THROW, 63, Duration.ofSeconds(5)), List.of(engine),
				Member.of("test"), this.clock, List.of(), ReleaseTiming.IMMEDIATE);
	}

}
