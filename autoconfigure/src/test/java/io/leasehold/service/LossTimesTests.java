package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.event.LockEvent;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * When the key of a lost lock is released, and what several holders of a key have to do
 * with each other, to the nanosecond.
 */
class LossTimesTests {

	private static final Duration NANO = Duration.ofNanos(1);

	private static final Duration DELAY = Duration.ofSeconds(5);

	private static final Duration LONGEST = Duration.ofSeconds(8);

	private SteppedService process = new SteppedService();

	@Test
	void leaseThatExpiredIsReleasedAtItsEnd() {
		HeldLock held = this.process.acquire("a");
		this.process.store.renewNothing();
		this.process.advance(SteppedService.BELIEVED);
		assertThat(this.process.store.released).containsExactly(SteppedService.BELIEVED);
		assertLost(held);
	}

	@Test
	void leaseThatExpiredIsReleasedAfterItsLockDelay() {
		HeldLock held = this.process.locks.acquire("a", this.process.options().toBuilder().lockDelay(DELAY).build());
		this.process.store.renewNothing();
		this.process.advance(SteppedService.BELIEVED.plus(DELAY).minus(NANO));
		assertThat(this.process.store.released).isEmpty();
		this.process.advance(NANO);
		assertThat(this.process.store.released).containsExactly(SteppedService.BELIEVED.plus(DELAY));
		assertLost(held);
	}

	@Test
	void lockDelayEndsWhenTheLastHandleOfTheLostLockIsClosed() {
		HeldLock held = this.process.locks.acquire("a", this.process.options().toBuilder().lockDelay(DELAY).build());
		this.process.store.renewNothing();
		this.process.advance(SteppedService.BELIEVED.plusSeconds(1));
		assertLost(held);
		this.process.advance(DELAY);
		assertThat(this.process.store.released).containsExactly(SteppedService.BELIEVED.plusSeconds(1));
	}

	@Test
	void longestHoldTimeIsFollowedByTheLockDelay() {
		LockOptions options = this.process.options().toBuilder().maxHold(LONGEST).lockDelay(DELAY).build();
		HeldLock held = this.process.locks.acquire("a", options);
		this.process.advance(Duration.ofSeconds(20));
		Duration end = Duration.ofMillis(7918);
		assertThat(this.process.store.released).containsExactly(end.plus(DELAY));
		assertLost(held);
	}

	@Test
	void holderThatEndsWithinTheLockDelayAfterItsLongestHoldTimeReleasesAtOnce() {
		LockOptions options = this.process.options().toBuilder().maxHold(LONGEST).lockDelay(DELAY).build();
		HeldLock held = this.process.locks.acquire("a", options);
		this.process.advance(Duration.ofSeconds(10));
		assertThat(this.process.store.released).isEmpty();
		assertLost(held);
		this.process.advance(DELAY);
		assertThat(this.process.store.released).containsExactly(Duration.ofSeconds(10));
	}

	/** The body of a cancelled result ends while the loss is being handled. */
	@Test
	void lossAndEndOfALockThatIsClosedMeanwhileAreReported() {
		HeldLock held = this.process.acquire("a");
		this.process.threads.beforeTimer = () -> assertLost(held);
		this.process.locks.cancelled(held);
		this.process.threads.run();
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.process.events).hasAtLeastOneElementOfType(LockEvent.HoldEnded.class));
		assertThat(this.process.events).hasAtLeastOneElementOfType(LockEvent.HoldLost.class);
		assertThat(this.process.events.stream().filter(LockEvent.HoldEnded.class::isInstance)).hasSize(1);
	}

	/** A cancelled result leaves the rest of its lease to the body that goes on. */
	@Test
	void cancelledLockIsReleasedAtTheEndOfItsLease() {
		HeldLock held = this.process.acquire("a");
		this.process.advance(Duration.ofSeconds(4));
		this.process.locks.cancelled(held);
		this.process.advance(Duration.ofMinutes(1));
		assertThat(this.process.store.released).containsExactly(SteppedService.BELIEVED);
		assertLost(held);
	}

	@Test
	void cancelledLockIsReleasedWhenItsBodyHasEndedAndNotBeforeItsMinHold() {
		for (Duration before : List.of(Duration.ZERO, NANO)) {
			this.process = new SteppedService(63, Duration.ofHours(1), false);
			HeldLock held = this.process.locks.acquire("a",
					this.process.options().toBuilder().minHold(Duration.ofSeconds(2)).build());
			this.process.clock.advance(Duration.ofSeconds(2).minus(before));
			this.process.locks.cancelled(held);
			assertLost(held);
			this.process.threads.run();
			assertThat(this.process.store.released).hasSize(before.isZero() ? 1 : 0);
		}
	}

	@Test
	void lockThatTheStoreLostIsPassedToTheNextCallerAtOnce() {
		HeldLock held = this.process.acquire("a");
		CompletableFuture<HeldLock> next = this.process.await("a", this.process.options());
		this.process.store.local.lose(new LockKey("a"));
		this.process.advance(SteppedService.BELIEVED.dividedBy(3));
		assertThat(next.getNow(null).fencingToken()).isGreaterThan(held.fencingToken());
		assertLost(held);
		next.getNow(null).close();
	}

	@Test
	void allHoldersOfAKeyAreRenewed() {
		LockOptions shared = this.process.options().toBuilder().mode(LockMode.SHARED).build();
		List<HeldLock> held = List.of(this.process.locks.acquire("a", shared), this.process.locks.acquire("a", shared),
				this.process.locks.acquire("a", shared));
		this.process.advance(SteppedService.BELIEVED.dividedBy(3));
		assertThat(this.process.store.renewed).hasSize(3);
		assertThat(held).allSatisfy((lock) -> assertThat(lock.remaining()).isEqualTo(SteppedService.BELIEVED));
		held.forEach(HeldLock::close);
		assertThat(this.process.store.released).hasSize(3);
		assertThat(this.process.store.local.size()).isZero();
	}

	@Test
	void lockInDoubtIsReportedAsSuch() {
		HeldLock held = this.process.acquire("a");
		held.throwIfLost();
		this.process.store.inDoubt = true;
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(held::throwIfLost)
			.withMessageContaining("Lock 'a' is in doubt");
		this.process.store.inDoubt = false;
		held.throwIfLost();
		held.close();
	}

	@Test
	void renewalReportsTheVeryFailureOfTheStore() {
		HeldLock held = this.process.acquire("a");
		IllegalStateException failure = new IllegalStateException("the store fails");
		this.process.store.renewal = (renewal, outcome) -> {
			throw failure;
		};
		this.process.advance(SteppedService.BELIEVED.dividedBy(3));
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.process.events).filteredOn(LockEvent.LeaseRenewed.class::isInstance)
				.singleElement()
				.satisfies((event) -> assertThat(((LockEvent.LeaseRenewed) event).failure()).isSameAs(failure)));
		held.close();
	}

	@Test
	void shortestLeaseOfTheEngineIsAccepted() {
		this.process.store.least = Duration.ofSeconds(2);
		this.process.locks.acquire("a", this.process.options().toBuilder().lease(Duration.ofSeconds(2)).build())
			.close();
		assertThatIllegalArgumentException().isThrownBy(() -> this.process.locks.acquire("a",
				this.process.options().toBuilder().lease(Duration.ofSeconds(2).minus(NANO)).build()));
	}

	@Test
	void releaseThatFailsKeepsTheInterruptFlagAndSetsNone() {
		for (boolean interrupted : List.of(true, false)) {
			this.process = new SteppedService();
			HeldLock held = this.process.acquire("a");
			this.process.store.local.faults().setDown(true);
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
			held.close();
			assertThat(Thread.interrupted()).isEqualTo(interrupted);
		}
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void lossIsLoggedWithTheTimeThatTheLockWasHeld(CapturedOutput output) {
		HeldLock held = this.process.acquire("a");
		this.process.store.renewNothing();
		this.process.advance(SteppedService.BELIEVED);
		assertThat(output).contains("Lock 'a' (test) was lost after 29698 ms");
		assertLost(held);
	}

	/** A key that the store handed on comes with a short lease. */
	@Test
	void shortGrantIsExtendedOnceItIsKeptForTwentyMilliseconds() {
		HeldLock held = pushed(Duration.ofSeconds(4));
		this.process.advance(Duration.ofMillis(20).minus(NANO));
		assertThat(this.process.store.renewed).isEmpty();
		this.process.advance(NANO);
		assertThat(this.process.store.renewed).hasSize(1);
		held.close();
	}

	@Test
	void grantIsShortWithTwoThirdsOfItsLeaseAndNotWithMore() {
		for (Duration more : List.of(Duration.ZERO, NANO)) {
			this.process = new SteppedService();
			HeldLock held = pushed(SteppedService.LEASE.dividedBy(3).multipliedBy(2).plus(more));
			this.process.advance(Duration.ofMillis(20));
			assertThat(this.process.store.renewed).hasSize(more.isZero() ? 1 : 0);
			held.close();
		}
	}

	@Test
	void shortGrantIsExtendedForTheCallerToWhichItWasPassedOn() {
		HeldLock held = pushed(Duration.ofSeconds(4));
		CompletableFuture<HeldLock> next = this.process.locks.acquireAsync("a");
		held.close();
		this.process.threads.run();
		assertThat(next.getNow(null).fencingToken()).isEqualTo(held.fencingToken() + 1);
		assertThat(this.process.store.renewed).isEmpty();
		this.process.advance(Duration.ofMillis(20));
		assertThat(this.process.store.renewed).hasSize(1);
		assertThat(next.getNow(null).remaining()).isGreaterThan(Duration.ofSeconds(20));
		next.getNow(null).close();
	}

	/** Its release waits for the extension, since the next caller has it then. */
	@Test
	void shortGrantThatIsNoLongerFreshIsPassedOnOnceItIsExtended() {
		HeldLock held = pushed(Duration.ofSeconds(3));
		CompletableFuture<HeldLock> next = this.process.locks.acquireAsync("a");
		this.process.clock.advance(Duration.ofSeconds(1));
		held.close();
		assertThat(this.process.store.renewed).isEmpty();
		assertThat(this.process.store.released).isEmpty();
		this.process.threads.run();
		assertThat(this.process.store.renewed).hasSize(1);
		assertThat(next.getNow(null).fencingToken()).isEqualTo(held.fencingToken() + 1);
		next.getNow(null).close();
	}

	@Test
	void shutdownReleasesWhatWaitedForItsFirstRenewal() {
		HeldLock held = pushed(Duration.ofSeconds(3));
		CompletableFuture<HeldLock> next = this.process.locks.acquireAsync("a");
		this.process.clock.advance(Duration.ofSeconds(1));
		held.close();
		AtomicBoolean idle = new AtomicBoolean();
		this.process.locks.drain(() -> idle.set(true));
		assertThat(idle).isFalse();
		this.process.threads.run();
		assertThat(idle).isTrue();
		assertThat(next).isCompletedExceptionally();
		assertThat(this.process.store.released).hasSize(1);
	}

	/**
	 * The lock is lost after the body has ended, and before the store has the release.
	 */
	@Test
	void lossBetweenTheEndAndTheReleaseIsReported() {
		HeldLock held = this.process.acquire("a");
		this.process.store.beforeRelease = () -> this.process.locks.inspector().forceRelease("", new LockKey("a"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
		this.process.threads.run();
		assertLossAndEndAreReported();
		assertThat(this.process.store.local.size()).isZero();
	}

	/** The extension that the release waits for detects the loss. */
	@Test
	void lossThatIsDetectedByTheExtensionBeforeTheReleaseIsReported() {
		HeldLock held = pushed(Duration.ofSeconds(3));
		CompletableFuture<HeldLock> next = this.process.locks.acquireAsync("a");
		this.process.clock.advance(Duration.ofSeconds(1));
		this.process.store.local.lose(new LockKey("a"));
		held.close();
		this.process.threads.run();
		assertLossAndEndAreReported();
		next.getNow(null).close();
	}

	/** A lock that was kept after its body had ended was not lost by that body. */
	@Test
	void lossDuringTheMinHoldAfterTheEndIsNotReported() {
		this.process = new SteppedService(63, Duration.ofHours(1), false);
		HeldLock held = this.process.locks.acquire("a",
				this.process.options().toBuilder().minHold(Duration.ofSeconds(2)).build());
		held.close();
		this.process.locks.inspector().forceRelease("", new LockKey("a"));
		this.process.advance(Duration.ofSeconds(3));
		assertThat(this.process.events).doesNotHaveAnyElementsOfTypes(LockEvent.HoldLost.class);
		assertThat(this.process.events.stream().filter(LockEvent.HoldEnded.class::isInstance)).hasSize(1);
	}

	private void assertLossAndEndAreReported() {
		for (Class<?> kind : List.of(LockEvent.HoldLost.class, LockEvent.HoldEnded.class)) {
			Awaitility.await()
				.untilAsserted(() -> assertThat(this.process.events).filteredOn(kind::isInstance).hasSize(1));
		}
	}

	/** Return a lock that the store hands to a caller that waits for it. */
	private HeldLock pushed(Duration lease) {
		this.process.store.pushed = lease;
		CompletableFuture<HeldLock> acquired = this.process.await("a", this.process.options());
		this.process.store.pushed = null;
		return acquired.getNow(null);
	}

	private static void assertLost(HeldLock held) {
		assertThat(held.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
	}

	/** The message about a forced release elsewhere overtakes the response. */
	@Test
	void grantThatIsRevokedBeforeTheResponseIsNotHandedOut() {
		HeldLock held = acquireDuring((granted) -> {
			this.process.store.local.forceRelease(new LockKey("a"));
			this.process.store.reports.revoked(granted.number(), (claim) -> true);
		});
		assertThat(this.process.locks.isCurrent("a", held.fencingToken())).isTrue();
		assertThat(this.process.store.requested).hasSize(2);
		held.close();
	}

	@Test
	void grantThatIsReleasedByForceBeforeTheResponseIsNotHandedOut() {
		HeldLock held = acquireDuring((granted) -> this.process.locks.inspector().forceRelease("", new LockKey("a")));
		assertThat(this.process.locks.isCurrent("a", held.fencingToken())).isTrue();
		assertThat(this.process.store.requested).hasSize(2);
		held.close();
	}

	@Test
	void claimIsNotRequestedAgainIfTheGrantOfAnotherOneIsRevoked() {
		acquireDuring((granted) -> this.process.store.reports.revoked(granted.number(), (claim) -> false)).close();
		assertThat(this.process.store.requested).hasSize(1);
	}

	/** Acquire a lock, and do something before its response arrives. */
	private HeldLock acquireDuring(Consumer<AcquisitionOutcome.Granted> meanwhile) {
		this.process.store.response = (response) -> {
			this.process.store.response = UnaryOperator.identity();
			meanwhile.accept((AcquisitionOutcome.Granted) response);
			this.process.threads.run();
			return response;
		};
		return this.process.await("a", this.process.options()).getNow(null);
	}

}
