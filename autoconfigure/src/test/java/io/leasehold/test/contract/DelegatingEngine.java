package io.leasehold.test.contract;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.HeldKeys;
import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.RevocationListener;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;

/**
 * An engine that delegates to another one, and that tests extend to inject faults.
 */
public abstract class DelegatingEngine implements LockEngine {

	private final LockEngine engine;

	protected DelegatingEngine(LockEngine engine) {
		this.engine = engine;
	}

	@Override
	public String name() {
		return this.engine.name();
	}

	@Override
	public Set<Capability> capabilities() {
		return this.engine.capabilities();
	}

	@Override
	public Duration minLease() {
		return this.engine.minLease();
	}

	@Override
	public Duration maxLease() {
		return this.engine.maxLease();
	}

	@Override
	public boolean numbersAlwaysGrow() {
		return this.engine.numbersAlwaysGrow();
	}

	@Override
	public @Nullable KeptKeys keptKeys() {
		return this.engine.keptKeys();
	}

	@Override
	public AcquisitionOutcome tryAcquire(Claim claim) {
		return this.engine.tryAcquire(claim);
	}

	@Override
	public void reportRevocations(RevocationListener listener) {
		this.engine.reportRevocations(listener);
	}

	@Override
	public void subscribeToRecalls() {
		this.engine.subscribeToRecalls();
	}

	@Override
	public boolean receivesRecalls() {
		return this.engine.receivesRecalls();
	}

	@Override
	public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
		return this.engine.subscribe(claim, listener);
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		return this.engine.renew(renewals);
	}

	@Override
	public boolean inDoubt(Claim claim) {
		return this.engine.inDoubt(claim);
	}

	@Override
	public ReleaseOutcome release(Claim claim) {
		return this.engine.release(claim);
	}

	@Override
	public List<Holder> inspect(LockKey key) {
		return this.engine.inspect(key);
	}

	@Override
	public @Nullable HeldKeys heldKeys() {
		return this.engine.heldKeys();
	}

	@Override
	public List<Holder> forceRelease(LockKey key) {
		return this.engine.forceRelease(key);
	}

}
