package io.leasehold.sample.toy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.sample.toy.ToyStore.Entry;

/**
 * An engine that does what the contract asks of all, and nothing more: one owner at a
 * time, and who waits asks again and again. One of these stands for one process.
 */
public final class ToyLockEngine implements LockEngine {

	private static final Duration POLL = Duration.ofMillis(20);

	private final ToyStore store;

	private final MonotonicClock clock;

	/**
	 * Create an engine.
	 * @param store the store
	 * @param clock decides how long a grant may be believed in
	 */
	public ToyLockEngine(ToyStore store, MonotonicClock clock) {
		this.store = store;
		this.clock = clock;
	}

	@Override
	public String name() {
		return "toy";
	}

	@Override
	public Set<Capability> capabilities() {
		return Set.of();
	}

	@Override
	public Duration minLease() {
		return Duration.ofMillis(100);
	}

	@Override
	public AcquisitionOutcome tryAcquire(Claim claim) {
		long sent = this.clock.nanoTime(); // a lease counts from before the request
		Entry entry = this.store.take(claim.key(), claim.owner().token(), claim.lease());
		return entry.owner().equals(claim.owner().token())
				? new AcquisitionOutcome.Granted(entry.number(), MonotonicClock.validUntil(sent, claim.lease()))
				: new AcquisitionOutcome.Busy(POLL);
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		return renewals.stream().map(this::renew).toList();
	}

	private RenewalOutcome renew(Renewal renewal) {
		long sent = this.clock.nanoTime();
		boolean owned = this.store.extend(renewal.claim().key(), renewal.claim().owner().token(), renewal.lease());
		return owned ? new RenewalOutcome.Renewed(MonotonicClock.validUntil(sent, renewal.lease()))
				: new RenewalOutcome.NotOwner();
	}

	@Override
	public ReleaseOutcome release(Claim claim) {
		boolean owned = this.store.free(claim.key(), claim.owner().token());
		return owned ? ReleaseOutcome.RELEASED : new ReleaseOutcome.NotOwner();
	}

	@Override
	public List<Holder> inspect(LockKey key) {
		return Optional.ofNullable(this.store.find(key)).map(ToyLockEngine::holder).stream().toList();
	}

	@Override
	public List<Holder> forceRelease(LockKey key) {
		return Optional.ofNullable(this.store.free(key)).map(ToyLockEngine::holder).stream().toList();
	}

	private static Holder holder(Entry entry) {
		return Holder.of(entry.owner(), entry.number(), entry.since(), entry.remaining());
	}

}
