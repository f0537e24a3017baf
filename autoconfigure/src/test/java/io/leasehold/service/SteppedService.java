package io.leasehold.service;

import io.leasehold.test.contract.Terms;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Holder;
import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ManualClock;
import io.leasehold.engine.Member;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.RevocationListener;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.event.LockEvent;
import io.leasehold.test.contract.DelegatingEngine;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one process, whose clock, threads and store do nothing that a test does
 * not let them do. Confined to the test's thread.
 */
final class SteppedService implements AutoCloseable {

	static final Duration LEASE = Duration.ofSeconds(30);

	/** How long a lease is believed in, from its request on. */
	static final Duration BELIEVED = Duration.ofMillis(29_698);

	private static final LockOptions DEFAULTS = new LockOptions("test", "local", LEASE, Duration.ofMinutes(10),
			Duration.ZERO, LockOptions.UNLIMITED);

	final ManualClock clock = new ManualClock();

	final long start = this.clock.nanoTime();

	final SteppedThreads threads = new SteppedThreads("stepped", this.clock);

	final Store store;

	final List<LockEvent> events = new CopyOnWriteArrayList<>();

	final LockService locks;

	SteppedService() {
		this(63, Duration.ofHours(1), true);
	}

	/**
	 * Create a process.
	 * @param handoffs how often a grant is passed on
	 * @param handoffTime how long a grant is passed on
	 * @param keepsMinHold whether the store enforces the minimum hold
	 */
	SteppedService(int handoffs, Duration handoffTime, boolean keepsMinHold) {
		this(new ServiceSettings(DEFAULTS, OnLost.THROW, handoffs, handoffTime), keepsMinHold);
	}

	/** Create a process that warns of long waits. */
	SteppedService(Duration slowWait) {
		this(new ServiceSettings(DEFAULTS, OnLost.THROW, 63, Duration.ofHours(1), LockOptions.UNLIMITED, slowWait,
				HolderReport.AFTER_WAIT, DeadlockPolicy.WARN), true);
	}

	private SteppedService(ServiceSettings settings, boolean keepsMinHold) {
		this.store = new Store(new LocalLockEngine(this.clock), keepsMinHold);
		this.locks = new LockService(settings, List.of(this.store), Member.of("test"), this.clock,
				List.of(this.events::add), ReleaseTiming.IMMEDIATE, (engine) -> this.threads, BlockingWaiter::new);
	}

	LockOptions options() {
		return this.locks.defaults();
	}

	HeldLock acquire(String key) {
		return this.locks.acquire(key);
	}

	/** Begin to wait for a lock. */
	CompletableFuture<HeldLock> await(String key, LockOptions options) {
		CompletableFuture<HeldLock> result = this.locks.acquireAsync(key, options);
		this.threads.run();
		return result;
	}

	/** Let time pass, and run each timer when it is due. */
	void advance(Duration by) {
		this.threads.advance(by);
	}

	/** Return how much time has passed. */
	Duration now() {
		return Duration.ofNanos(this.clock.nanoTime() - this.start);
	}

	@Override
	public void close() {
		this.locks.close();
	}

	/** The renewal of a lease, as the store receives it. */
	record Renewed(Duration at, Duration lease, String key) {
	}

	/** Writes down what is requested when, and responds what a test wants. */
	final class Store extends DelegatingEngine {

		final LocalLockEngine local;

		final List<Duration> requested = new ArrayList<>();

		final List<Claim> claims = new ArrayList<>();

		final List<Renewed> renewed = new ArrayList<>();

		final List<Duration> released = new ArrayList<>();

		/** How often it was tested whether the store responds. */
		int probes;

		/** How often holders were read. */
		int inspected;

		boolean inDoubt;

		/** Called once, before this process learns whether a grant is in doubt. */
		Runnable beforeDoubt = () -> {
		};

		/** Called once, before the store receives a release. */
		Runnable beforeRelease = () -> {
		};

		/** Receives the store's reports about grants. */
		RevocationListener reports = (number, claim) -> {
		};

		/** Called when this process subscribes to recalls. */
		Runnable subscribing = () -> {
		};

		private boolean subscribed;

		/** Whether no request has a response. */
		boolean silent;

		/** Whether releases and renewals find no owner, without a request. */
		boolean ownsNothing;

		/** Whether no recalls arrive. */
		boolean deaf;

		/** Receives the signals of the claim that began to wait last. */
		Consumer<Signal> listener = (signal) -> {
		};

		/** Number of claims that listen to the store. */
		int listening;

		/** Called when a claim has begun to listen, before its process knows. */
		Runnable enqueued = () -> {
		};

		/** With which lease a lock is handed to a caller that waits, if it is. */
		@Nullable Duration pushed;

		UnaryOperator<AcquisitionOutcome> response = UnaryOperator.identity();

		BiFunction<Renewal, RenewalOutcome, RenewalOutcome> renewal = (renewed, outcome) -> outcome;

		/** How long this process stands back after a release. */
		Duration standBack = Duration.ZERO;

		private final boolean keepsMinHold;

		Duration least = Duration.ofMillis(1);

		private Store(LocalLockEngine local, boolean keepsMinHold) {
			super(local);
			this.local = local;
			this.keepsMinHold = keepsMinHold;
		}

		/** Respond to no renewal from now on. */
		void renewNothing() {
			this.renewal = (renewed, outcome) -> new RenewalOutcome.Unknown(new IllegalStateException("silent"));
		}

		/** Let another process hold a key. */
		Claim holdElsewhere(String key, Access access) {
			Claim claim = new Claim(new LockKey(key), Member.of("other").newOwner(),
					Terms.of(access, Duration.ofHours(1), Duration.ZERO, Duration.ZERO), false,
					SteppedService.this.clock.nanoTime());
			this.local.tryAcquire(claim);
			return claim;
		}

		/** Return a reading of the clock in the future. */
		long in(Duration time) {
			return SteppedService.this.clock.nanoTime() + time.toNanos();
		}

		@Override
		public List<Holder> inspect(LockKey key) {
			this.inspected++;
			return super.inspect(key);
		}

		@Override
		public Set<Capability> capabilities() {
			Set<Capability> all = EnumSet.copyOf(super.capabilities());
			if (!this.keepsMinHold) {
				all.remove(Capability.MIN_HOLD);
			}
			return all;
		}

		@Override
		public Duration minLease() {
			return this.least;
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			if (isProbe(claim)) {
				this.probes++;
			}
			else {
				this.requested.add(now());
			}
			this.claims.add(claim);
			requireResponse(claim);
			AcquisitionOutcome attempt = super.tryAcquire(claim);
			return (this.pushed != null) ? new AcquisitionOutcome.Busy(DEFAULTS.waitTime())
					: this.response.apply(attempt);
		}

		@Override
		public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
			this.listener = listener;
			if (this.pushed == null) {
				Subscription waiting = super.subscribe(claim, listener);
				this.listening++;
				this.enqueued.run();
				return () -> {
					this.listening--;
					waiting.close();
				};
			}
			AcquisitionOutcome.Granted granted = (AcquisitionOutcome.Granted) super.tryAcquire(claim);
			listener.accept(new Signal.Pushed(new AcquisitionOutcome.Granted(granted.number(), in(this.pushed))));
			return Subscription.POLLING;
		}

		@Override
		public List<RenewalOutcome> renew(List<Renewal> due) {
			due.forEach((one) -> this.renewed.add(new Renewed(now(), one.lease(), one.claim().key().value())));
			List<RenewalOutcome> outcomes = new ArrayList<>(super.renew(due));
			for (int i = 0; i < due.size(); i++) {
				outcomes.set(i, this.renewal.apply(due.get(i), outcomes.get(i)));
			}
			return outcomes;
		}

		/** Whether a claim only shows whether the store responds. */
		private static boolean isProbe(Claim claim) {
			return claim.key().value().startsWith("leasehold:health:");
		}

		private void requireResponse(Claim claim) {
			if (this.silent) {
				throw new LockEngineException(claim.key(), "no response", null);
			}
		}

		@Override
		public boolean inDoubt(Claim claim) {
			Runnable hook = this.beforeDoubt;
			this.beforeDoubt = () -> {
			};
			hook.run();
			return this.inDoubt;
		}

		@Override
		public void reportRevocations(RevocationListener listener) {
			this.reports = listener;
			super.reportRevocations(listener);
		}

		@Override
		public void subscribeToRecalls() {
			this.subscribing.run();
			this.subscribed = true;
		}

		@Override
		public boolean receivesRecalls() {
			return this.subscribed && !this.deaf;
		}

		@Override
		public ReleaseOutcome release(Claim claim) {
			if (this.ownsNothing) {
				return new ReleaseOutcome.NotOwner();
			}
			Runnable hook = this.beforeRelease;
			this.beforeRelease = () -> {
			};
			hook.run();
			if (!isProbe(claim)) {
				this.released.add(now());
			}
			requireResponse(claim);
			ReleaseOutcome outcome = super.release(claim);
			return (outcome instanceof ReleaseOutcome.Released) ? new ReleaseOutcome.Released(this.standBack) : outcome;
		}

	}

}
