package io.leasehold.engine.local;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.HeldKeys;
import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.RevocationListener;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * Engine with locks in memory and the contract of a remote store: leases, a queue,
 * fencing tokens, and simulated faults. Only services of one JVM that share an instance
 * exclude each other. Thread-safe.
 */
public final class LocalLockEngine implements LockEngine {

	/** Name of this engine in the configuration. */
	public static final String NAME = "local";

	private static final Set<Capability> CAPABILITIES = Collections.unmodifiableSet(EnumSet.allOf(Capability.class));

	private static final Duration LEAST_LEASE = Duration.ofMillis(10);

	private static final long SWEEP_EVERY = Duration.ofSeconds(1).toNanos();

	private final MonotonicClock clock;

	private final LocalFaults faults = new LocalFaults();

	private final Slots slots = new Slots();

	/** Starts with the time, so that grant numbers also increase after a restart. */
	private final AtomicLong numbers = new AtomicLong(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));

	private final Subscriptions subscriptions = new Subscriptions();

	private final List<RevocationListener> listeners = new CopyOnWriteArrayList<>();

	private volatile long nextSweep;

	/** Create an engine with a separate store, whose leases end by the given clock. */
	public LocalLockEngine(MonotonicClock clock) {
		this.clock = clock;
		this.nextSweep = clock.nanoTime() + SWEEP_EVERY;
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Set<Capability> capabilities() {
		return CAPABILITIES;
	}

	@Override
	public Duration minLease() {
		return LEAST_LEASE;
	}

	/** Return the faults that this store can simulate, initially all off. */
	public LocalFaults faults() {
		return this.faults;
	}

	/** Lose a lock, as a store that lost its data does: its holder is not notified. */
	public void lose(LockKey key) {
		change(key, key, (engine, slot, same, now, notifications) -> {
			slot.lose();
			engine.serve(slot, now, notifications);
			return true;
		});
	}

	@Override
	public AcquisitionOutcome tryAcquire(Claim claim) {
		this.faults.beforeRequest(claim.key());
		long now = this.clock.nanoTime();
		sweep(now);
		AcquisitionOutcome outcome = change(claim.key(), claim, now, LocalLockEngine::request);
		this.faults.beforeReply(claim.key());
		return outcome;
	}

	@Override
	public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
		return change(claim.key(), claim, (engine, slot, waiting, now, notifications) -> {
			if (slot.mustRetry(waiting, now)) {
				notifications.add(() -> listener.accept(new Signal.Retry()));
			}
			return engine.subscriptions.add(waiting, listener);
		});
	}

	/**
	 * Add a listener, because several services may share this store. Each gets the
	 * reports about all claims.
	 */
	@Override
	public void reportRevocations(RevocationListener listener) {
		this.listeners.add(listener);
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		this.faults.beforeRenewals();
		List<RenewalOutcome> outcomes = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			outcomes.add(renew(renewal));
		}
		return outcomes;
	}

	@Override
	public ReleaseOutcome release(Claim claim) {
		this.faults.beforeRequest(claim.key());
		boolean owned = change(claim.key(), claim, LocalLockEngine::release);
		this.faults.beforeReply(claim.key());
		return owned ? ReleaseOutcome.RELEASED : new ReleaseOutcome.NotOwner();
	}

	@Override
	public List<Holder> inspect(LockKey key) {
		this.faults.beforeRequest(key);
		List<Holder> holders = this.slots.read(key, (slot) -> slot.holders(this.clock.nanoTime()));
		return (holders != null) ? holders : List.of();
	}

	@Override
	public List<Holder> forceRelease(LockKey key) {
		this.faults.beforeRequest(key);
		List<Holder> lost = change(key, key, (engine, slot, same, now, notifications) -> {
			List<Holder> holders = slot.holders(now);
			slot.free(now);
			engine.serve(slot, now, notifications);
			return holders;
		});
		this.faults.beforeReply(key);
		return lost;
	}

	@Override
	public KeptKeys keptKeys() {
		return new LocalKeptKeys(this.faults,
				(key) -> Optional.ofNullable(this.slots.read(key, (slot) -> slot.kept(this.clock.nanoTime()))),
				(key) -> endKept(key, null), (claim) -> endKept(claim.key(), claim));
	}

	/** End what keeps a key, or keep it for the minimum hold of a claim. */
	private Optional<KeptKeys.Kept> endKept(LockKey key, @Nullable Claim replacing) {
		return change(key, key, (engine, slot, same, now, notifications) -> {
			KeptKeys.Kept kept = slot.kept(now);
			if (kept != null) {
				slot.lose();
				if (replacing != null) {
					slot.keep(replacing, engine.numbers.incrementAndGet(), now);
				}
				engine.serve(slot, now, notifications);
			}
			return Optional.ofNullable(kept);
		});
	}

	@Override
	public HeldKeys heldKeys() {
		return new LocalHeldKeys(this.faults, this.slots, this.clock);
	}

	/** Return how many keys are held, awaited or kept locked. */
	public int size() {
		this.slots.keys().forEach((key) -> change(key, key, (engine, slot, same, now, notifications) -> {
			engine.serve(slot, now, notifications);
			return true;
		}));
		return this.slots.size();
	}

	private AcquisitionOutcome request(Slot slot, Claim claim, long now, List<Runnable> notifications) {
		AcquisitionOutcome.Granted own = slot.renew(claim, claim.lease().toNanos(), now);
		if (own != null) {
			return own;
		}
		Access contradiction = slot.contradictionOf(claim, now);
		if (contradiction != null) {
			slot.unqueue(claim.owner());
			serve(slot, now, notifications);
			return new AcquisitionOutcome.Contradicted(contradiction);
		}
		serve(slot, now, notifications);
		own = slot.renew(claim, claim.lease().toNanos(), now);
		if (own != null) {
			return own;
		}
		if (slot.head() == null && slot.isFreeFor(claim, now)) {
			return claim.lingers() ? grantLingering(slot, claim, now) : grant(slot, claim, now);
		}
		if (claim.waits()) {
			slot.enqueue(claim);
		}
		Claim lingering = slot.lingering(now);
		if (lingering != null) {
			notifications.add(() -> this.listeners.forEach((listener) -> listener.recalled(lingering)));
		}
		return new AcquisitionOutcome.Busy(slot.retryIn(claim, now), lingering != null);
	}

	private boolean release(Slot slot, Claim claim, long now, List<Runnable> notifications) {
		boolean released = slot.release(claim.owner(), now);
		serve(slot, now, notifications);
		return released;
	}

	/**
	 * Grant the key to waiters in their order while their access is compatible. Notify
	 * the next one if it may have to retry earlier than planned.
	 */
	private void serve(Slot slot, long now, List<Runnable> notifications) {
		Slot.Waiter head = slot.head();
		while (head != null && slot.isFreeFor(head.claim, now)) {
			this.subscriptions.addNotification(head.claim, new Signal.Pushed(grant(slot, head.claim, now)),
					notifications);
			head = slot.head();
		}
		if (head != null && slot.isLate(head, now)) {
			this.subscriptions.addNotification(head.claim, new Signal.Retry(), notifications);
		}
	}

	private AcquisitionOutcome.Granted grant(Slot slot, Claim claim, long now) {
		return slot.grant(claim, this.numbers.incrementAndGet(), false, now);
	}

	private AcquisitionOutcome.Granted grantLingering(Slot slot, Claim claim, long now) {
		int reserved = AcquisitionOutcome.Granted.RESERVED;
		return slot.grant(claim, this.numbers.addAndGet(1 + reserved) - reserved, true, now);
	}

	private RenewalOutcome renew(Renewal renewal) {
		LockKey key = renewal.claim().key();
		try {
			this.faults.beforeRequest(key);
			long now = this.clock.nanoTime();
			AcquisitionOutcome.Granted granted = this.slots.read(key,
					(slot) -> slot.renew(renewal.claim(), renewal.lease().toNanos(), now));
			this.faults.beforeReply(key);
			return (granted != null && granted.number() == renewal.number())
					? new RenewalOutcome.Renewed(granted.validUntil()) : new RenewalOutcome.NotOwner();
		}
		catch (LockEngineException ex) {
			return new RenewalOutcome.Unknown(ex);
		}
	}

	private <A, T> T change(LockKey key, A argument, Change<A, T> change) {
		return change(key, argument, this.clock.nanoTime(), change);
	}

	/** Change a key's slot under its monitor, then notify waiters outside it. */
	private <A, T> T change(LockKey key, A argument, long now, Change<A, T> change) {
		while (true) {
			Slot slot = this.slots.get(key);
			List<Runnable> notifications = new ArrayList<>(0);
			T result;
			synchronized (slot) {
				if (slot.gone) {
					continue;
				}
				result = change.apply(this, slot, argument, now, notifications);
				if (slot.isUnused(now)) {
					slot.gone = true;
					this.slots.remove(key, slot);
				}
			}
			notifications.forEach(Runnable::run);
			return result;
		}
	}

	private void sweep(long now) {
		if (now - this.nextSweep >= 0) {
			this.nextSweep = now + SWEEP_EVERY;
			size();
		}
	}

	/** Takes all its inputs as arguments, to avoid a capturing lambda per call. */
	private interface Change<A, T> {

		T apply(LocalLockEngine engine, Slot slot, A argument, long now, List<Runnable> notifications);

	}

}
