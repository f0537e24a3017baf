package io.leasehold.test.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.event.RenewalResult;
import io.leasehold.service.LockService;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The contract of every engine, with one short subclass for each store. It tests the
 * invariants I1 to I8 and the guarantees of the design that an engine could violate, both
 * directly and through services that represent separate processes. An engine whose store
 * other processes can reach has to pass {@link SharedLockEngineContract}.
 * <p>
 * The tests mostly wait. They run concurrently if parallel execution is enabled in
 * {@code junit-platform.properties}.
 */
@Execution(ExecutionMode.CONCURRENT)
public abstract class LockEngineContract extends LingerContract {

	/** There is never more than one owner at a time, and tokens grow. */
	@Test
	void historyOfTwoProcessesIsTrue() throws Exception {
		LockService one = service();
		LockService other = service();
		History history = new History();
		long end = System.nanoTime() + patience().toNanos();
		List<Callable<Void>> runs = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			LockService service = (i % 2 == 0) ? one : other;
			runs.add(() -> {
				do {
					long until = System.nanoTime() + contention().toNanos();
					LockProcess.contend(service, NAME, service.defaults(), until, history::add);
				}
				while (history.size() <= 20 && System.nanoTime() - end < 0);
				return null;
			});
		}
		Parallel.run(runs);
		assertThat(history.size()).isGreaterThan(20);
		assertThat(history.violations()).isEmpty();
		leavesNothing();
	}

	/**
	 * A nested call for the same key has one lock at the store and one token, and the
	 * outermost one releases it.
	 */
	@Fault(86)
	@Test
	@SuppressWarnings("try")
	void scopeReentersWithoutTheStore() {
		LockService one = service();
		try (HeldLock outer = one.acquire(NAME); HeldLockScope scope = HeldLockScope.open(outer)) {
			try (HeldLock inner = one.acquire(NAME, one.defaults().toBuilder().waitTime(Duration.ZERO).build())) {
				assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
			}
			assertThat(outer.isValid()).isTrue();
			assertThat(service().tryAcquire(NAME)).isEmpty();
		}
		assertThat(service().tryAcquire(NAME)).isPresent();
	}

	@Test
	void waitTimeIsKeptAndNothingIsLeft() throws Exception {
		HeldLock held = service().acquire(NAME);
		LockService other = service();
		Duration waitTime = Duration.ofMillis(700);
		Pace start = Pace.begin();
		assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> other.acquire(NAME, other.defaults().toBuilder().waitTime(waitTime).build()))
			.withMessageContaining(NAME);
		assertThat(start.elapsed()).isGreaterThanOrEqualTo(waitTime);
		tookAtMost(waitTime, start);
		awaitIdle(other);
		held.close();
		leavesNothing();
	}

	/**
	 * A thread that is interrupted while it waits continues at once, stays interrupted,
	 * and never acquires the lock.
	 */
	@Fault(60)
	@Test
	void interruptEndsTheWaitAndLeavesNothing() throws Exception {
		HeldLock held = service().acquire(NAME);
		LockService other = service();
		AtomicBoolean flagged = new AtomicBoolean();
		Thread waiter = new Thread(() -> {
			try {
				other.acquire(NAME, other.defaults().toBuilder().waitTime(patience().multipliedBy(2)).build());
			}
			catch (LockInterruptedException ex) {
				flagged.set(Thread.currentThread().isInterrupted());
			}
		});
		waiter.start();
		awaitWaiting(1);
		Pace interrupted = Pace.begin();
		waiter.interrupt();
		waiter.join(patience().toMillis());
		assertThat(flagged).isTrue();
		tookAtMost(Duration.ZERO, interrupted);
		awaitIdle(other);
		held.close();
		leavesNothing();
	}

	/** A thread that was interrupted releases its lock, and stays interrupted. */
	@Fault(61)
	@Test
	void interruptedThreadReleasesItsLock() {
		HeldLock held = service().acquire(NAME);
		Thread.currentThread().interrupt();
		held.close();
		assertThat(Thread.interrupted()).isTrue();
		leavesNothing();
	}

	@Test
	void cancelledAndTimedOutWaitsLeaveNothing() throws Exception {
		LockService one = service();
		LockService other = service();
		List<CompletableFuture<HeldLock>> waits = new ArrayList<>();
		for (int i = 0; i < 40; i++) {
			LockService service = (i % 2 == 0) ? one : other;
			waits.add(service.acquireAsync(NAME,
					service.defaults().toBuilder().waitTime(Duration.ofMillis(10L * i)).build()));
		}
		for (int i = 0; i < 40; i++) {
			CompletableFuture<HeldLock> wait = waits.get(i);
			if (i % 4 == 0) {
				wait.cancel(true);
			}
			wait.handle((held, failure) -> {
				if (held != null) {
					held.close();
				}
				return failure;
			});
		}
		eventually().until(() -> waits.stream().allMatch(CompletableFuture::isDone));
		leavesNothing();
		one.acquire(NAME).close();
	}

	/** I6, in the store and in the heap. */
	@Test
	void nothingIsLeftAfterManyFailures() throws Exception {
		LockService one = service();
		LockService other = service();
		List<Callable<Void>> runs = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			LockService service = (i % 2 == 0) ? one : other;
			long seed = i;
			runs.add(() -> {
				Random random = new Random(seed);
				for (int round = 0; round < 30; round++) {
					fail(service, new LockKey("key:" + random.nextInt(2)), random);
				}
				return null;
			});
		}
		Parallel.run(runs);
		awaitIdle(one);
		awaitIdle(other);
		leavesNothing();
	}

	/** Acquire a lock in one of the ways that may fail. */
	private void fail(LockService service, LockKey key, Random random) {
		LockOptions options = service.defaults().toBuilder().waitTime(Duration.ofMillis(random.nextInt(20))).build();
		switch (random.nextInt(4)) {
			case 0 -> service.acquireAsync(key.value(), options).thenAccept(HeldLock::close);
			case 1 -> {
				CompletableFuture<HeldLock> wait = service.acquireAsync(key.value(), options);
				wait.thenAccept(HeldLock::close);
				Thread.yield();
				wait.cancel(true);
			}
			case 2 -> take(service, key, options, () -> lose(this.namespace, key));
			default -> take(service, key, options,
					() -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(30))));
		}
	}

	private static void take(LockService service, LockKey key, LockOptions options, Runnable work) {
		try {
			service.call(key.value(), options, (held) -> {
				work.run();
				return null;
			});
		}
		catch (LockBusyException | LockLostException ex) {
			// expected
		}
	}

	/**
	 * Two callers that acquire two locks in opposite orders both fail and leave nothing.
	 */
	@Fault(87)
	@Test
	void oppositeOrdersEndByTheirWaitTime() throws Exception {
		LockService one = service();
		LockService other = service();
		LockOptions options = one.defaults().toBuilder().waitTime(Duration.ofMillis(300)).build();
		HeldLock first = one.acquire("a");
		HeldLock second = other.acquire("b");
		Parallel.run(List.of(() -> {
			assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> one.acquire("b", options));
			return null;
		}, () -> {
			assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> other.acquire("a", options));
			return null;
		}));
		first.close();
		second.close();
		awaitIdle(one);
		awaitIdle(other);
		leavesNothing();
	}

	/** The former holder of a removed lock is notified and cannot affect the next one. */
	@Fault(94)
	@Test
	void formerHolderDoesNotTouchItsSuccessor() {
		LockService one = service();
		LockService other = service();
		HeldLock former = one.acquire(NAME);
		lose(this.namespace, KEY);
		HeldLock next = other.acquire(NAME);
		assertThat(next.fencingToken()).isGreaterThan(former.fencingToken());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(former::close);
		// Published later if a renewal has found the loss
		eventually()
			.untilAsserted(() -> assertThat(eventsOf(LockEvent.HoldLost.class)).extracting(LockEvent.HoldLost::cause)
				.containsExactly(LossCause.NOT_OWNER));
		assertThat(next.isValid()).isTrue();
		assertThat(service().tryAcquire(NAME)).isEmpty();
		next.close();
		leavesNothing();
	}

	/**
	 * The store reports that the holder does not own the lock: the holder is notified
	 * once, no further renewal is sent, and the lock is not acquired again silently.
	 */
	@Fault(17)
	@Test
	void lossIsReportedAndThrown() throws Exception {
		LockService one = service();
		HeldLock held = one.acquire(NAME, one.defaults().toBuilder().lease(renewedLease()).build());
		CountDownLatch reported = new CountDownLatch(1);
		AtomicInteger times = new AtomicInteger();
		held.onLost((loss) -> {
			times.incrementAndGet();
			reported.countDown();
		});
		lose(this.namespace, KEY);
		assertThat(reported.await(patience().toMillis(), TimeUnit.MILLISECONDS)).isTrue();
		assertThat(held.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(LossCause.NOT_OWNER));
		eventually().until(() -> eventsOf(LockEvent.HoldLost.class).count() == 1);
		assertThat(process().engine().inspect(KEY)).isEmpty();
		long renewals = renewals(false);
		one.acquire(NAME).close();
		assertThat(times).hasValue(1);
		assertThat(renewals(false)).isEqualTo(renewals);
		assertThat(renewals(true)).as("the one that found the loss may be reported later").isLessThan(2);
	}

	private long renewals(boolean lost) {
		return eventsOf(LockEvent.LeaseRenewed.class)
			.filter((renewal) -> (renewal.outcome() == RenewalResult.NOT_OWNER) == lost)
			.count();
	}

	/** However long the process was paused, the release of a hold queries the store. */
	@Fault(6)
	@Test
	void lossIsFoundAtTheReleaseAtTheLatest() {
		HeldLock held = service().acquire(NAME);
		lose(this.namespace, KEY);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
	}

	/**
	 * A process that got no processor time, and one whose machine was suspended so that
	 * its clock stopped, did not renew in time. The first detects the loss at its first
	 * check, the second when it releases the lock at the store.
	 */
	@Fault({ 4, 6 })
	@Test
	void locksOfProcessesThatStoodStillAreLost() {
		long stopped = System.nanoTime();
		AtomicBoolean goesOn = new AtomicBoolean();
		LockService starved = service(() -> goesOn.get() ? System.nanoTime() : stopped);
		LockService suspended = service(() -> stopped);
		LockOptions options = starved.defaults().toBuilder().lease(shortLease()).build();
		HeldLock renewedTooLate = starved.acquire("a", options);
		HeldLock asleep = suspended.acquire("b", options);
		LockService other = service();
		try (HeldLock a = other.acquire("a"); HeldLock b = other.acquire("b")) {
			goesOn.set(true);
			assertThat(renewedTooLate.isValid()).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(renewedTooLate::close);
			assertThat(asleep.remaining()).as("by its clock").isPositive();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(asleep::close)
				.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(LossCause.NOT_OWNER));
			assertThat(a.fencingToken()).isGreaterThan(renewedTooLate.fencingToken());
			assertThat(b.fencingToken()).isGreaterThan(asleep.fencingToken());
			assertThat(a.isValid() && b.isValid()).isTrue();
		}
		leavesNothing();
	}

	/**
	 * An operator in another process releases the lock by force: the holder is notified
	 * by its next renewal, and the token of the next holder is greater.
	 */
	@Fault(95)
	@Test
	void nextRenewalReportsAForcedReleaseToTheHolder() throws Exception {
		LockService one = service();
		HeldLock held = one.acquire(NAME, one.defaults().toBuilder().lease(renewedLease()).build());
		CountDownLatch reported = new CountDownLatch(1);
		held.onLost((loss) -> reported.countDown());
		assertThat(process().engine().forceRelease(KEY)).isNotEmpty();
		assertThat(reported.await(patience().toMillis(), TimeUnit.MILLISECONDS)).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(LossCause.NOT_OWNER));
		try (HeldLock next = service().acquire(NAME)) {
			assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		}
		leavesNothing();
	}

	@Test
	void leaseIsRenewedAsLongAsTheLockIsHeld() {
		LockService one = service();
		LockService other = service();
		Duration waitTime = renewedLease().plus(shortLease());
		try (HeldLock held = one.acquire(NAME, one.defaults().toBuilder().lease(renewedLease()).build())) {
			assertThatExceptionOfType(LockBusyException.class)
				.isThrownBy(() -> other.acquire(NAME, other.defaults().toBuilder().waitTime(waitTime).build()));
			assertThat(held.isValid()).isTrue();
		}
	}

	/**
	 * The body runs longer than a lease that is never renewed: it is not interrupted, and
	 * the loss is thrown at the end.
	 */
	@Fault(79)
	@Test
	void endOfAFixedLeaseIsReported() {
		LockService one = service();
		HeldLock held = one.acquire(NAME, one.defaults().toBuilder().lease(shortLease()).maxHold(shortLease()).build());
		LockService other = service();
		other.acquire(NAME).close();
		assertThat(held.isValid()).isFalse();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(LossCause.MAX_HOLD));
	}

	/**
	 * The lease is much longer than the lock may be held: the key becomes available, and
	 * the holder is notified, long before the lease would have expired.
	 */
	@Fault(137)
	@Test
	void maxHoldEndsALongerLease() throws Exception {
		LockService one = service();
		LockOptions limited = one.defaults()
			.toBuilder()
			.lease(patience().multipliedBy(10))
			.maxHold(shortLease())
			.build();
		HeldLock held = one.acquire(NAME, limited);
		CompletableFuture<LossCause> reported = new CompletableFuture<>();
		held.onLost((loss) -> reported.complete(loss.getLossCause()));
		LockService other = service();
		other.acquire(NAME, other.defaults().toBuilder().waitTime(patience()).build()).close();
		assertThat(held.isValid()).isFalse();
		assertThat(reported.get(patience().toSeconds(), TimeUnit.SECONDS)).isEqualTo(LossCause.MAX_HOLD);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
	}

	/** On some engines, a lock that the store hands on has a short lease at first. */
	@Fault(137)
	@Test
	void lockThatIsHandedOnIsExtendedToItsMaxHold() {
		Duration maxHold = shortLease().multipliedBy(10);
		LockService one = service();
		LockService other = service();
		HeldLock first = one.acquire(NAME);
		LockOptions limited = other.defaults().toBuilder().lease(maxHold).maxHold(maxHold).build();
		CompletableFuture<HeldLock> next = other.acquireAsync(NAME, limited);
		awaitWaiting(1);
		first.close();
		HeldLock held = next.join();
		long past = System.nanoTime() + shortLease().multipliedBy(4).toNanos();
		eventually().until(() -> System.nanoTime() - past > 0);
		assertThat(held.isValid()).isTrue();
		assertThat(held.remaining()).isLessThanOrEqualTo(maxHold);
		held.close();
	}

	@Test
	void minHoldOutlivesTheWork() {
		LockService one = service();
		LockService other = service();
		Pace start = Pace.begin();
		one.acquire(NAME, one.defaults().toBuilder().minHold(shortLease()).build()).close();
		other.tryAcquire(NAME).orElseGet(() -> other.acquire(NAME)).close();
		took(shortLease(), start);
	}

	/**
	 * A shutdown rejects new callers and lets the present holder finish. The next owner
	 * is granted the lock at once.
	 */
	@Fault(88)
	@Test
	void shutdownLetsHoldersFinishAndRefusesOthers() throws Exception {
		LockService one = service();
		HeldLock held = one.acquire(NAME, one.defaults().toBuilder().lease(patience().multipliedBy(3)).build());
		CountDownLatch idle = new CountDownLatch(1);
		one.drain(idle::countDown);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> one.acquire("another"));
		assertThat(idle.getCount()).isOne();
		LockService other = service();
		CompletableFuture<HeldLock> next = other.acquireAsync(NAME, other.defaults());
		awaitWaiting(1);
		Pace released = Pace.begin();
		held.close();
		next.get(patience().toMillis(), TimeUnit.MILLISECONDS).close();
		tookAtMost(Duration.ZERO, released);
		assertThat(idle.await(patience().toMillis(), TimeUnit.MILLISECONDS)).isTrue();
		leavesNothing();
	}

	/**
	 * A process that is restored from a snapshot has lost the locks that it held before,
	 * which stay locked until their leases expire. It continues as another member.
	 */
	@Fault(90)
	@Test
	void processThatWasRestoredHoldsNothingAndIsServedAnew() {
		LockService one = service();
		LockService other = service();
		HeldLock held = one.acquire(NAME);
		one.drain(() -> {
		});
		one.resume();
		assertThat(held.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(LossCause.SHUTDOWN));
		assertThat(other.tryAcquire(NAME)).isEmpty();
		assertThat(other.engine("").forceRelease(KEY)).isNotEmpty();
		try (HeldLock next = one.acquire(NAME)) {
			assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		}
		leavesNothing();
	}

	@Test
	void eventsOfAnUncontendedLockAreComplete() {
		service().acquire(NAME).close();
		assertThat(this.events).hasSize(2)
			.hasAtLeastOneElementOfType(LockEvent.HoldEnded.class)
			.anyMatch((event) -> event instanceof LockEvent.AcquireEnded ended
					&& ended.outcome() == AcquireOutcome.ACQUIRED);
	}

}
