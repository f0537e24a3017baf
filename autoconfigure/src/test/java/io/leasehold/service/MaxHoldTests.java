package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
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
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The longest hold time is a maximum, whatever the lease is, and wherever the grant comes
 * from.
 */
class MaxHoldTests {

	private static final Duration LEASE = Duration.ofMinutes(10);

	private static final Duration MAX_HOLD = Duration.ofMinutes(2);

	private final VirtualClock clock = new VirtualClock();

	private final Recorder store = new Recorder(new LocalLockEngine(this.clock));

	private final LockService service = service(this.store);

	private final LockOptions limited = this.service.defaults().toBuilder().maxHold(MAX_HOLD).build();

	@AfterEach
	void close() {
		this.service.close();
	}

	/** A longest hold time that is shorter than the lease ends both. */
	@Fault(137)
	@Test
	void maxHoldShorterThanTheLeaseEndsBeliefAndLease() throws Exception {
		HeldLock held = this.service.acquire("a", this.limited);
		CompletableFuture<LossCause> notified = new CompletableFuture<>();
		held.onLost((loss) -> notified.complete(loss.getLossCause()));
		assertThat(held.remaining()).isLessThanOrEqualTo(MAX_HOLD);
		this.clock.advance(MAX_HOLD.minusSeconds(10));
		assertThat(held.isValid()).isTrue();
		this.clock.advance(Duration.ofSeconds(10));
		assertThat(this.store.inspect(new LockKey("a"))).isEmpty();
		assertThat(held.isValid()).isFalse();
		assertThat(notified.get()).isEqualTo(LossCause.MAX_HOLD);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(LossCause.MAX_HOLD));
		assertThat(this.store.renewed).isEmpty();
	}

	@Fault(137)
	@Test
	void renewalRequestsNoMoreThanMayStillBeHeld() {
		Duration lease = Duration.ofMinutes(1);
		HeldLock held = this.service.acquire("a", this.limited.toBuilder().lease(lease).build());
		this.clock.advance(Duration.ofSeconds(30));
		Awaitility.await().until(() -> this.store.renewed.size() == 1);
		assertThat(this.store.renewed.get(0)).isEqualTo(lease);
		awaitRemaining(held, Duration.ofSeconds(35));
		this.clock.advance(Duration.ofSeconds(50));
		Awaitility.await().until(() -> this.store.renewed.size() == 2);
		assertThat(this.store.renewed.get(1)).isLessThanOrEqualTo(Duration.ofSeconds(40));
		awaitRemaining(held, Duration.ofSeconds(15));
		this.clock.advance(Duration.ofSeconds(40));
		assertThat(this.store.inspect(new LockKey("a"))).isEmpty();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(LossCause.MAX_HOLD));
		assertThat(this.store.renewed).hasSize(2);
	}

	private static void awaitRemaining(HeldLock held, Duration least) {
		Awaitility.await().until(() -> held.remaining().compareTo(least) > 0);
	}

	/** A lock that the store hands on comes with a short lease. */
	@Test
	void handedGrantIsExtendedToItsMaxHold() {
		this.store.pushed = Duration.ofSeconds(20);
		HeldLock first = service(this.store).acquire("a");
		CompletableFuture<HeldLock> next = this.service.acquireAsync("a", this.limited);
		Awaitility.await().until(() -> this.store.waiting == 1);
		first.close();
		HeldLock held = next.join();
		Awaitility.await().until(() -> !this.store.renewed.isEmpty());
		assertThat(this.store.renewed.get(0)).isLessThanOrEqualTo(MAX_HOLD);
		awaitRemaining(held, Duration.ofSeconds(100));
		assertThat(held.remaining()).isLessThanOrEqualTo(MAX_HOLD);
		held.close();
	}

	@Test
	void passedGrantStartsAHoldWithAMaxHoldOfItsOwn() {
		HeldLock first = this.service.acquire("a", this.limited.toBuilder().lease(MAX_HOLD).build());
		CompletableFuture<HeldLock> next = this.service.acquireAsync("a",
				this.limited.toBuilder().lease(MAX_HOLD).build());
		this.clock.advance(Duration.ofSeconds(30));
		first.close();
		HeldLock held = next.join();
		assertThat(held.fencingToken()).isEqualTo(first.fencingToken() + 1);
		this.clock.advance(Duration.ofSeconds(60));
		awaitRemaining(held, Duration.ofSeconds(50));
		this.clock.advance(Duration.ofSeconds(40));
		assertThat(held.isValid()).isTrue();
		this.clock.advance(Duration.ofSeconds(20));
		assertThat(held.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(LossCause.MAX_HOLD));
	}

	/** A store that knows sessions keeps a lock for as long as its process lives. */
	@Fault(137)
	@Test
	void grantThatOutlastsTheMaxHoldIsReleased() {
		this.store.least = LEASE.dividedBy(2);
		HeldLock held = this.service.acquire("a", this.limited);
		assertThat(held.remaining()).isLessThanOrEqualTo(MAX_HOLD);
		this.clock.advance(MAX_HOLD);
		assertThat(held.isValid()).isFalse();
		Awaitility.await().until(() -> this.store.inspect(new LockKey("a")).isEmpty());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(LossCause.MAX_HOLD));
	}

	/** A lease that ends early for want of renewals is no end of the hold time. */
	@Test
	void leaseThatEndsBeforeItsMaxHoldHasExpired() {
		HeldLock held = this.service.acquire("a", this.limited.toBuilder().lease(Duration.ofMinutes(1)).build());
		this.clock.advance(Duration.ofSeconds(61));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(LossCause.EXPIRED));
	}

	@Test
	void holdTimeThatCannotBeIsRefused() {
		HeldLock held = this.service.acquire("a", this.limited.toBuilder().minHold(Duration.ofSeconds(50)).build());
		assertThatIllegalArgumentException().isThrownBy(() -> held.extend(Duration.ofSeconds(-1)))
			.withMessage("maxHold must be between PT0.001S and %s, but is PT-1S", LockOptions.UNLIMITED);
		this.clock.advance(Duration.ofSeconds(20));
		assertThatIllegalArgumentException().isThrownBy(() -> held.extend(Duration.ofSeconds(10)))
			.withMessageStartingWith("maxHold PT10S ends before the minimum hold of lock 'a', which lasts PT");
		held.extend(Duration.ofSeconds(30));
		held.extend(LEASE);
		this.store.most = Duration.ofMinutes(5);
		assertThatIllegalArgumentException().isThrownBy(() -> held.extend(LEASE))
			.withMessageStartingWith("Lock 'test' requires a lease of PT10M, but engine 'local' supports at most PT5M");
		held.close();
		assertThatIllegalStateException().isThrownBy(() -> held.extend(LEASE))
			.withMessage("Lock 'a' is closed and cannot be extended");
	}

	private LockService service(LockEngine engine) {
		LockOptions defaults = new LockOptions("test", "local", LEASE, Duration.ofSeconds(30), Duration.ZERO,
				LockOptions.UNLIMITED);
		return new LockService(new ServiceSettings(defaults, OnLost.THROW, 63, Duration.ofHours(1)), List.of(engine),
				Member.of("test"), this.clock, List.of(), ReleaseTiming.IMMEDIATE);
	}

	/** Writes down what is asked for, and gives less or more. */
	private final class Recorder extends DelegatingEngine {

		private final List<Duration> renewed = new CopyOnWriteArrayList<>();

		private Duration least = Duration.ofMillis(1);

		private Duration most = LockOptions.UNLIMITED;

		private Duration pushed = Duration.ofDays(1);

		private volatile int waiting;

		Recorder(LockEngine engine) {
			super(engine);
		}

		@Override
		public Duration minLease() {
			return this.least;
		}

		@Override
		public Duration maxLease() {
			return this.most;
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			assertThat(claim.lease()).isGreaterThanOrEqualTo(this.least);
			return super.tryAcquire(claim);
		}

		@Override
		public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
			Subscription opened = super.subscribe(claim, (signal) -> listener.accept(shortened(signal)));
			this.waiting++;
			return opened;
		}

		private Signal shortened(Signal signal) {
			if (signal instanceof Signal.Pushed granted) {
				long until = MaxHoldTests.this.clock.nanoTime() + this.pushed.toNanos();
				return new Signal.Pushed(new AcquisitionOutcome.Granted(granted.grant().number(),
						Math.min(until, granted.grant().validUntil())));
			}
			return signal;
		}

		@Override
		public List<RenewalOutcome> renew(List<Renewal> renewals) {
			renewals.forEach((renewal) -> this.renewed.add(renewal.lease()));
			return super.renew(renewals);
		}

	}

}
