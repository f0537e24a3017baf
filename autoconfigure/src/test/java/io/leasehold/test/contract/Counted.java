package io.leasehold.test.contract;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;

/**
 * An engine whose requests are counted.
 */
final class Counted extends DelegatingEngine {

	private final Requests requests;

	Counted(LockEngine engine, Requests requests) {
		super(engine);
		this.requests = requests;
	}

	@Override
	public AcquisitionOutcome tryAcquire(Claim claim) {
		this.requests.attempts.incrementAndGet();
		return super.tryAcquire(claim);
	}

	@Override
	public List<RenewalOutcome> renew(List<Renewal> renewals) {
		this.requests.others.incrementAndGet();
		return super.renew(renewals);
	}

	@Override
	public ReleaseOutcome release(Claim claim) {
		this.requests.others.incrementAndGet();
		return super.release(claim);
	}

	/**
	 * The requests of one or several engines.
	 */
	static final class Requests {

		private final AtomicInteger attempts = new AtomicInteger();

		private final AtomicInteger others = new AtomicInteger();

		int attempts() {
			return this.attempts.get();
		}

		int count() {
			return this.attempts.get() + this.others.get();
		}

		void reset() {
			this.attempts.set(0);
			this.others.set(0);
		}

	}

}
