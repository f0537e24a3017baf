package io.leasehold.engine.cas;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Owner;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.support.Deadlines;
import io.leasehold.engine.support.OpenState;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Engine that stores each lock as one entry of a {@link CompareAndSetStore}. A process
 * may replace the entry of another one after it has seen it unchanged for the lease, by
 * its own monotonic clock; the clock of the store only removes idle entries. An
 * acquisition and a release need a read and a write each, more if other processes change
 * the entry at the same time. Waiting claims poll, and are notified if the store reports
 * changes.
 * <p>
 * Locks are as safe as the store's writes. Grant numbers increase with the processes'
 * wall clocks if the store loses an entry, so methods cannot be fenced. Thread-safe.
 */
public final class CasLockEngine implements LockEngine, AutoCloseable {

	private static final Log logger = LogFactory.getLog(CasLockEngine.class);

	private static final Runnable NOTHING = () -> {
	};

	private final String name;

	private final CompareAndSetStore store;

	private final CasSettings settings;

	private final MonotonicClock clock;

	private final LongSupplier wallClock;

	private final Duration maxLease;

	private final OpenState state;

	private final Attempts attempts;

	private final Renewer renewer;

	/**
	 * Owners whose write had no response, so that it may still happen, until no caller
	 * has them any more.
	 */
	private final Set<Owner> late = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

	/**
	 * Create an engine.
	 * @param name name of the engine, a lower-case word
	 * @param store the store, closed with the engine if it is {@link AutoCloseable}
	 * @param settings settings of the engine
	 * @param clock monotonic clock of the service
	 */
	public CasLockEngine(String name, CompareAndSetStore store, CasSettings settings, MonotonicClock clock) {
		this(name, store, settings, clock, Micros::wallClock);
	}

	CasLockEngine(String name, CompareAndSetStore store, CasSettings settings, MonotonicClock clock,
			LongSupplier wallClock) {
		this.name = name;
		this.store = store;
		this.settings = settings;
		this.clock = clock;
		this.wallClock = wallClock;
		this.maxLease = Attempts.longestWithin(store.maxTimeToLive());
		this.state = new OpenState(name);
		this.attempts = new Attempts(store, settings, clock, new StoreKeys(settings.namespace()), new Sights(clock),
				this.state, name);
		this.renewer = new Renewer(name);
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public @Nullable String location() {
		return this.store.location();
	}

	@Override
	public Set<Capability> capabilities() {
		return this.store.isPunctual()
				? Set.of(Capability.SHARED, Capability.PERMITS, Capability.MIN_HOLD, Capability.LOCK_DELAY)
				: Set.of(Capability.SHARED, Capability.PERMITS);
	}

	@Override
	public boolean numbersAlwaysGrow() {
		return false;
	}

	@Override
	public Duration minLease() {
		return this.settings.minLease();
	}

	@Override
	public Duration maxLease() {
		return this.maxLease;
	}

	@Override
	public AcquisitionOutcome tryAcquire(Claim claim) {
		return this.attempts.change("acquire", claim.key(), () -> this.late.add(claim.owner()),
				(sight) -> acquisition(claim).decide(sight));
	}

	private Acquisition acquisition(Claim claim) {
		return new Acquisition(this.settings, claim, this.clock.nanoTime() - claim.since(), this.wallClock);
	}

	@Override
	public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
		this.state.check(claim.key());
		Runnable retry = () -> listener.accept(new Signal.Retry());
		Subscription subscription = null;
		try {
			subscription = this.store.watch(this.attempts.storeKey(claim.key()), retry);
			if (subscription == null) {
				return Subscription.POLLING;
			}
			if (!isBusy(claim)) {
				retry.run();
			}
			return subscription;
		}
		catch (Exception ex) {
			logger.debug("Could not watch lock '%s' on engine '%s'; polling".formatted(claim.key(), this.name), ex);
			if (subscription != null) {
				subscription.close();
			}
			return Subscription.POLLING;
		}
	}

	/** Return whether a key is still busy for a claim; a failure is left to its retry. */
	private boolean isBusy(Claim claim) {
		try {
			Sight sight = this.attempts.read("wait for", claim.key());
			return acquisition(claim).decide(sight).result().apply(0) instanceof AcquisitionOutcome.Busy;
		}
		catch (LockEngineException ex) {
			return false;
		}
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		if (this.state.isClosed()) {
			return this.state.unknown(renewals);
		}
		long deadline = Deadlines.after(this.settings.callTimeout());
		return this.renewer.renew(renewals, (renewal) -> this.store.part(this.attempts.storeKey(renewal.claim().key())),
				(renewal) -> renew(renewal, deadline));
	}

	private RenewalOutcome renew(Renewal renewal, long deadline) {
		if (Deadlines.left(deadline) <= 0) {
			return new RenewalOutcome.Unknown(new TimeoutException("The renewals before it took too long"));
		}
		Owner owner = renewal.claim().owner();
		try {
			RenewalOutcome outcome = this.attempts.change("renew", renewal.claim().key(), () -> this.late.add(owner),
					(sight) -> Places.renew(sight, renewal));
			if (outcome instanceof RenewalOutcome.Renewed) {
				this.late.remove(owner); // earlier writes expect another record
			}
			return outcome;
		}
		catch (RuntimeException ex) {
			return new RenewalOutcome.Unknown(ex);
		}
	}

	@Override
	public ReleaseOutcome release(Claim claim) {
		Owner owner = claim.owner();
		boolean write = this.late.contains(owner);
		ReleaseOutcome outcome = this.attempts.change("release", claim.key(), NOTHING,
				(sight) -> Places.release(sight, claim, write, this.settings.pollMax()));
		this.late.remove(owner);
		return outcome;
	}

	@Override
	public List<Holder> inspect(LockKey key) {
		Sight sight = this.attempts.read("inspect", key);
		return Places.held(sight).stream().map((place) -> holder(sight, place)).toList();
	}

	@Override
	public List<Holder> forceRelease(LockKey key) {
		return this.attempts.change("force the release of", key, NOTHING, (sight) -> {
			Step<List<Place>> step = Places.releaseAll(sight);
			return new Step<>(step.next(), step.optional(),
					(sent) -> step.result().apply(sent).stream().map((place) -> holder(sight, place)).toList());
		});
	}

	private static Holder holder(Sight sight, Place place) {
		return Holder.of(place.owner(), place.number(), Instant.ofEpochMilli(place.since()),
				Micros.toDuration(sight.leaseLeft(place)));
	}

	/** Return how many owners are known whose requests had no response. */
	int ownersWithoutResponse() {
		return this.late.size();
	}

	/** Return how many keys the engine remembers. */
	int size() {
		return this.attempts.size();
	}

	@Override
	public void close() {
		this.state.close();
		this.renewer.close();
		if (this.store instanceof AutoCloseable closeable) {
			try {
				closeable.close();
			}
			catch (Exception ex) {
				logger.warn("Could not close the store of engine '%s'".formatted(this.name), ex);
			}
		}
	}

}
