package io.leasehold.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

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

/**
 * Engine as an application could bring along, with a name of its own.
 */
public class StubEngine implements LockEngine {

	static final Duration MIN_LEASE = Duration.ofMillis(100);

	private final String name;

	private final AtomicLong numbers = new AtomicLong();

	private final ConcurrentMap<LockKey, Owner> owners = new ConcurrentHashMap<>();

	public StubEngine(String name) {
		this.name = name;
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public Set<Capability> capabilities() {
		return Set.of();
	}

	@Override
	public Duration minLease() {
		return MIN_LEASE;
	}

	@Override
	public AcquisitionOutcome tryAcquire(Claim claim) {
		Owner before = this.owners.putIfAbsent(claim.key(), claim.owner());
		if (before != null && before != claim.owner()) {
			return new AcquisitionOutcome.Busy(Duration.ofMillis(5));
		}
		return new AcquisitionOutcome.Granted(this.numbers.incrementAndGet(),
				MonotonicClock.validUntil(System.nanoTime(), claim.lease()));
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		return renewals.stream()
			.<RenewalOutcome>map((renewal) -> new RenewalOutcome.Renewed(
					MonotonicClock.validUntil(System.nanoTime(), renewal.lease())))
			.toList();
	}

	@Override
	public ReleaseOutcome release(Claim claim) {
		return this.owners.remove(claim.key(), claim.owner()) ? ReleaseOutcome.RELEASED : new ReleaseOutcome.NotOwner();
	}

	@Override
	public List<Holder> inspect(LockKey key) {
		return List.of();
	}

	@Override
	public List<Holder> forceRelease(LockKey key) {
		return List.of();
	}

}
