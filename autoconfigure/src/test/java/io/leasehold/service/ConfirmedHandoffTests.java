package io.leasehold.service;

import io.leasehold.test.contract.Terms;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.VirtualClock;
import io.leasehold.test.contract.DelegatingEngine;
import io.leasehold.test.contract.Fault;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A lock is passed on inside a process only if the store has confirmed it no longer than
 * a renewal period ago.
 */
class ConfirmedHandoffTests {

	private static final String KEY = "a";

	private static final Duration LEASE = Duration.ofMinutes(10);

	private final VirtualClock clock = new VirtualClock();

	private final LocalLockEngine store = new LocalLockEngine(this.clock);

	private final AtomicInteger renewals = new AtomicInteger();

	/** Before the response to a request for the lock. */
	private Runnable beforeResponse = () -> {
	};

	/** Until when a grant is valid, if not as the store says. */
	private Supplier<Duration> granted = () -> LEASE;

	private volatile boolean renews = true;

	private volatile boolean polls;

	private final AtomicInteger requested = new AtomicInteger();

	private final LockService service = service(new Interrupted(this.store));

	@AfterEach
	void close() {
		this.service.close();
	}

	/** The lock is lost in the store, and the store does not respond the renewal. */
	@Fault(139)
	@Test
	void lostLockIsNotPassedOnAfterItsRenewalWasDue() {
		this.renews = false;
		HeldLock held = this.service.acquire(KEY);
		CompletableFuture<HeldLock> next = this.service.acquireAsync(KEY);
		this.store.lose(new LockKey(KEY));
		HeldLock other = this.service.acquire("unused");
		try (LockService elsewhere = service(this.store)) {
			other.close();
			other = elsewhere.acquire(KEY);
			other.close();
		}
		this.clock.advance(LEASE.dividedBy(3));
		held.close();
		HeldLock successor = next.join();
		assertThat(successor.fencingToken()).isGreaterThan(other.fencingToken());
		successor.close();
	}

	/** A renewal period counts from when the request was sent, not from its response. */
	@Fault(139)
	@Test
	void grantWhoseResponseWasLateIsNotPassedOn() {
		this.beforeResponse = () -> this.clock.advance(LEASE.dividedBy(3));
		HeldLock held = this.service.acquire(KEY);
		this.beforeResponse = () -> {
		};
		this.renews = false;
		CompletableFuture<HeldLock> next = this.service.acquireAsync(KEY);
		held.close();
		assertThat(grantOf(next)).isGreaterThan(held.fencingToken() / 64);
	}

	/** What counts is the poll that was granted, not the first request of the claim. */
	@Test
	void grantOfALatePollIsPassedOn() {
		CompletableFuture<HeldLock> polled;
		CompletableFuture<HeldLock> next;
		try (LockService elsewhere = service(this.store)) {
			HeldLock first = elsewhere.acquire(KEY);
			this.polls = true;
			polled = this.service.acquireAsync(KEY);
			next = this.service.acquireAsync(KEY);
			Awaitility.await().until(() -> this.requested.get() > 1);
			this.clock.advance(LEASE.dividedBy(3));
			int before = this.requested.get();
			// The first request that ends from now on may have been sent before
			Awaitility.await().until(() -> this.requested.get() > before + 1);
			first.close();
		}
		HeldLock held = polled.join();
		held.close();
		assertThat(grantOf(next)).isEqualTo(held.fencingToken() / 64);
	}

	@Test
	void grantThatWasRenewedIsPassedOn() {
		HeldLock held = this.service.acquire(KEY);
		CompletableFuture<HeldLock> next = this.service.acquireAsync(KEY);
		this.clock.advance(LEASE.dividedBy(3));
		Awaitility.await().until(() -> held.remaining().compareTo(LEASE.multipliedBy(9).dividedBy(10)) > 0);
		held.close();
		assertThat(grantOf(next)).isEqualTo(held.fencingToken() / 64);
	}

	/** A renewal with a late response counts from its sending. */
	@Fault(139)
	@Test
	void grantWhoseRenewalHadALateResponseIsNotPassedOn() {
		HeldLock held = this.service.acquire(KEY);
		CompletableFuture<HeldLock> next = this.service.acquireAsync(KEY);
		this.beforeResponse = () -> this.clock.advance(LEASE.dividedBy(3));
		this.clock.advance(LEASE.dividedBy(3));
		Awaitility.await().until(() -> held.remaining().compareTo(LEASE.dividedBy(2)) > 0 && this.renewals.get() == 1);
		this.renews = false;
		this.beforeResponse = () -> {
		};
		held.close();
		assertThat(grantOf(next)).isGreaterThan(held.fencingToken() / 64);
	}

	/** As with a store that knows sessions, which may be shorter than a lease. */
	@Test
	void passDoesNotPutOffTheRenewal() {
		this.granted = () -> LEASE.multipliedBy(6).dividedBy(10);
		HeldLock held = this.service.acquire(KEY);
		CompletableFuture<HeldLock> next = this.service.acquireAsync(KEY);
		this.clock.advance(LEASE.multipliedBy(8).dividedBy(100));
		held.close();
		HeldLock passed = next.join();
		assertThat(passed.fencingToken()).isEqualTo(held.fencingToken() + 1);
		this.clock.advance(LEASE.multipliedBy(14).dividedBy(100));
		Awaitility.await().until(() -> this.renewals.get() == 1);
		passed.close();
	}

	/** The claim was made for a caller that gave up. */
	@Test
	void grantWithALongerLeaseThanItsHoldersIsRenewedInTime() {
		HeldLock first;
		CompletableFuture<HeldLock> next;
		LockOptions shorter = this.service.defaults().toBuilder().lease(LEASE.dividedBy(10)).build();
		try (LockService elsewhere = service(this.store)) {
			first = elsewhere.acquire(KEY);
			CompletableFuture<HeldLock> abandoned = this.service.acquireAsync(KEY);
			next = this.service.acquireAsync(KEY, shorter);
			abandoned.cancel(false);
			first.close();
		}
		HeldLock held = next.join();
		this.clock.advance(shorter.lease().multipliedBy(2).dividedBy(5));
		Awaitility.await().until(() -> this.renewals.get() > 0);
		held.close();
	}

	private static long grantOf(CompletableFuture<HeldLock> next) {
		HeldLock held = next.join();
		held.close();
		return held.fencingToken() / 64;
	}

	private LockService service(LockEngine engine) {
		LockOptions defaults = new LockOptions("test", "local", LEASE, LEASE, Duration.ZERO, LockOptions.UNLIMITED);
		return new LockService(new ServiceSettings(defaults, OnLost.WARN, 63, Duration.ofHours(1)), List.of(engine),
				Member.of("test"), this.clock, List.of(), ReleaseTiming.IMMEDIATE);
	}

	/** What becomes of requests between the service and the store. */
	private final class Interrupted extends DelegatingEngine {

		Interrupted(LockEngine engine) {
			super(engine);
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			if (ConfirmedHandoffTests.this.polls) {
				ConfirmedHandoffTests.this.requested.incrementAndGet();
				return poll(claim);
			}
			AcquisitionOutcome attempt = super.tryAcquire(claim);
			long validUntil = ConfirmedHandoffTests.this.clock.nanoTime()
					+ ConfirmedHandoffTests.this.granted.get().toNanos();
			ConfirmedHandoffTests.this.beforeResponse.run();
			return (attempt instanceof AcquisitionOutcome.Granted response)
					? new AcquisitionOutcome.Granted(response.number(), Math.min(response.validUntil(), validUntil))
					: attempt;
		}

		/** Without a place in the store's queue. */
		private AcquisitionOutcome poll(Claim claim) {
			AcquisitionOutcome attempt = super.tryAcquire(new Claim(claim.key(), claim.owner(),
					Terms.of(claim.access(), claim.lease(), claim.minHold(), claim.lockDelay()), false, claim.since()));
			return (attempt instanceof AcquisitionOutcome.Busy) ? new AcquisitionOutcome.Busy(Duration.ofMillis(10))
					: attempt;
		}

		@Override
		public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
			return ConfirmedHandoffTests.this.polls ? Subscription.POLLING : super.subscribe(claim, listener);
		}

		@Override
		public List<RenewalOutcome> renew(List<Renewal> due) {
			if (!ConfirmedHandoffTests.this.renews) {
				return due.stream()
					.<RenewalOutcome>map((renewal) -> new RenewalOutcome.Unknown(new IllegalStateException("silent")))
					.toList();
			}
			List<RenewalOutcome> outcomes = super.renew(due);
			ConfirmedHandoffTests.this.beforeResponse.run();
			ConfirmedHandoffTests.this.renewals.incrementAndGet();
			return outcomes;
		}

	}

}
