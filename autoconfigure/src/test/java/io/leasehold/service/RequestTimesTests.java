package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockKey;
import io.leasehold.LockKeys;
import io.leasehold.LockLostException;
import io.leasehold.LockModeException;
import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Signal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * When requests are sent and repeated, and when waiting ends.
 */
class RequestTimesTests {

	private static final Duration NANO = Duration.ofNanos(1);

	private final SteppedService process = new SteppedService();

	@AfterEach
	void close() {
		this.process.close();
	}

	@Test
	void callerWaitsForItsWaitTimeAndNoLonger() {
		HeldLock held = this.process.acquire("a");
		Duration wait = Duration.ofSeconds(5);
		CompletableFuture<HeldLock> waiting = this.process.await("a",
				this.process.options().toBuilder().waitTime(wait).build());
		this.process.advance(wait.minus(NANO));
		assertThat(waiting).isNotDone();
		this.process.advance(NANO);
		assertThat(waiting).isDone();
		assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> unwrap(waiting))
			.withMessageContaining(" 5000 ms");
		held.close();
	}

	/**
	 * Each pause is twice as long as the one before, up to a second, and at least half of
	 * that.
	 */
	@Test
	void storeThatIsDownIsAskedMoreAndMoreSeldom() {
		this.process.store.local.faults().setDown(true);
		this.process.await("a", this.process.options());
		this.process.advance(Duration.ofSeconds(10));
		List<Duration> pauses = pauses(this.process.store.requested);
		assertThat(pauses).hasSizeGreaterThan(8);
		for (int i = 0; i < pauses.size(); i++) {
			Duration most = Duration.ofMillis(Math.min(1000, 20 << Math.min(i, 6)));
			assertThat(pauses.get(i)).isBetween(most.dividedBy(2), most);
		}
	}

	@Test
	void pausesBeginAnewAfterAResponse() {
		this.process.store.holdElsewhere("a", Access.EXCLUSIVE);
		List<Duration> requested = this.process.store.requested;
		this.process.store.response = (attempt) -> {
			if (requested.size() == 7) {
				return new AcquisitionOutcome.Busy(Duration.ofSeconds(1));
			}
			throw new LockEngineException(new LockKey("a"), "down", null);
		};
		this.process.await("a", this.process.options());
		this.process.advance(Duration.ofSeconds(5));
		assertThat(pauses(requested).get(6)).isEqualTo(Duration.ofSeconds(1));
		assertThat(pauses(requested).get(7)).isBetween(Duration.ofMillis(10), Duration.ofMillis(20));
	}

	@Test
	void grantThatEndsAtItsResponseIsNotHandedOut() {
		assertThat(isHandedOutThatLasts(Duration.ZERO)).isFalse();
	}

	@Test
	void grantThatLastsANanosecondLongerIsHandedOut() {
		assertThat(isHandedOutThatLasts(NANO)).isTrue();
	}

	/**
	 * Return whether the first grant is handed out. The store gives longer ones after it.
	 */
	private boolean isHandedOutThatLasts(Duration left) {
		this.process.store.response = (attempt) -> {
			boolean first = this.process.store.requested.size() == 1;
			return (first && attempt instanceof AcquisitionOutcome.Granted granted)
					? new AcquisitionOutcome.Granted(granted.number(), this.process.store.in(left)) : attempt;
		};
		CompletableFuture<HeldLock> acquired = this.process.await("a", this.process.options());
		int requests = this.process.store.requested.size();
		acquired.getNow(null).close();
		return requests == 1;
	}

	/**
	 * Each pause is twice as long as the one before, up to half a second, and at least
	 * half of that.
	 */
	@Test
	void releaseIsRepeatedMoreAndMoreSeldomUntilAMinuteAfterTheLease() {
		HeldLock held = this.process.acquire("a");
		this.process.store.renewNothing();
		this.process.store.local.faults().setDown(true);
		held.close();
		this.process.advance(Duration.ofMinutes(3));
		List<Duration> released = this.process.store.released;
		List<Duration> pauses = pauses(released.subList(1, released.size()));
		for (int i = 0; i < pauses.size(); i++) {
			Duration most = Duration.ofMillis(Math.min(500, 100 << Math.min(i, 5)));
			assertThat(pauses.get(i)).isBetween(most.dividedBy(2), most);
		}
		Duration end = SteppedService.LEASE.plusMinutes(1);
		assertThat(released.get(released.size() - 1)).isBetween(end.minusMillis(500), end.plusMillis(500));
	}

	/** A request for the first key takes a second, and four are left for the second. */
	@Test
	void severalKeysHaveOneWaitTime() {
		HeldLock held = this.process.acquire("b");
		LockOptions options = this.process.options().toBuilder().waitTime(Duration.ofSeconds(5)).build();
		this.process.store.response = (attempt) -> {
			this.process.clock.advance(Duration.ofSeconds(1));
			return attempt;
		};
		Duration before = this.process.now();
		CompletableFuture<HeldLock> all = this.process.locks.acquireAllAsync(LockKeys.of(List.of("a", "b")), options,
				List.of(), (failure) -> false);
		this.process.threads.run();
		assertThat(this.process.now().minus(before)).isEqualTo(Duration.ofSeconds(1));
		this.process.advance(Duration.ofSeconds(4).minus(NANO));
		assertThat(all).isNotDone();
		this.process.advance(NANO);
		assertThat(all).isCompletedExceptionally();
		assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> unwrap(all))
			.satisfies((ex) -> assertThat(ex.getKey()).isEqualTo("b"));
		held.close();
		assertThat(this.process.store.local.size()).isZero();
	}

	@Test
	void claimIsKeptForTheWaiterBehindACallerThatDoesNotWait() {
		Claim other = this.process.store.holdElsewhere("a", Access.SHARED);
		this.process.store.holdElsewhere("a", Access.SHARED);
		CompletableFuture<HeldLock> brief = this.process.locks.acquireAsync("a",
				this.process.options().toBuilder().waitTime(Duration.ZERO).build());
		CompletableFuture<HeldLock> waiting = this.process.await("a", this.process.options());
		assertThat(brief).isCompletedExceptionally();
		assertThat(waiting).isNotDone();
		assertThat(this.process.store.claims).last().satisfies((claim) -> assertThat(claim.waits()).isTrue());
		this.process.store.forceRelease(other.key());
		this.process.threads.run();
		waiting.getNow(null).close();
	}

	@Test
	void cancelledWaitEndsAtOnce() {
		Claim other = this.process.store.holdElsewhere("a", Access.EXCLUSIVE);
		CompletableFuture<HeldLock> waiting = this.process.await("a", this.process.options());
		assertThat(this.process.locks.inspector().overview().waiting()).hasSize(1);
		int requests = this.process.store.requested.size();
		waiting.cancel(false);
		this.process.threads.run();
		assertThat(this.process.locks.inspector().overview().waiting()).isEmpty();
		this.process.store.local.release(other);
		this.process.advance(Duration.ofMinutes(1));
		assertThat(this.process.store.requested).hasSize(requests);
		assertThat(this.process.store.local.size()).isZero();
	}

	/** It sends one request, whether it blocks or not, and releases a late grant. */
	@Test
	void callerThatDoesNotWaitIsRefusedIfItsGrantComesTooLate() {
		LockOptions once = this.process.options().toBuilder().waitTime(Duration.ZERO).build();
		this.process.store.response = (attempt) -> (attempt instanceof AcquisitionOutcome.Granted granted
				&& this.process.store.requested.size() < 3)
						? new AcquisitionOutcome.Granted(granted.number(), this.process.store.in(Duration.ZERO))
						: attempt;
		CompletableFuture<HeldLock> refused = this.process.await("a", once);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> unwrap(refused))
			.withMessageContaining("too late");
		assertThat(this.process.store.requested).hasSize(1);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.process.locks.acquire("b", once));
		this.process.threads.run();
		assertThat(this.process.store.requested).hasSize(2);
		assertThat(this.process.store.local.size()).isZero();
	}

	@Test
	void claimListensUntilItsWaiterGivesUp() {
		this.process.store.holdElsewhere("a", Access.EXCLUSIVE);
		CompletableFuture<HeldLock> waiting = this.process.await("a", this.process.options());
		assertThat(this.process.store.listening).isOne();
		waiting.cancel(false);
		this.process.threads.run();
		assertThat(this.process.store.listening).isZero();
	}

	@Test
	void claimWhoseWaiterGivesUpWhileItIsEnqueuedDoesNotListen() {
		this.process.store.holdElsewhere("a", Access.EXCLUSIVE);
		CompletableFuture<HeldLock> waiting = this.process.locks.acquireAsync("a");
		this.process.store.enqueued = () -> {
			assertThat(this.process.store.listening).isOne();
			waiting.cancel(false);
		};
		this.process.threads.run();
		assertThat(waiting).isCancelled();
		assertThat(this.process.store.listening).isZero();
	}

	/** The store may be in order. A contradiction remains one. */
	@Test
	void failureOfAnInterruptedRequestIsAnInterrupt() {
		this.process.store.holdElsewhere("b", Access.permits(2));
		this.process.store.response = (attempt) -> {
			Thread.currentThread().interrupt();
			if (attempt instanceof AcquisitionOutcome.Granted) {
				throw new LockEngineException(new LockKey("a"), "interrupted", null, false);
			}
			return attempt;
		};
		assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> this.process.acquire("a"));
		assertThat(Thread.interrupted()).isTrue();
		LockOptions three = this.process.options().toBuilder().permits(3).build();
		assertThatExceptionOfType(LockModeException.class).isThrownBy(() -> this.process.locks.acquire("b", three));
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void signalOfTheStoreIsFollowedByARequestAtOnce() {
		this.process.store.holdElsewhere("a", Access.EXCLUSIVE);
		this.process.await("a", this.process.options());
		int requests = this.process.store.requested.size();
		this.process.store.listener.accept(new Signal.Retry());
		this.process.threads.run();
		assertThat(this.process.store.requested).hasSize(requests + 1);
	}

	@Test
	void anotherNumberOfPermitsIsRefusedAtOnce() {
		LockOptions three = this.process.options().toBuilder().permits(3).build();
		this.process.store.holdElsewhere("a", Access.permits(2));
		CompletableFuture<HeldLock> elsewhere = this.process.await("a", three);
		assertThatExceptionOfType(LockModeException.class).isThrownBy(() -> unwrap(elsewhere));
		HeldLock held = this.process.locks.acquire("b", this.process.options().toBuilder().permits(2).build());
		CompletableFuture<HeldLock> here = this.process.await("b", three);
		assertThatExceptionOfType(LockModeException.class).isThrownBy(() -> unwrap(here));
		held.close();
	}

	/** No timer has noticed that its lease has ended. */
	@Test
	void callerThatMeetsAnExpiredLockDoesNotWaitForIt() {
		HeldLock held = this.process.acquire("a");
		this.process.clock.advance(SteppedService.LEASE);
		this.process.locks.acquire("a", this.process.options().toBuilder().waitTime(Duration.ZERO).build()).close();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
	}

	@Test
	@SuppressWarnings("try")
	void expiredLockIsNotReentered() {
		HeldLock held = this.process.acquire("a");
		this.process.clock.advance(SteppedService.LEASE);
		try (HeldLockScope scope = HeldLockScope.open(held)) {
			HeldLock next = this.process.acquire("a");
			assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
			next.close();
		}
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
	}

	private static void unwrap(CompletableFuture<HeldLock> failed) throws Throwable {
		try {
			failed.join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() != null) ? ex.getCause() : ex;
		}
	}

	private static List<Duration> pauses(List<Duration> times) {
		List<Duration> pauses = new ArrayList<>();
		for (int i = 1; i < times.size(); i++) {
			pauses.add(times.get(i).minus(times.get(i - 1)));
		}
		return pauses;
	}

}
