package io.leasehold.test.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockEngineException;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.Holder;
import io.leasehold.service.LockService;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The part of the contract that is about locks that a process keeps for its next caller.
 */
abstract class LingerContract extends ServiceFaultsContract {

	/** Nothing but a recall releases a parked lock within the time of a test. */
	private static final Duration LONG = Duration.ofMinutes(10);

	/** Options of locks that linger for the length of a short lease. */
	final LockOptions lingering(LockService service) {
		return service.defaults().toBuilder().linger(shortLease()).build();
	}

	/** Return whether the store notifies processes, without which no lock lingers. */
	protected boolean storeNotifies() {
		return true;
	}

	/** Whether locks do not linger. If they do, wait until the store can notify. */
	final boolean lacks(LockService service, LockOptions options) {
		if (refuses(service, options) || !storeNotifies()) {
			return true;
		}
		eventually().ignoreExceptionsInstanceOf(LockEngineException.class).until(() -> {
			// The first response of the store may decide what the engine supports
			service.engine("").inspect(KEY);
			service.engine("").subscribeToRecalls();
			return service.engine("").receivesRecalls();
		});
		return false;
	}

	/** Run a test with locks that linger for long, unless locks do not linger. */
	private void whereLocksLinger(LingerTest test) throws Exception {
		LockService one = service();
		LockOptions options = one.defaults().toBuilder().lease(LONG).linger(LONG).build();
		if (!lacks(one, options)) {
			test.run(one, options);
		}
	}

	@Test
	void parkedLockIsEnteredWithGreaterTokens() throws Exception {
		whereLocksLinger((one, options) -> {
			LockProcess.park(one, NAME, options);
			long last = 0;
			for (int i = 0; i < 200; i++) {
				try (HeldLock held = one.acquire(NAME, options)) {
					assertThat(held.fencingToken()).isGreaterThan(last);
					assertThat(one.isCurrent(NAME, held.fencingToken())).isTrue();
					last = held.fencingToken();
				}
			}
			assertThat(one.engine("").inspect(KEY)).singleElement().matches(Holder::lingers);
		});
	}

	@Test
	void parkedLockPassesToAnotherProcessThatWaits() throws Exception {
		whereLocksLinger((one, options) -> {
			LockService other = service();
			for (int i = 0; i < 3; i++) {
				LockProcess.park(one, NAME + i, options);
				long parked = one.inspector().overview().parked().get(0).fencingToken();
				try (HeldLock held = other.acquire(NAME + i)) {
					assertThat(held.fencingToken()).isGreaterThan(parked);
					assertThat(one.inspector().overview().parked()).isEmpty();
				}
			}
			leavesNothing();
		});
	}

	@Test
	void parkedLockIsReleasedForAProcessThatDoesNotWait() throws Exception {
		whereLocksLinger((one, options) -> {
			LockService other = service();
			LockProcess.park(one, NAME, options);
			eventually().until(() -> {
				other.tryAcquire(NAME).ifPresent(HeldLock::close);
				return one.inspector().overview().parked().isEmpty();
			});
			eventually().until(() -> other.tryAcquire(NAME).map((held) -> {
				held.close();
				return true;
			}).orElse(false));
			leavesNothing();
		});
	}

	@Test
	void enteredLockExcludesOthers() throws Exception {
		whereLocksLinger((one, options) -> {
			LockService other = service();
			LockProcess.park(one, NAME, options);
			try (HeldLock held = one.acquire(NAME, options)) {
				for (int i = 0; i < 5; i++) {
					assertThat(other.tryAcquire(NAME)).isEmpty();
				}
				assertThat(held.isValid()).isTrue();
			}
			eventually().until(() -> one.inspector().overview().parked().isEmpty());
			try (HeldLock held = other.acquire(NAME)) {
				assertThat(one.tryAcquire(NAME, options.toBuilder().waitTime(Duration.ZERO).build())).isEmpty();
				assertThat(held.isValid()).isTrue();
			}
			leavesNothing();
		});
	}

	@Test
	@SuppressWarnings("try")
	void enteredLockIsValidAndReentered() throws Exception {
		whereLocksLinger((one, options) -> {
			try (HeldLock held = enter(one, options); HeldLockScope scope = HeldLockScope.open(held)) {
				assertThat(held.isValid()).isTrue();
				assertThat(held.remaining()).isPositive().isLessThanOrEqualTo(LONG);
				try (HeldLock inner = one.acquire(NAME, options)) {
					assertThat(inner.fencingToken()).isEqualTo(held.fencingToken());
				}
				assertThat(held.isValid()).isTrue();
				assertThat(service().tryAcquire(NAME)).isEmpty();
			}
			awaitIdle(one);
			leavesNothing();
		});
	}

	/** The grant is the same, so a second release could end the next hold. */
	@Test
	void enteredLockThatIsClosedTwiceLeavesTheNextHold() throws Exception {
		whereLocksLinger((one, options) -> {
			HeldLock former = enter(one, options);
			former.close();
			former.close();
			try (HeldLock next = one.acquire(NAME, options)) {
				former.close();
				assertThat(former.isValid()).isFalse();
				assertThat(former.remaining()).isZero();
				assertThat(next.fencingToken()).isGreaterThan(former.fencingToken());
				assertThat(next.isValid()).isTrue();
				assertThat(service().tryAcquire(NAME)).isEmpty();
			}
			awaitIdle(one);
			leavesNothing();
		});
	}

	@Test
	void lossOfAnEnteredLockIsReportedToItsHolderOnly() throws Exception {
		whereLocksLinger((one, options) -> {
			CompletableFuture<LossCause> ofFormer = new CompletableFuture<>();
			HeldLock former = enter(one, options);
			former.onLost((loss) -> ofFormer.complete(loss.getLossCause()));
			former.close();
			CompletableFuture<LossCause> notified = new CompletableFuture<>();
			HeldLock held = one.acquire(NAME, options);
			held.onLost((loss) -> notified.complete(loss.getLossCause()));
			assertThat(one.inspector().forceRelease("", KEY)).hasSize(1);
			assertThat(notified.get(patience().toSeconds(), TimeUnit.SECONDS)).isEqualTo(LossCause.NOT_OWNER);
			assertThat(held.isValid()).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
			try (HeldLock next = one.acquire(NAME, options)) {
				assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
				assertThat(next.isValid()).isTrue();
			}
			assertThat(ofFormer).isNotDone();
			awaitIdle(one);
			leavesNothing();
		});
	}

	/** Enter a parked grant. If a pause of this process ended it, enter another one. */
	private static HeldLock enter(LockService one, LockOptions options) {
		while (true) {
			LockProcess.park(one, NAME, options);
			List<Long> parked = grants(one);
			HeldLock held = one.acquire(NAME, options);
			if (!parked.isEmpty() && grants(one).equals(parked)) {
				return held;
			}
			held.close();
		}
	}

	private static List<Long> grants(LockService service) {
		return service.engine("").inspect(KEY).stream().map(Holder::number).toList();
	}

	/** No two owners at a time, and tokens that grow. */
	@Test
	void historyOfTwoProcessesWithLingeringLocksIsTrue() throws Exception {
		LockService one = service();
		LockService other = service();
		LockOptions options = lingering(one);
		if (lacks(one, options)) {
			return;
		}
		History history = new History();
		long end = System.nanoTime() + patience().toNanos();
		List<Callable<Void>> runs = new ArrayList<>();
		for (LockService service : List.of(one, other)) {
			runs.add(() -> {
				for (int i = 0; i < 10 || history.size() <= 20 && System.nanoTime() - end < 0; i++) {
					long until = System.nanoTime() + contention().dividedBy(10).toNanos();
					LockProcess.contend(service, NAME, options, until, history::add);
					Thread.sleep((service == one) ? 50 : 200);
				}
				return null;
			});
		}
		Parallel.run(runs);
		assertThat(history.size()).isGreaterThan(20);
		assertThat(history.violations()).isEmpty();
		awaitIdle(one);
		awaitIdle(other);
		leavesNothing();
	}

	@Test
	void processThatShutsDownReleasesItsParkedLocks() throws Exception {
		whereLocksLinger((one, options) -> {
			LockProcess.park(one, NAME, options);
			awaitIdle(one);
			leavesNothing();
		});
	}

	/** Test in a process whose locks linger with some options. */
	private interface LingerTest {

		void run(LockService one, LockOptions options) throws Exception;

	}

}
