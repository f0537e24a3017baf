package io.leasehold.test.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockException;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.event.LockEvent;
import io.leasehold.service.LockService;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The part of the contract that is about many callers, slow and silent stores, and
 * callers that have vanished, tested through the service.
 */
abstract class ServiceFaultsContract extends ServiceFormsContract {

	/** Return a lease that is renewed even if this process is paused for a short time. */
	final Duration renewedLease() {
		return shortLease().multipliedBy(4);
	}

	/**
	 * Callers of a closed engine do not wait, whatever they request and however they
	 * wait.
	 */
	@Test
	void closedEngineFailsItsCallersAtOnce() throws Exception {
		AtomicReference<LockEngine> connected = new AtomicReference<>();
		LockService one = service((engine) -> {
			connected.set(engine);
			return engine;
		});
		LockEngine engine = connected.get();
		if (!(engine instanceof AutoCloseable closeable)) {
			return;
		}
		one.acquire(NAME).close();
		closeable.close();
		List<LockOptions> forms = Stream
			.of(one.defaults(), shared(one), one.defaults().toBuilder().permits(2).build(),
					one.defaults().toBuilder().waitTime(Duration.ZERO).build())
			.filter((options) -> !refuses(one, options))
			.toList();
		for (LockOptions options : forms) {
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> one.acquire(NAME, options))
				.satisfies(closed(engine, KEY));
			assertThatExceptionOfType(ExecutionException.class)
				.isThrownBy(() -> one.acquireAsync(NAME, options).get(patience().toSeconds(), TimeUnit.SECONDS))
				.satisfies((failure) -> assertThat(failure.getCause()).satisfies(closed(engine, KEY)));
		}
	}

	/**
	 * A lock ends in the store while other callers of its process wait for it: they
	 * acquire it as soon as the loss is known, even if its holder has not closed it.
	 */
	@Fault(58)
	@Test
	void lostLockLeavesNoCallerOfItsProcessWaiting() throws Exception {
		LockService one = service();
		HeldLock lost = one.acquire(NAME, one.defaults().toBuilder().lease(renewedLease()).build());
		CompletableFuture<HeldLock> next = inAnotherThread(() -> one.acquire(NAME));
		awaitWaiting(1);
		lose(this.namespace, KEY);
		try (HeldLock successor = soon(next)) {
			assertThat(lost.isValid()).isFalse();
			assertThat(successor.fencingToken()).isGreaterThan(lost.fencingToken());
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::close);
			assertThat(successor.isValid()).isTrue();
		}
		leavesNothing();
	}

	/**
	 * Two keys with the same hash are two locks: neither is confused with the other,
	 * re-entered in its place, or released with it.
	 */
	@Fault(59)
	@Test
	void keysOfOneHashAreTwoLocks() throws Exception {
		assertThat("Aa").hasSameHashCodeAs("BB");
		LockService one = service();
		LockService other = service();
		HeldLock first = one.acquire("Aa");
		assertThat(other.tryAcquire("BB")).hasValueSatisfying(HeldLock::close);
		HeldLock second = one.acquire("BB");
		CompletableFuture<HeldLock> next = other.acquireAsync("BB");
		awaitWaiting(1);
		first.close();
		assertThat(other.tryAcquire("Aa")).hasValueSatisfying(HeldLock::close);
		assertThat(second.isValid()).isTrue();
		assertThat(next).isNotDone();
		second.close();
		soon(next).close();
		leavesNothing();
	}

	/**
	 * The lock is released at the moment at which the wait for it ends: the caller owns
	 * it or leaves nothing. The rounds search for that moment and stay near it.
	 */
	@Fault(62)
	@Test
	void waitThatEndsAsTheLockIsGrantedOwnsItOrLeavesNothing() {
		LockService one = service();
		LockService other = service();
		Duration waitTime = Duration.ofMillis(60);
		long release = waitTime.toNanos();
		long step = release / 8;
		int owned = 0;
		boolean acquiredBefore = true;
		for (int i = 0; i < 24; i++) {
			LockOptions options = one.defaults().toBuilder().waitTime(waitTime).build();
			HeldLock held = soon(one.acquireAsync(NAME));
			long start = System.nanoTime();
			CompletableFuture<HeldLock> wait = (i % 2 == 0) ? other.acquireAsync(NAME, options)
					: inAnotherThread(() -> other.acquire(NAME, options));
			pauseUntil(start + release);
			held.close();
			boolean acquired = closedIfAcquired(wait);
			owned += acquired ? 1 : 0;
			if (!acquired && release == 0) {
				waitTime = waitTime.multipliedBy(2); // too short for this machine
			}
			step = (acquired == acquiredBefore) ? step * 2 : Math.max(step / 4, 200_000);
			release = Math.max(release + (acquired ? step : -step), 0);
			acquiredBefore = acquired;
		}
		assertThat(owned).isBetween(1, 23);
		leavesNothing();
	}

	private static boolean closedIfAcquired(CompletableFuture<HeldLock> wait) {
		return wait.handle((held, failure) -> {
			if (held != null) {
				held.close();
			}
			return held != null;
		}).join();
	}

	/**
	 * A thread ends without unlocking, and a handle is dropped without being closed: both
	 * are reported, and the next owners acquire the keys when the leases expire.
	 */
	@Fault(63)
	@Test
	void abandonedLockIsReportedAndEndsWithItsLease() throws Exception {
		LockService one = service();
		LockService other = service();
		Duration lease = shortLease().multipliedBy(2);
		LockOptions options = one.defaults().toBuilder().lease(lease).build();
		elsewhere(() -> one.asLock("of a thread", options).lock());
		elsewhere(() -> one.acquire("of a handle", options));
		Pace dropped = Pace.begin();
		CompletableFuture<HeldLock> first = other.acquireAsync("of a thread");
		CompletableFuture<HeldLock> second = other.acquireAsync("of a handle");
		eventually().untilAsserted(() -> {
			System.gc();
			assertThat(eventsOf(LockEvent.HoldLost.class)).extracting(LockEvent.HoldLost::cause)
				.containsExactly(LossCause.ABANDONED, LossCause.ABANDONED);
		});
		soon(first).close();
		soon(second).close();
		tookAtMost(lease, dropped);
		leavesNothing();
	}

	/**
	 * All messages of the store to a waiting caller are lost: the caller acquires the
	 * lock by a poll.
	 */
	@Fault(65)
	@Test
	void releaseWithoutANotificationIsDetectedByAPoll() throws Exception {
		LockService one = service();
		LockService polling = service(SignalsLost::new);
		// Some engines poll at the end of the lease
		HeldLock held = one.acquire(NAME, one.defaults().toBuilder().lease(renewedLease()).build());
		CompletableFuture<HeldLock> next = polling.acquireAsync(NAME);
		awaitWaiting(1);
		held.close();
		soon(next).close();
		leavesNothing();
	}

	/**
	 * Two hundred callers of four processes wait: each release serves one of them, and
	 * the number of requests grows with the processes, not with the callers.
	 */
	@Fault(66)
	@Test
	void manyWaitingCallersTakeTurnsWithFewRequests() throws Exception {
		Duration untilTheLast = patience().multipliedBy(6);
		HeldLock held = service().acquire(NAME);
		Counted.Requests requests = new Counted.Requests();
		List<CompletableFuture<Long>> turns = new ArrayList<>();
		AtomicInteger inside = new AtomicInteger();
		for (int i = 0; i < 4; i++) {
			LockService service = service((engine) -> new Counted(engine, requests));
			for (int j = 0; j < 50; j++) {
				turns.add(service.acquireAsync(NAME, service.defaults().toBuilder().waitTime(untilTheLast).build())
					.thenApply((lock) -> {
						try (lock) {
							assertThat(inside.incrementAndGet()).isOne();
							inside.decrementAndGet();
							return lock.fencingToken();
						}
					}));
			}
		}
		awaitWaiting(200);
		requests.reset();
		held.close();
		CompletableFuture.allOf(turns.toArray(CompletableFuture[]::new))
			.get(untilTheLast.toSeconds(), TimeUnit.SECONDS);
		assertThat(turns).extracting(CompletableFuture::join).doesNotHaveDuplicates();
		assertThat(requests.count()).isLessThan(200 * 20);
		leavesNothing();
	}

	/** Without a wait time there is exactly one attempt. */
	@Fault(76)
	@Test
	void noWaitTimeIsOneAttempt() {
		service().acquire(NAME);
		Counted.Requests requests = new Counted.Requests();
		LockService other = service((engine) -> new Counted(engine, requests));
		Pace start = Pace.begin();
		assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> other.acquire(NAME, other.defaults().toBuilder().waitTime(Duration.ZERO).build()));
		tookAtMost(Duration.ZERO, start);
		assertThat(requests.attempts()).isOne();
	}

	/**
	 * The store responds after the wait time: a caller is delayed by that one request,
	 * and a grant that arrives too late is released.
	 */
	@Fault(80)
	@Test
	void storeThatIsSlowerThanTheWaitTimeHoldsUpByOneRequest() throws Exception {
		LockService one = service();
		Thread caller = Thread.currentThread();
		AtomicInteger ofCaller = new AtomicInteger();
		LockService slow = service((engine) -> new Slow(engine, () -> {
			ofCaller.addAndGet((Thread.currentThread() == caller) ? 1 : 0);
			pauseUntil(System.nanoTime() + Duration.ofMillis(500).toNanos());
		}));
		LockOptions options = slow.defaults().toBuilder().waitTime(Duration.ofMillis(100)).build();
		HeldLock held = one.acquire(NAME);
		Pace start = Pace.begin();
		assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> slow.acquire(NAME, options));
		tookAtMost(Duration.ofMillis(500), start);
		// Another thread polls if the caller of a busy machine gives up late
		assertThat(ofCaller).hasValue(1);
		awaitIdle(slow);
		held.close();
		Counted.Requests requests = new Counted.Requests();
		CompletableFuture<Void> mayRespond = new CompletableFuture<>();
		LockService stuck = service((engine) -> new Slow(new Counted(engine, requests), mayRespond::join));
		do {
			assertThat(stuck.acquireAsync(NAME, options.toBuilder().waitTime(Duration.ofSeconds(1)).build()))
				.failsWithin(patience())
				.withThrowableThat()
				.withCauseInstanceOf(LockException.class);
		}
		while (requests.attempts() == 0); // a busy machine may give up before it requests
		mayRespond.complete(null);
		soon(one.acquireAsync(NAME)).close();
		assertThat(requests.attempts()).isOne();
		awaitIdle(stuck);
		leavesNothing();
	}

	private static CompletableFuture<HeldLock> inAnotherThread(Supplier<HeldLock> action) {
		return CompletableFuture.supplyAsync(action, (task) -> new Thread(task).start());
	}

	private static void pauseUntil(long when) {
		for (long rest = when - System.nanoTime(); rest > 0; rest = when - System.nanoTime()) {
			LockSupport.parkNanos(rest);
		}
	}

	private static final class SignalsLost extends DelegatingEngine {

		SignalsLost(LockEngine engine) {
			super(engine);
		}

		@Override
		public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
			return super.subscribe(claim, (signal) -> {
			});
		}

	}

	private static final class Slow extends DelegatingEngine {

		private final Runnable pause;

		Slow(LockEngine engine, Runnable pause) {
			super(engine);
			this.pause = pause;
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			AcquisitionOutcome attempt = super.tryAcquire(claim);
			this.pause.run();
			return attempt;
		}

	}

}
