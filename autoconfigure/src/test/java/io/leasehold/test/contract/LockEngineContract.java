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
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Test;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.service.LockService;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What every engine keeps: one short subclass for each store. The invariants I1 to I8 and
 * the promises of the design that an engine could break, asked of the engine itself and
 * through the service, by services that stand for processes of their own. An engine whose
 * store other processes reach keeps {@link SharedLockEngineContract}.
 */
public abstract class LockEngineContract extends ServiceFormsContract {

	/** I1 and I2, FAULTS row 66. */
	@Test
	void historyOfTwoProcessesIsTrue() throws Exception {
		LockService one = service();
		LockService other = service();
		History history = new History();
		long until = System.nanoTime() + contention().toNanos();
		List<Callable<Void>> runs = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			LockService service = (i % 2 == 0) ? one : other;
			runs.add(() -> {
				LockProcess.contend(service, NAME, service.defaults(), until, history::add);
				return null;
			});
		}
		Parallel.run(runs);
		assertThat(history.size()).isGreaterThan(20);
		assertThat(history.violations()).isEmpty();
		leavesNothing();
	}

	/** FAULTS row 86. */
	@Test
	void sameThreadReentersWithoutTheStore() {
		LockService one = service();
		try (HeldLock outer = one.acquire(NAME)) {
			try (HeldLock inner = one.acquire(NAME, one.defaults().withWaitTime(Duration.ZERO))) {
				assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
			}
			assertThat(outer.isValid()).isTrue();
			assertThat(service().tryAcquire(NAME)).isEmpty();
		}
		assertThat(service().tryAcquire(NAME)).isPresent();
	}

	/** FAULTS row 76. */
	@Test
	void noWaitTimeIsOneAttempt() {
		service().acquire(NAME);
		LockService other = service();
		long start = System.nanoTime();
		assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> other.acquire(NAME, other.defaults().withWaitTime(Duration.ZERO)));
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SLACK);
	}

	/** I8 and I6, FAULTS row 80. */
	@Test
	void waitTimeIsKeptAndNothingIsLeft() throws Exception {
		HeldLock held = service().acquire(NAME);
		LockService other = service();
		Duration waitTime = Duration.ofMillis(700);
		long start = System.nanoTime();
		assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> other.acquire(NAME, other.defaults().withWaitTime(waitTime)))
			.withMessageContaining(NAME);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(waitTime, waitTime.plus(SLACK));
		awaitIdle(other);
		held.close();
		leavesNothing();
	}

	/** FAULTS row 60. */
	@Test
	void interruptEndsTheWaitAndLeavesNothing() throws Exception {
		HeldLock held = service().acquire(NAME);
		LockService other = service();
		AtomicBoolean flagged = new AtomicBoolean();
		Thread waiter = new Thread(() -> {
			try {
				other.acquire(NAME);
			}
			catch (LockInterruptedException ex) {
				flagged.set(Thread.currentThread().isInterrupted());
			}
		});
		waiter.start();
		eventually().until(() -> this.events.stream().anyMatch(LockEvent.WaitStarted.class::isInstance));
		waiter.interrupt();
		waiter.join();
		assertThat(flagged).isTrue();
		awaitIdle(other);
		held.close();
		leavesNothing();
	}

	/** FAULTS row 61. */
	@Test
	void interruptedThreadReleasesAllTheSame() {
		HeldLock held = service().acquire(NAME);
		Thread.currentThread().interrupt();
		held.close();
		assertThat(Thread.interrupted()).isTrue();
		leavesNothing();
	}

	/**
	 * FAULTS row 62: a wait that ends as the lock is granted owns it or has left nothing.
	 */
	@Test
	void cancelledAndTimedOutWaitsLeaveNothing() throws Exception {
		LockService one = service();
		LockService other = service();
		List<CompletableFuture<HeldLock>> waits = new ArrayList<>();
		for (int i = 0; i < 40; i++) {
			LockService service = (i % 2 == 0) ? one : other;
			waits.add(service.acquireAsync(NAME, service.defaults().withWaitTime(Duration.ofMillis(10L * i))));
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

	/** Take a lock in one of the ways in which that may go wrong. */
	private void fail(LockService service, LockKey key, Random random) {
		LockOptions options = service.defaults().withWaitTime(Duration.ofMillis(random.nextInt(20)));
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
			// what is meant to happen
		}
	}

	/** FAULTS row 87. */
	@Test
	void oppositeOrdersEndByTheirWaitTime() throws Exception {
		LockService one = service();
		LockService other = service();
		LockOptions options = one.defaults().withWaitTime(Duration.ofMillis(300));
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

	/** I7, FAULTS row 94. */
	@Test
	void formerHolderDoesNotTouchItsSuccessor() {
		LockService one = service();
		LockService other = service();
		HeldLock former = one.acquire(NAME);
		lose(this.namespace, KEY);
		HeldLock next = other.acquire(NAME);
		assertThat(next.fencingToken()).isGreaterThan(former.fencingToken());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(former::close);
		assertThat(service().tryAcquire(NAME)).isEmpty();
		next.close();
		leavesNothing();
	}

	/** I5, FAULTS row 17. */
	@Test
	void lossIsToldAndThrown() throws Exception {
		LockService one = service();
		HeldLock held = one.acquire(NAME, one.defaults().withLease(shortLease()));
		CountDownLatch told = new CountDownLatch(1);
		held.onLost((loss) -> told.countDown());
		lose(this.namespace, KEY);
		assertThat(told.await(shortLease().plus(SLACK).toMillis(), TimeUnit.MILLISECONDS)).isTrue();
		assertThat(held.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(LossCause.NOT_OWNER));
		eventually().untilAsserted(() -> assertThat(this.events).hasAtLeastOneElementOfType(LockEvent.HoldLost.class));
		one.acquire(NAME).close();
	}

	/** FAULTS row 6: the end of a hold asks the store. */
	@Test
	void lossIsFoundAtTheReleaseAtTheLatest() {
		HeldLock held = service().acquire(NAME);
		lose(this.namespace, KEY);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
	}

	/** FAULTS row 95: by an operator, from another process. */
	@Test
	void forcedReleaseIsToldToTheHolderByItsNextRenewal() throws Exception {
		LockService one = service();
		HeldLock held = one.acquire(NAME, one.defaults().withLease(shortLease()));
		CountDownLatch told = new CountDownLatch(1);
		held.onLost((loss) -> told.countDown());
		assertThat(process().engine().forceRelease(KEY)).isNotEmpty();
		assertThat(told.await(shortLease().dividedBy(3).plus(SLACK).toMillis(), TimeUnit.MILLISECONDS)).isTrue();
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
		try (HeldLock held = one.acquire(NAME, one.defaults().withLease(shortLease()))) {
			assertThatExceptionOfType(LockBusyException.class)
				.isThrownBy(() -> other.acquire(NAME, other.defaults().withWaitTime(shortLease().multipliedBy(2))));
			assertThat(held.isValid()).isTrue();
		}
	}

	/** FAULTS row 79. */
	@Test
	void fixedLeaseEndsAndIsTold() {
		LockService one = service();
		HeldLock held = one.acquire(NAME, one.defaults().withLease(shortLease()).withMaxHold(shortLease()));
		LockService other = service();
		other.acquire(NAME).close();
		assertThat(held.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(LossCause.MAX_HOLD));
	}

	@Test
	void minHoldOutlivesTheWork() {
		LockService one = service();
		LockService other = service();
		long start = System.nanoTime();
		one.acquire(NAME, one.defaults().withMinHold(shortLease())).close();
		assertThat(other.tryAcquire(NAME)).isEmpty();
		other.acquire(NAME).close();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(shortLease().minusMillis(20),
				shortLease().plus(SLACK));
	}

	/** FAULTS row 88. */
	@Test
	void shutdownLetsHoldersFinishAndRefusesOthers() throws Exception {
		LockService one = service();
		HeldLock held = one.acquire(NAME);
		CountDownLatch idle = new CountDownLatch(1);
		one.drain(idle::countDown);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> one.acquire("another"));
		assertThat(idle.getCount()).isOne();
		LockService other = service();
		CompletableFuture<HeldLock> next = other.acquireAsync(NAME, other.defaults());
		eventually().until(() -> this.events.stream().anyMatch(LockEvent.WaitStarted.class::isInstance));
		held.close();
		next.get(SLACK.toMillis(), TimeUnit.MILLISECONDS).close();
		assertThat(idle.await(5, TimeUnit.SECONDS)).isTrue();
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
