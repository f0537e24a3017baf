package io.leasehold.service;

import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.test.contract.Fault;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Grants that stay in their process after a release, to the nanosecond.
 */
class LingerTests {

	private static final Duration LINGER = Duration.ofSeconds(6);

	/** Half of the validity, which is shorter than the linger time by a margin. */
	private static final Duration STAY = Duration.ofMillis(2969);

	private static final Duration NANO = Duration.ofNanos(1);

	private final SteppedService process = new SteppedService();

	private final LockOptions options = this.process.options().toBuilder().linger(LINGER).build();

	@Test
	void grantOfARepeatedKeyIsEnteredWithoutARequest() {
		HeldLock parked = park();
		HeldLock entered = acquire();
		assertThat(this.process.store.requested).hasSize(2);
		assertThat(this.process.store.released).hasSize(1);
		assertThat(entered.fencingToken()).isEqualTo(parked.fencingToken() + 1);
		assertThat(entered.isValid()).isTrue();
		assertThat(parked.isValid()).isFalse();
		assertThat(this.process.locks.isCurrent("a", entered.fencingToken())).isTrue();
		entered.close();
	}

	@Test
	void firstGrantOfAKeyIsReleasedAtOnce() {
		acquire().close();
		assertThat(this.process.store.released).hasSize(1);
		assertThat(this.process.store.local.size()).isZero();
	}

	@Test
	void grantOfAKeyThatWasRequestedLongAgoIsReleasedAtOnce() {
		acquire().close();
		this.process.advance(LINGER.plus(NANO));
		acquire().close();
		assertThat(this.process.store.released).hasSize(2);
	}

	@Test
	void withoutALingerTimeEachGrantIsReleased() {
		for (int i = 1; i <= 3; i++) {
			this.process.acquire("a").close();
			assertThat(this.process.store.released).hasSize(i);
		}
	}

	@Test
	void parkedGrantIsEnteredUntilHalfOfItsLeaseHasPassed() {
		park();
		this.process.clock.advance(STAY.minus(NANO));
		acquire().close();
		assertThat(this.process.store.requested).hasSize(2);
	}

	@Test
	void parkedGrantIsNotEnteredAfterHalfOfItsLease() {
		HeldLock parked = park();
		this.process.clock.advance(STAY);
		HeldLock next = await(this.options);
		assertThat(this.process.store.requested).hasSize(3);
		assertThat(next.fencingToken()).isGreaterThan(parked.fencingToken() + 63);
		next.close();
	}

	@Test
	void parkedGrantIsReleasedAfterHalfOfItsLease() {
		park();
		this.process.advance(STAY.minus(NANO));
		assertThat(this.process.store.local.size()).isOne();
		this.process.advance(NANO);
		assertThat(this.process.store.local.size()).isZero();
		assertThat(this.process.locks.inspector().overview().parked()).isEmpty();
	}

	@Test
	void planOfAReturnDoesNotKeepAGrantThatWasReleased() {
		WeakReference<Object> grant = new WeakReference<>(((Handle) park()).hold.grant);
		this.process.store.local.tryAcquire(claim(true));
		this.process.threads.run();
		assertThat(this.process.locks.inspector().overview().parked()).isEmpty();
		Awaitility.await().until(() -> {
			System.gc();
			return grant.get() == null;
		});
	}

	/** As grants that are valid for a part of their session. */
	@Test
	void grantThatIsShorterThanItsLeaseIsEnteredForHalfOfItsValidity() {
		Duration valid = Duration.ofSeconds(1);
		shortenGrants(valid);
		park();
		this.process.clock.advance(valid.dividedBy(2).minus(NANO));
		acquire().close();
		assertThat(this.process.store.requested).hasSize(2);
		this.process.clock.advance(NANO);
		await(this.options).close();
		assertThat(this.process.store.requested).hasSize(3);
	}

	@Test
	void grantThatIsShorterThanItsLeaseIsNotEnteredAfterTheMachineWasSuspended() {
		Duration valid = Duration.ofSeconds(1);
		shortenGrants(valid);
		park();
		this.process.clock.suspend(valid.dividedBy(4).plus(NANO));
		await(this.options).close();
		assertThat(this.process.store.requested).hasSize(3);
	}

	private void shortenGrants(Duration valid) {
		this.process.store.response = (response) -> (response instanceof AcquisitionOutcome.Granted granted)
				? new AcquisitionOutcome.Granted(granted.number(), this.process.store.in(valid), granted.reserved())
				: response;
	}

	/** The end of the delay that was planned before has found nothing parked. */
	@Test
	void grantIsNotParkedIfHalfOfItsLeaseEndsWhileItsHolderCloses() {
		park();
		this.process.advance(STAY.minus(NANO));
		HeldLock entered = acquire();
		this.process.store.beforeDoubt = () -> this.process.advance(NANO);
		entered.close();
		this.process.threads.run();
		assertThat(this.process.locks.inspector().overview().parked()).isEmpty();
		assertThat(this.process.store.local.size()).isZero();
	}

	@Test
	void grantThatIsParkedLateIsReleasedAfterHalfOfItsLease() {
		acquire().close();
		HeldLock held = acquire();
		Duration pause = Duration.ofSeconds(1);
		this.process.store.beforeDoubt = () -> this.process.advance(pause);
		held.close();
		assertThat(this.process.locks.inspector().overview().parked()).hasSize(1);
		this.process.advance(STAY.minus(pause));
		assertThat(this.process.store.local.size()).isZero();
	}

	@Test
	void grantWithAMovedMinimumHoldIsReleasedAtItsEnd() {
		acquire().close();
		HeldLock held = acquire();
		held.extend(LockOptions.UNLIMITED, Duration.ofSeconds(1));
		held.close();
		this.process.advance(Duration.ofSeconds(1).minus(NANO));
		assertThat(this.process.store.local.size()).isOne();
		this.process.advance(NANO);
		assertThat(this.process.store.local.size()).isZero();
	}

	@Test
	void grantInUseIsNotReleasedAfterHalfOfItsLease() {
		park();
		HeldLock entered = acquire();
		this.process.advance(STAY);
		assertThat(this.process.store.released).hasSize(1);
		assertThat(entered.isValid()).isTrue();
		entered.close();
		assertThat(this.process.store.released).hasSize(2);
	}

	@Test
	void parkedGrantIsReleasedWhenAnotherProcessWaits() {
		park();
		Claim other = claim(true);
		assertThat(this.process.store.local.tryAcquire(other)).isInstanceOf(AcquisitionOutcome.Busy.class);
		this.process.threads.run();
		assertThat(this.process.store.local.release(other)).isInstanceOf(ReleaseOutcome.Released.class);
	}

	@Test
	void grantInUseIsReleasedAfterARecall() {
		park();
		HeldLock entered = acquire();
		this.process.store.local.tryAcquire(claim(true));
		this.process.threads.run();
		assertThat(this.process.store.renewed).hasSize(1);
		assertThat(entered.isValid()).isTrue();
		entered.close();
		assertThat(this.process.store.released).hasSize(2);
	}

	/** Otherwise requests that do not wait would each wait for the holder. */
	@Test
	void storeKnowsAfterARecallThatTheGrantIsInUse() {
		park();
		HeldLock entered = acquire();
		assertThat(((AcquisitionOutcome.Busy) this.process.store.local.tryAcquire(claim(false))).recalled()).isTrue();
		this.process.threads.run();
		assertThat(((AcquisitionOutcome.Busy) this.process.store.local.tryAcquire(claim(false))).recalled()).isFalse();
		entered.close();
	}

	@Fault(164)
	@Test
	void grantThatIsRecalledBeforeTheResponseIsNotParked() {
		acquire().close();
		this.process.store.response = (granted) -> {
			this.process.store.local.tryAcquire(claim(true));
			this.process.threads.run();
			return granted;
		};
		acquire().close();
		assertThat(this.process.store.released).hasSize(2);
	}

	@Test
	void storeKnowsThatAGrantIsInUseThatWasRecalledBeforeTheResponse() {
		acquire().close();
		this.process.store.response = (granted) -> {
			this.process.store.local.tryAcquire(claim(false));
			this.process.threads.run();
			return granted;
		};
		HeldLock held = acquire();
		assertStoreKnowsThatTheGrantIsInUse();
		held.close();
	}

	@Test
	void storeKnowsThatAGrantIsInUseThatACallerWithAnotherAccessAwaits() {
		park();
		HeldLock held = acquire();
		CompletableFuture<HeldLock> shared = this.process.await("a",
				this.options.toBuilder().mode(LockMode.SHARED).build());
		assertStoreKnowsThatTheGrantIsInUse();
		held.close();
		this.process.threads.run();
		shared.getNow(null).close();
	}

	private void assertStoreKnowsThatTheGrantIsInUse() {
		this.process.threads.run();
		assertThat(this.process.store.renewed).hasSize(1);
		assertThat(((AcquisitionOutcome.Busy) this.process.store.local.tryAcquire(claim(false))).recalled()).isFalse();
	}

	@Test
	void recalledKeyPausesForTheLingerTimeAndThenTwiceAsLong() {
		recall();
		this.process.advance(LINGER.minus(NANO));
		assertThat(lingers()).isFalse();
		this.process.advance(NANO);
		recall();
		this.process.advance(LINGER);
		assertThat(lingers()).isFalse();
		this.process.advance(LINGER);
		assertThat(lingers()).isTrue();
	}

	/** A claim that waits behind another process needs a request more if it lingers. */
	@Test
	void keyThatIsBusyPausesForTheLingerTimeAndThenTwiceAsLong() {
		park();
		this.process.advance(STAY);
		for (int factor = 1; factor <= 2; factor++) {
			Claim other = this.process.store.holdElsewhere("a", Access.EXCLUSIVE);
			CompletableFuture<HeldLock> waiting = this.process.await("a", this.options);
			assertThat(lastClaim().lingers()).isTrue();
			this.process.store.local.release(other);
			this.process.threads.run();
			waiting.join().close();
			for (int pause = 1; pause <= factor; pause++) {
				this.process.advance(LINGER.minus(NANO));
				assertThat(lingers()).isFalse();
				this.process.advance(NANO);
			}
		}
		assertThat(lingers()).isTrue();
	}

	private void recall() {
		park();
		Claim other = claim(true);
		this.process.store.local.tryAcquire(other);
		this.process.threads.run();
		assertThat(this.process.store.local.release(other)).isInstanceOf(ReleaseOutcome.Released.class);
	}

	/** Return whether the grant of the next acquisition lingers. */
	private boolean lingers() {
		acquire().close();
		return lastClaim().lingers();
	}

	private Claim lastClaim() {
		return this.process.store.claims.get(this.process.store.claims.size() - 1);
	}

	/** A renewal may arrive late and extend a parked grant. */
	@Test
	void grantIsReleasedOnceItsRenewalWasSent() {
		park();
		HeldLock entered = acquire();
		this.process.store.renewNothing();
		this.process.advance(LINGER.dividedBy(3));
		assertThat(this.process.store.renewed).isNotEmpty();
		entered.close();
		assertThat(this.process.store.released).hasSize(2);
	}

	@Test
	void eachEntryHasAGreaterTokenUntilTheGrantHasNoMore() {
		long last = park().fencingToken();
		for (int i = 2; i <= 2048; i++) {
			HeldLock entered = acquire();
			assertThat(entered.fencingToken()).isEqualTo(last + 1);
			assertThat(this.process.locks.isCurrent("a", entered.fencingToken())).isTrue();
			last = entered.fencingToken();
			entered.close();
		}
		assertThat(this.process.store.requested).hasSize(2);
		assertThat(this.process.store.released).hasSize(2);
		HeldLock next = acquire();
		assertThat(next.fencingToken()).isGreaterThan(last);
		next.close();
	}

	@Test
	void lingeringGrantIsPassedOnWithoutLimit() {
		park();
		HeldLock held = acquire();
		for (int i = 0; i < 100; i++) {
			CompletableFuture<HeldLock> next = this.process.await("a", this.options);
			held.close();
			this.process.threads.run();
			held = next.getNow(null);
		}
		held.close();
		assertThat(this.process.store.requested).hasSize(2);
	}

	@Fault(165)
	@Test
	void grantIsNotEnteredAfterTheMachineWasSuspended() {
		park();
		this.process.clock.suspend(STAY.dividedBy(2).plus(NANO));
		await(this.options).close();
		assertThat(this.process.store.requested).hasSize(3);
	}

	@Test
	void smallCorrectionOfTheWallClockChangesNothing() {
		this.process.clock.suspend(Duration.ofHours(1));
		park();
		this.process.clock.suspend(STAY.dividedBy(2));
		acquire().close();
		this.process.clock.suspend(STAY.negated());
		acquire().close();
		assertThat(this.process.store.requested).hasSize(2);
	}

	/** The caller before it has the key then. */
	@Test
	void callerThatDoesNotWaitIsBusyBehindOneThatAwaitsTheReleaseOfAParkedGrant() {
		park();
		this.process.store.deaf = true;
		CompletableFuture<HeldLock> first = this.process.locks.acquireAsync("a", this.options);
		CompletableFuture<HeldLock> second = this.process.locks.acquireAsync("a",
				this.options.toBuilder().waitTime(Duration.ZERO).build());
		this.process.threads.run();
		assertThat(second).isCompletedExceptionally();
		first.getNow(null).close();
	}

	@Test
	void grantIsNeitherParkedNorEnteredWhileNoRecallsArrive() {
		park();
		this.process.store.deaf = true;
		await(this.options).close();
		assertThat(this.process.store.requested).hasSize(3);
		assertThat(this.process.store.released).hasSize(3);
	}

	/** The subscription may start threads, or take long. */
	@Test
	void noGateIsLockedDuringTheSubscriptionToRecalls() {
		List<MonitorInfo> monitors = new ArrayList<>();
		AtomicInteger times = new AtomicInteger();
		this.process.store.subscribing = () -> {
			times.incrementAndGet();
			long[] thread = { Thread.currentThread().getId() };
			ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(thread, true, false)[0];
			monitors.addAll(List.of(info.getLockedMonitors()));
		};
		park();
		this.process.store.local.tryAcquire(claim(true));
		HeldLock held = await(this.options.toBuilder().waitTime(Duration.ofHours(1)).build());
		CompletableFuture<HeldLock> next = this.process.await("a", this.options);
		held.close();
		this.process.threads.run();
		next.getNow(null).close();
		assertThat(times).hasPositiveValue();
		assertThat(monitors).noneMatch((monitor) -> monitor.getClassName().startsWith("io.leasehold.service"));
	}

	@Test
	void parkedGrantIsEnteredWithoutASubscription() {
		park();
		this.process.store.subscribing = () -> {
			throw new AssertionError("unexpected");
		};
		acquire().close();
		assertThat(this.process.store.requested).hasSize(2);
	}

	@Test
	void withoutALingerTimeNoRecallsAreSubscribedTo() {
		this.process.store.subscribing = () -> {
			throw new AssertionError("unexpected");
		};
		this.process.acquire("a").close();
	}

	@Test
	void locksDoNotLingerIfTheSubscriptionToRecallsFails() {
		this.process.store.subscribing = () -> {
			throw new IllegalStateException("broken");
		};
		for (int i = 1; i <= 3; i++) {
			acquire().close();
			assertThat(this.process.store.released).hasSize(i);
		}
		this.process.store.subscribing = () -> {
		};
		acquire().close();
		acquire().close();
		assertThat(this.process.locks.inspector().overview().parked()).hasSize(1);
	}

	@Test
	void grantIsNeitherParkedNorEnteredInDoubt() {
		park();
		this.process.store.inDoubt = true;
		await(this.options).close();
		assertThat(this.process.store.requested).hasSize(3);
		assertThat(this.process.store.released).hasSize(3);
	}

	@Test
	void parkedGrantIsReleasedAtShutdown() {
		park();
		boolean[] idle = new boolean[1];
		this.process.locks.drain(() -> idle[0] = true);
		this.process.threads.run();
		assertThat(idle).containsExactly(true);
		assertThat(this.process.store.local.size()).isZero();
	}

	@Test
	void grantIsNotParkedDuringShutdown() {
		park();
		HeldLock entered = acquire();
		this.process.locks.drain(() -> {
		});
		entered.close();
		this.process.threads.run();
		assertThat(this.process.store.local.size()).isZero();
	}

	@Test
	void parkedGrantThatIsReleasedByForceIsNotEntered() {
		HeldLock parked = park();
		this.process.locks.inspector().forceRelease("", new LockKey("a"));
		HeldLock next = await(this.options);
		assertThat(next.fencingToken()).isGreaterThan(parked.fencingToken() + 63);
		next.close();
	}

	@Test
	void grantWhoseHolderClosesDuringItsRevocationIsNotParked() {
		park();
		HeldLock entered = acquire();
		revokeElsewhere(entered, entered::close);
		assertThat(this.process.locks.inspector().overview().parked()).isEmpty();
		assertThat(acquire().fencingToken()).isGreaterThan(entered.fencingToken() + 63);
	}

	@Test
	void grantThatIsEnteredDuringItsRevocationIsLost() {
		HeldLock parked = park();
		HeldLock[] entered = new HeldLock[1];
		revokeElsewhere(parked, () -> entered[0] = acquire());
		assertThat(entered[0].fencingToken()).isEqualTo(parked.fencingToken() + 1);
		assertThat(entered[0].isValid()).isFalse();
	}

	/** Revoke a grant, and do something once its process has begun to look for it. */
	private void revokeElsewhere(HeldLock of, Runnable meanwhile) {
		Runnable[] once = { meanwhile };
		this.process.store.local.forceRelease(new LockKey("a"));
		this.process.store.reports.revoked(of.fencingToken() / 64, (claim) -> {
			Runnable next = once[0];
			once[0] = () -> {
			};
			next.run();
			return true;
		});
		this.process.threads.run();
	}

	@Test
	void callerWithAnotherAccessWaitsForTheReleaseOfAParkedGrant() {
		park();
		await(this.options.toBuilder().mode(LockMode.SHARED).build()).close();
		assertThat(this.process.store.requested).hasSize(3);
		assertThat(this.process.store.released).hasSize(3);
	}

	@Test
	void callerThatDoesNotWaitGetsTheKeyAfterTheReleaseOfAParkedGrant() {
		park();
		LockOptions other = this.options.toBuilder().minHold(Duration.ofMillis(1)).waitTime(Duration.ZERO).build();
		await(other).close();
		assertThat(this.process.store.requested).hasSize(3);
	}

	@Test
	void callerWithoutALingerTimeEntersAndReleases() {
		park();
		this.process.acquire("a").close();
		assertThat(this.process.store.requested).hasSize(2);
		assertThat(this.process.store.released).hasSize(2);
	}

	@Test
	void holdThatEntersLateIsRenewedInTime() {
		park();
		this.process.advance(STAY.minus(NANO));
		HeldLock entered = acquire();
		this.process.advance(Duration.ofSeconds(20));
		assertThat(entered.isValid()).isTrue();
		entered.close();
	}

	@Test
	void operatorsSeeThatALockIsParked() {
		HeldLock parked = park();
		assertThat(this.process.locks.inspector().overview().held()).isEmpty();
		assertThat(this.process.locks.inspector().overview().parked()).singleElement().satisfies((lock) -> {
			assertThat(lock.key()).isEqualTo(new LockKey("a"));
			assertThat(lock.fencingToken()).isEqualTo(parked.fencingToken());
			assertThat(lock.remaining()).isEqualTo(STAY.multipliedBy(2));
		});
		assertThat(this.process.store.local.inspect(new LockKey("a"))).singleElement()
			.satisfies((holder) -> assertThat(holder.lingers()).isTrue());
	}

	/** Park a grant, and return its lock, which was closed. */
	private HeldLock park() {
		acquire().close();
		HeldLock parked = acquire();
		parked.close();
		return parked;
	}

	private HeldLock acquire() {
		return this.process.locks.acquire(new LockKey("a").value(), this.options);
	}

	private HeldLock await(LockOptions with) {
		HeldLock held = this.process.await("a", with).getNow(null);
		assertThat(held).isNotNull();
		return held;
	}

	private Claim claim(boolean waits) {
		return new Claim(new LockKey("a"), Member.of("other").newOwner(), this.process.options().terms(), waits,
				this.process.clock.nanoTime());
	}

}
