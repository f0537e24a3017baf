package io.leasehold.test.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockBusyException;
import io.leasehold.LockLostException;
import io.leasehold.LockMode;
import io.leasehold.LockModeException;
import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.event.LockEvent;
import io.leasehold.service.EngineForms;
import io.leasehold.service.LockService;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.service.UnsupportedForm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The part of the contract that is about concurrent owners, tested through the service. A
 * form that the engine does not support is rejected.
 */
abstract class ServiceFormsContract extends HeldKeysContract {

	static final String NAME = KEY.value();

	final Queue<LockEvent> events = new ConcurrentLinkedQueue<>();

	private final List<LockService> services = new ArrayList<>();

	@AfterEach
	void closeServices() {
		this.services.forEach(LockService::close);
	}

	@Test
	void readersAndWritersOfTwoProcessesExcludeEachOther() throws Exception {
		LockService one = service();
		LockService other = service();
		if (refuses(one, shared(one))) {
			return;
		}
		holdTogether(List.of(one, other, one, other), shared(one));
		Crowd crowd = new Crowd(8);
		List<Callable<Void>> runs = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			LockService service = (i % 2 == 0) ? one : other;
			runs.add(crowd.contender(service, (round) -> (round % 4 == 0) ? service.defaults() : shared(service),
					contention()));
		}
		Parallel.run(runs);
		crowd.check();
		assertThat(crowd.writers()).isPositive();
		leavesNothing();
	}

	/** Tokens grow even if concurrent holds end in any order. */
	@Fault(138)
	@Test
	void permitsOfTwoProcessesAreNeverMoreThanThereAre() throws Exception {
		LockService one = service();
		LockService other = service();
		LockOptions two = one.defaults().toBuilder().permits(2).build();
		if (refuses(one, two)) {
			return;
		}
		holdTogether(List.of(one, other), two);
		Crowd crowd = new Crowd(2);
		List<Callable<Void>> runs = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			LockService service = (i % 2 == 0) ? one : other;
			runs.add(crowd.contender(service, (round) -> two, contention()));
		}
		Parallel.run(runs);
		crowd.check();
		leavesNothing();
	}

	@Test
	void busyLockNamesItsHolder() {
		LockService one = service();
		LockService other = service();
		HeldLock held = one.acquire(NAME);
		assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> other.acquire(NAME, other.defaults().toBuilder().waitTime(Duration.ofMillis(20)).build()))
			.satisfies((busy) -> assertThat(busy.getHolders()).singleElement().satisfies((holder) -> {
				assertThat(holder.process()).isEqualTo(ProcessHandle.current().pid());
				assertThat(holder.thread()).isEqualTo(Thread.currentThread().getName());
				assertThat(holder.fencingToken()).isEqualTo(held.fencingToken());
			}));
		held.close();
		leavesNothing();
	}

	@Test
	void readersShareAReadWriteLock() throws Exception {
		LockService one = service();
		LockService other = service();
		if (refuses(one, shared(one))) {
			return;
		}
		ReadWriteLock here = one.asReadWriteLock(NAME);
		ReadWriteLock there = other.asReadWriteLock(NAME);
		here.readLock().lock();
		assertThat(there.readLock().tryLock()).isTrue();
		there.readLock().unlock();
		assertThat(there.writeLock().tryLock(1, TimeUnit.MILLISECONDS)).isFalse();
		here.readLock().unlock();
		there.writeLock().lock();
		assertThat(here.readLock().tryLock()).isFalse();
		there.writeLock().unlock();
		leavesNothing();
	}

	@Test
	@SuppressWarnings("try")
	void writerMayReadButReaderMayNotWrite() {
		LockService one = service();
		LockService other = service();
		if (refuses(one, shared(one))) {
			return;
		}
		try (HeldLock reader = one.acquire(NAME, shared(one)); HeldLockScope scope = HeldLockScope.open(reader)) {
			assertThatExceptionOfType(LockModeException.class).isThrownBy(() -> one.acquire(NAME))
				.withMessageContaining(NAME)
				.withMessageContaining("holds it as shared");
			assertThat(reader.isValid()).isTrue();
		}
		HeldLock writer = one.acquire(NAME);
		HeldLock reader;
		try (HeldLockScope scope = HeldLockScope.open(writer)) {
			reader = one.acquire(NAME, shared(one));
		}
		writer.close();
		assertThat(reader.isValid()).isTrue();
		assertThat(other.tryAcquire(NAME)).isEmpty();
		reader.close();
		assertThat(other.tryAcquire(NAME)).isPresent();
	}

	@Test
	void waitingWriterIsServedBeforeReadersThatComeLater() throws Exception {
		LockService one = service();
		LockService other = service();
		if (refuses(one, shared(one))) {
			return;
		}
		HeldLock reader = one.acquire(NAME, shared(one));
		CompletableFuture<HeldLock> writer = other.acquireAsync(NAME);
		eventually().until(() -> this.events.stream().anyMatch(LockEvent.WaitStarted.class::isInstance));
		LockService third = service();
		assertThat(third.tryAcquire(NAME, shared(third).toBuilder().waitTime(Duration.ZERO).build())).isEmpty();
		CompletableFuture<HeldLock> late = third.acquireAsync(NAME, shared(third));
		assertThat(late).isNotDone();
		reader.close();
		soon(writer).close();
		soon(late).close();
		leavesNothing();
	}

	@Test
	void lossOfOneReaderLeavesTheOthers() throws Exception {
		LockService one = service();
		if (refuses(one, shared(one))) {
			return;
		}
		HeldLock ended = soon(
				one.acquireAsync(NAME, shared(one).toBuilder().lease(shortLease()).maxHold(shortLease()).build()));
		HeldLock goesOn = one.acquire(NAME, shared(one));
		eventually().until(() -> !ended.isValid());
		assertThat(goesOn.isValid()).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(ended::close);
		// The store's lease ends a little later than the holder's local deadline
		eventually().until(() -> one.engine("").inspect(KEY).size() == 1);
		goesOn.close();
		leavesNothing();
	}

	@Test
	void anotherNumberOfPermitsIsRefusedToEveryWaitingCaller() {
		LockService one = service();
		LockService other = service();
		LockOptions two = one.defaults().toBuilder().permits(2).build();
		if (refuses(one, two)) {
			return;
		}
		try (HeldLock held = one.acquire(NAME, two)) {
			for (LockService service : List.of(one, other)) {
				assertThatExceptionOfType(LockModeException.class)
					.isThrownBy(() -> elsewhere(() -> service.acquire(NAME, two.toBuilder().permits(3).build())))
					.withMessageContaining(NAME);
			}
			assertThat(held.isValid()).isTrue();
		}
		other.acquire(NAME, two.toBuilder().permits(3).build()).close();
		leavesNothing();
	}

	@Test
	void keyOfALostHoldStaysUnavailableForTheLockDelay() {
		LockService one = service();
		LockOptions delayed = one.defaults()
			.toBuilder()
			.lease(shortLease())
			.maxHold(shortLease())
			.lockDelay(shortLease())
			.build();
		if (refuses(one, delayed)) {
			return;
		}
		Pace requested = Pace.begin();
		HeldLock lost = one.acquire(NAME, delayed);
		try (HeldLock next = service().acquire(NAME)) {
			Duration validity = Duration.ofNanos(MonotonicClock.validUntil(0, shortLease()));
			took(validity.plus(shortLease()), requested);
			assertThat(next.fencingToken()).isGreaterThan(lost.fencingToken());
		}
		assertThat(lost.isValid()).isFalse();
	}

	/** Run an action in another thread, which cannot re-enter a lock of this one. */
	static void elsewhere(Runnable action) {
		try {
			CompletableFuture.runAsync(action, (task) -> new Thread(task).start()).join();
		}
		catch (CompletionException ex) {
			throw (RuntimeException) ex.getCause();
		}
	}

	/** Return whether the engine rejects some options, and assert its message then. */
	final boolean refuses(LockService service, LockOptions options) {
		UnsupportedForm lacking = EngineForms.unsupported(options, service.engine(""));
		if (lacking == null) {
			return false;
		}
		assertThatIllegalArgumentException().isThrownBy(() -> service.acquire(NAME, options))
			.withMessageContaining(lacking.problem())
			.withMessageContaining(service.engine("").name());
		return true;
	}

	static LockOptions shared(LockService service) {
		return service.defaults().toBuilder().mode(LockMode.SHARED).build();
	}

	/** Acquire the lock once for each service, and release all when the last has it. */
	private void holdTogether(List<LockService> services, LockOptions options) throws Exception {
		List<HeldLock> holds = new ArrayList<>();
		for (LockService service : services) {
			holds.add(soon(service.acquireAsync(NAME, options)));
		}
		assertThat(holds).allMatch(HeldLock::isValid);
		holds.forEach(HeldLock::close);
	}

	/** Wait for a lock. One that does not come in time fails the test as an assertion. */
	final HeldLock soon(CompletableFuture<HeldLock> wait) {
		assertThat(wait).succeedsWithin(patience());
		return wait.join();
	}

	/** Shut a service down, and wait until it is idle. */
	final void awaitIdle(LockService service) throws InterruptedException {
		CountDownLatch idle = new CountDownLatch(1);
		service.drain(idle::countDown);
		assertThat(idle.await(patience().toMillis(), TimeUnit.MILLISECONDS)).as("service is idle").isTrue();
	}

	final void leavesNothing() {
		eventually().untilAsserted(() -> assertThat(residue(this.namespace)).isEmpty());
	}

	/** Wait until a number of callers have begun to wait. */
	final void awaitWaiting(int count) {
		eventually().until(() -> eventsOf(LockEvent.WaitStarted.class).count() == count);
	}

	final <T extends LockEvent> Stream<T> eventsOf(Class<T> type) {
		return this.events.stream().filter(type::isInstance).map(type::cast);
	}

	final LockService service() {
		return service(UnaryOperator.identity());
	}

	/** Create a service whose engine is wrapped. */
	final LockService service(UnaryOperator<LockEngine> front) {
		return service(front, MonotonicClock.SYSTEM);
	}

	/** Create a service with a separate clock. */
	final LockService service(MonotonicClock clock) {
		return service(UnaryOperator.identity(), clock);
	}

	private LockService service(UnaryOperator<LockEngine> front, MonotonicClock clock) {
		Process process = process();
		LockEngine engine = new ShortLeases(front.apply(process.engine()));
		LockOptions defaults = new LockOptions("contract", engine.name(), LONG_LEASE, LONG_WAIT, Duration.ZERO,
				LockOptions.UNLIMITED);
		LockService service = new LockService(TestSettings.of(defaults), List.of(engine), process.member(), clock,
				List.of(this.events::add), ReleaseTiming.IMMEDIATE);
		this.services.add(service);
		return service;
	}

	/**
	 * The callers that hold a key at the same time, from their point of view.
	 */
	private static final class Crowd {

		private static final int WRITER = 1_000_000;

		/** Least number, so that each caller writes and reads on a slow machine, too. */
		private static final int ROUNDS = 6;

		private final int most;

		private final AtomicInteger present = new AtomicInteger();

		/** Greatest token of a hold that has ended. */
		private final AtomicLong ended = new AtomicLong();

		private final Map<Integer, Integer> seen = new ConcurrentHashMap<>();

		Crowd(int most) {
			this.most = most;
		}

		/** Acquire and release the lock for a while, and at least a few times. */
		Callable<Void> contender(LockService service, IntFunction<LockOptions> options, Duration time) {
			return () -> {
				long until = System.nanoTime() + time.toNanos();
				for (int i = 0; i < ROUNDS || System.nanoTime() - until < 0; i++) {
					LockOptions round = options.apply(i);
					long endedBefore = this.ended.get();
					HeldLock lock = service.acquire(NAME, round);
					try (lock) {
						assertThat(lock.fencingToken()).isGreaterThan(endedBefore);
						stay(Access.of(round.terms()).kind() == Access.Kind.EXCLUSIVE ? WRITER : 1);
						assertThat(lock.isValid()).isTrue();
					}
					this.ended.accumulateAndGet(lock.fencingToken(), Math::max);
				}
				return null;
			};
		}

		private void stay(int weight) {
			this.seen.merge(this.present.addAndGet(weight), 1, Integer::sum);
			LockSupport.parkNanos(2_000_000);
			this.present.addAndGet(-weight);
		}

		/** Assert that there were never too many. */
		void check() {
			assertThat(this.seen.keySet()).allMatch((count) -> count <= this.most || count == WRITER);
			assertThat(this.seen.values().stream().mapToInt(Integer::intValue).sum()).isGreaterThan(8);
		}

		int writers() {
			return this.seen.getOrDefault(WRITER, 0);
		}

	}

}
