package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockHolder;
import io.leasehold.LockKey;
import io.leasehold.LockMode;
import io.leasehold.LockModeException;
import io.leasehold.LockOptions;
import io.leasehold.LockOverview;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.HandoffKind;
import io.leasehold.event.LockEvent;
import io.leasehold.test.VirtualClock;
import io.leasehold.test.contract.DelegatingEngine;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what a process does by itself when several of its callers hold a key beside
 * each other.
 */
class OwnersBesideEachOtherTests {

	private static final String KEY = "catalog";

	private static final Set<Thread.State> WAITING = Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

	/** So that a busy machine passes a lock on in time. */
	private static final Duration LONG_LEASE = Duration.ofSeconds(30);

	private final VirtualClock clock = new VirtualClock();

	private final LocalLockEngine store = new LocalLockEngine(this.clock);

	private final AtomicInteger requests = new AtomicInteger();

	/** The store does not respond before. */
	private CompletableFuture<Void> open = CompletableFuture.completedFuture(null);

	private final LockEngine engine = new DelegatingEngine(this.store) {

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			OwnersBesideEachOtherTests.this.requests.incrementAndGet();
			OwnersBesideEachOtherTests.this.open.join();
			return super.tryAcquire(claim);
		}

	};

	private final List<Thread> attempting = new ArrayList<>();

	private final Executor threads = (task) -> {
		Thread thread = new Thread(task);
		this.attempting.add(thread);
		thread.start();
	};

	private final ConcurrentLinkedQueue<LockEvent> events = new ConcurrentLinkedQueue<>();

	private final LockOptions exclusive = new LockOptions("test", "local", LONG_LEASE, Duration.ofSeconds(20),
			Duration.ZERO, LockOptions.UNLIMITED);

	private final LockOptions shared = this.exclusive.toBuilder().mode(LockMode.SHARED).build();

	private final LockOptions permits = this.exclusive.toBuilder().permits(2).build();

	private final LockService service = new LockService(
			new ServiceSettings(this.exclusive, OnLost.THROW, 63, Duration.ofSeconds(10)), List.of(this.engine),
			Member.of("test"), this.clock, List.of(this.events::add), ReleaseTiming.IMMEDIATE);

	@AfterEach
	void leavesNothing() {
		await().until(() -> this.store.size() == 0);
		assertThat(this.service.inspector().overview()).isEqualTo(new LockOverview(List.of(), List.of(), List.of()));
		this.service.close();
	}

	@Test
	@SuppressWarnings("try")
	void scopeReentersWhatItShares() {
		try (HeldLock outer = this.service.acquire(KEY, this.shared);
				HeldLockScope scope = HeldLockScope.open(outer);
				HeldLock inner = this.service.acquire(KEY, this.shared)) {
			assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
			assertThat(this.requests).hasValue(1);
		}
	}

	@Test
	@SuppressWarnings("try")
	void scopeOfAPermitRefusesAnotherNumberOfThem() {
		try (HeldLock outer = this.service.acquire(KEY, this.exclusive.toBuilder().permits(1).build());
				HeldLockScope scope = HeldLockScope.open(outer)) {
			assertThatExceptionOfType(LockModeException.class)
				.isThrownBy(() -> this.service.acquire(KEY, this.exclusive.toBuilder().permits(3).build()))
				.withMessageContaining("3 permits")
				.withMessageContaining("1 permit");
		}
	}

	/** All permits are here, and an older grant is given back than one that has ended. */
	@Fault(138)
	@Test
	void tokenOfAPermitIsGreaterThanThoseOfHoldsThatEnded() {
		HeldLock oldest = acquire(this.permits);
		HeldLock ended = acquire(this.permits);
		ended.close();
		HeldLock youngest = acquire(this.permits);
		CompletableFuture<HeldLock> waiting = this.service.acquireAsync(KEY, this.permits);
		oldest.close();
		HeldLock next = waiting.join();
		assertThat(next.fencingToken()).isGreaterThan(ended.fencingToken());
		youngest.close();
		next.close();
	}

	/** One permit at a time is passed on as an exclusive lock is. */
	@Test
	void onlyPermitIsPassedOnWithoutTheStore() {
		LockOptions only = this.exclusive.toBuilder().permits(1).lease(LONG_LEASE).build();
		HeldLock first = acquire(only);
		CompletableFuture<HeldLock> second = this.service.acquireAsync(KEY, only);
		first.close();
		HeldLock passed = second.join();
		assertThat(this.requests).hasValue(1);
		assertThat(passed.fencingToken()).isEqualTo(first.fencingToken() + 1);
		assertThat(this.events).contains(new LockEvent.HandedOff("local", HandoffKind.LOCAL));
		passed.close();
	}

	/** A writer that gives up leaves its readers to the one that shares the key. */
	@Fault(138)
	@Test
	void tokenOfAReaderIsGreaterThanThoseOfHoldsThatEnded() {
		HeldLock oldest = acquire(this.shared);
		HeldLock ended = acquire(this.shared);
		ended.close();
		CompletableFuture<HeldLock> writer = this.service.acquireAsync(KEY, this.exclusive);
		CompletableFuture<HeldLock> waiting = this.service.acquireAsync(KEY, this.shared);
		oldest.close();
		writer.cancel(false);
		writer.thenAccept(HeldLock::close);
		HeldLock next = waiting.join();
		assertThat(next.fencingToken()).isGreaterThan(ended.fencingToken());
		next.close();
	}

	@Test
	void permitThatIsAwaitedAtTheStoreIsNotPassedOnBeside() {
		LockService elsewhere = elsewhere();
		HeldLock there = elsewhere.acquire(KEY, this.permits);
		HeldLock here = acquire(this.permits);
		CompletableFuture<HeldLock> next = this.service.acquireAsync(KEY, this.permits);
		await().until(() -> this.requests.get() == 2);
		here.close();
		HeldLock served = next.join();
		assertThat(served.fencingToken()).isGreaterThan(here.fencingToken() + 1);
		served.close();
		there.close();
		elsewhere.close();
	}

	@Test
	void writerIsFollowedByAllReadersAtOnce() {
		HeldLock writer = acquire(this.exclusive);
		CompletableFuture<HeldLock> first = this.service.acquireAsync(KEY, this.shared);
		CompletableFuture<HeldLock> second = this.service.acquireAsync(KEY, this.shared);
		writer.close();
		assertThat(List.of(first.join(), second.join())).allMatch(HeldLock::isValid);
		first.join().close();
		second.join().close();
	}

	@Test
	void writerBehindReadersOfItsProcessHasItsPlaceAtTheStore() {
		LockService elsewhere = elsewhere();
		HeldLock reader = acquire(this.shared);
		CompletableFuture<HeldLock> writer = this.service.acquireAsync(KEY, this.exclusive);
		await().until(() -> this.requests.get() == 2);
		await().until(() -> {
			Optional<HeldLock> passed = elsewhere.tryAcquire(KEY,
					this.shared.toBuilder().waitTime(Duration.ZERO).build());
			passed.ifPresent(HeldLock::close);
			return passed.isEmpty();
		});
		CompletableFuture<HeldLock> late = elsewhere.acquireAsync(KEY, this.shared);
		reader.close();
		HeldLock written = writer.join();
		assertThat(late).isNotDone();
		written.close();
		late.join().close();
		elsewhere.close();
	}

	@Test
	void readerBehindAPassedGrantHasItsPlaceAtTheStore() {
		HeldLock first = acquire(this.exclusive.toBuilder().lease(LONG_LEASE).build());
		CompletableFuture<HeldLock> second = this.service.acquireAsync(KEY,
				this.exclusive.toBuilder().lease(LONG_LEASE).build());
		CompletableFuture<HeldLock> reader = this.service.acquireAsync(KEY, this.shared);
		first.close();
		HeldLock passed = second.join();
		await().until(() -> this.requests.get() == 2);
		passed.close();
		reader.join().close();
	}

	@Test
	void readersBehindAWaitingWriterAskNoStore() {
		HeldLock reader = acquire(this.shared);
		CompletableFuture<HeldLock> writer = this.service.acquireAsync(KEY, this.exclusive);
		await().until(() -> this.requests.get() == 2);
		CompletableFuture<HeldLock> late = this.service.acquireAsync(KEY, this.shared);
		assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> this.service.acquire(KEY, this.shared.toBuilder().waitTime(Duration.ZERO).build()));
		assertThat(this.requests).hasValue(2);
		reader.close();
		HeldLock written = writer.join();
		assertThat(late).isNotDone();
		written.close();
		late.join().close();
	}

	@Test
	void readersAreLetInWhenTheWriterBeforeThemGivesUp() throws Exception {
		HeldLock reader = acquire(this.shared);
		CompletableFuture<HeldLock> writer = this.service.acquireAsync(KEY, this.exclusive);
		List<CompletableFuture<HeldLock>> late = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			late.add(this.service.acquireAsync(KEY, this.shared));
		}
		writer.cancel(false);
		for (CompletableFuture<HeldLock> next : late) {
			next.get(30, TimeUnit.SECONDS);
		}
		assertThat(reader.isValid()).isTrue();
		assertThat(this.service.inspector().overview().held()).hasSize(4);
		late.forEach((next) -> next.join().close());
		reader.close();
	}

	@Test
	void readersAreLetInWhenAWriterThatTheStoreKeptOutGivesUp() throws Exception {
		LockService elsewhere = elsewhere();
		HeldLock there = elsewhere.acquire(KEY, this.shared);
		CompletableFuture<HeldLock> writer = this.service.acquireAsync(KEY, this.exclusive);
		CompletableFuture<HeldLock> late = this.service.acquireAsync(KEY, this.shared);
		await().until(() -> this.requests.get() > 0);
		writer.cancel(false);
		late.get(30, TimeUnit.SECONDS).close();
		there.close();
		elsewhere.close();
	}

	@Test
	void attemptsAtTheSameTimeAllShareTheKey() {
		List<CompletableFuture<HeldLock>> attempts = attemptAtTheSameTime(this.shared, 3);
		this.open.complete(null);
		attempts.forEach((attempt) -> attempt.join().close());
	}

	@Test
	void attemptsAtTheSameTimeHaveAsManyPermitsAsThereAre() {
		List<CompletableFuture<HeldLock>> attempts = attemptAtTheSameTime(this.permits, 2);
		assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> this.service.acquire(KEY, this.permits.toBuilder().waitTime(Duration.ZERO).build()));
		this.open.complete(null);
		attempts.forEach((attempt) -> attempt.join().close());
		assertThat(this.requests).hasValue(2);
	}

	@Test
	void attemptsAtTheSameTimeAllHearThatTheKeyIsBusy() {
		LockService elsewhere = elsewhere();
		HeldLock there = elsewhere.acquire(KEY);
		List<CompletableFuture<HeldLock>> attempts = attemptAtTheSameTime(this.shared, 3);
		this.open.complete(null);
		attempts.forEach((attempt) -> assertThat(attempt).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withCauseInstanceOf(LockBusyException.class));
		there.close();
		elsewhere.close();
	}

	@Test
	void attemptsAtTheSameTimeAllHearThatTheStoreIsDown() {
		this.store.faults().setDown(true);
		List<CompletableFuture<HeldLock>> attempts = attemptAtTheSameTime(this.shared, 3);
		this.open.complete(null);
		attempts.forEach((attempt) -> assertThat(attempt).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withCauseInstanceOf(LockEngineException.class));
		this.store.faults().setDown(false);
	}

	/** One permit goes to the first of two attempts, the other one is notified. */
	@Test
	void attemptBehindOneThatTookTheLastPermitIsBusy() {
		LockService elsewhere = elsewhere();
		HeldLock there = elsewhere.acquire(KEY, this.permits);
		List<CompletableFuture<HeldLock>> attempts = attemptAtTheSameTime(this.permits, 2);
		this.open.complete(null);
		assertThat(attempts.get(1)).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withCauseInstanceOf(LockBusyException.class);
		attempts.get(0).join().close();
		there.close();
		elsewhere.close();
	}

	/** Begin attempts that do not wait, while the store does not respond the first. */
	private List<CompletableFuture<HeldLock>> attemptAtTheSameTime(LockOptions options, int count) {
		this.open = new CompletableFuture<>();
		List<CompletableFuture<HeldLock>> attempts = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			attempts.add(CompletableFuture.supplyAsync(
					() -> this.service.acquire(KEY, options.toBuilder().waitTime(Duration.ZERO).build()),
					this.threads));
			int begun = i + 1;
			await().until(() -> this.requests.get() > 0 && waitingThreads() == begun);
		}
		return attempts;
	}

	private long waitingThreads() {
		return this.attempting.stream().filter((thread) -> WAITING.contains(thread.getState())).count();
	}

	@Test
	void allOfThemAreRenewed() {
		List<HeldLock> readers = List.of(acquire(this.shared), acquire(this.shared), acquire(this.shared));
		for (int i = 0; i < 4; i++) {
			this.clock.advance(LONG_LEASE.dividedBy(3));
			await().until(() -> readers.stream()
				.allMatch((reader) -> reader.remaining().compareTo(LONG_LEASE.multipliedBy(3).dividedBy(4)) > 0));
		}
		assertThat(readers).allMatch(HeldLock::isValid);
		readers.forEach(HeldLock::close);
	}

	@Test
	void storeKnowsEachByTheThreadThatAsked() throws Exception {
		HeldLock writer = acquire(this.exclusive);
		List<Thread> readers = new ArrayList<>();
		CountDownLatch shown = new CountDownLatch(1);
		for (String name : List.of("reader-a", "reader-b")) {
			Thread reader = new Thread(() -> {
				try (HeldLock held = this.service.acquire(KEY, this.shared)) {
					assertThat(held.isValid()).isTrue();
					shown.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}, name);
			reader.start();
			readers.add(reader);
		}
		await().until(() -> this.service.inspector().overview().waiting().size() == 2);
		writer.close();
		await().untilAsserted(
				() -> assertThat(this.service.inspector().inspect("", new LockKey(KEY))).extracting(LockHolder::thread)
					.containsExactlyInAnyOrder("reader-a", "reader-b"));
		shown.countDown();
		for (Thread reader : readers) {
			reader.join();
		}
	}

	@Test
	void allOfThemAreNotifiedOfAForcedRelease() {
		HeldLock first = acquire(this.shared.toBuilder().lease(Duration.ofHours(1)).build());
		HeldLock second = acquire(this.shared.toBuilder().lease(Duration.ofHours(1)).build());
		assertThat(this.service.inspector().forceRelease("", new LockKey(KEY))).hasSize(2);
		assertThat(first.isValid() || second.isValid()).isFalse();
	}

	@Test
	void shutdownWaitsForAllOfThem() {
		HeldLock first = acquire(this.shared);
		HeldLock second = acquire(this.shared);
		CompletableFuture<Void> idle = new CompletableFuture<>();
		this.service.drain(() -> idle.complete(null));
		first.close();
		assertThat(idle).isNotDone();
		second.close();
		assertThat(idle).succeedsWithin(Duration.ofSeconds(30));
	}

	@Test
	void permitsOfASharedLockAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.shared.toBuilder().permits(2).build())
			.withMessageContaining("SHARED")
			.withMessageContaining("2 permits");
		assertThatIllegalArgumentException().isThrownBy(() -> this.exclusive.toBuilder().permits(-1).build())
			.withMessageContaining("-1");
	}

	private LockService elsewhere() {
		return new LockService(new ServiceSettings(this.exclusive, OnLost.THROW, 63, Duration.ofMillis(10)),
				List.of(this.store), Member.of("elsewhere"), this.clock, List.of(), ReleaseTiming.IMMEDIATE);
	}

	/** Take a lock that no thread re-enters. */
	private HeldLock acquire(LockOptions options) {
		return this.service.acquireAsync(KEY, options).join();
	}

}
