package io.leasehold.engine.local;

import java.util.List;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.leadership.Candidate;
import io.leasehold.leadership.LeaderFaultsContract;
import io.leasehold.leadership.Route;
import io.leasehold.test.contract.DelegatingEngine;

/**
 * Leaders that a {@link LocalLockEngine} elects, whose instances have a network each.
 */
class LocalLeaderFaultsTests extends LeaderFaultsContract {

	private final LocalLockEngine store = new LocalLockEngine(MonotonicClock.SYSTEM);

	@Override
	protected Route connect(String namespace, Member member) {
		return new Network(this.store);
	}

	@Override
	protected void empty(String namespace) {
		this.store.lose(Candidate.keyOf("billing"));
	}

	/** Fails all requests of an instance while it is cut. */
	private static final class Network extends DelegatingEngine implements Route {

		private volatile boolean cut;

		private Network(LockEngine store) {
			super(store);
		}

		@Override
		public LockEngine engine() {
			return this;
		}

		@Override
		public void cut() {
			this.cut = true;
		}

		@Override
		public void refuse() {
			this.cut = true;
		}

		@Override
		public void heal() {
			this.cut = false;
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			check(claim.key());
			return super.tryAcquire(claim);
		}

		@Override
		public List<RenewalOutcome> renew(List<Renewal> renewals) {
			renewals.forEach((renewal) -> check(renewal.claim().key()));
			return super.renew(renewals);
		}

		@Override
		public ReleaseOutcome release(Claim claim) {
			check(claim.key());
			return super.release(claim);
		}

		private void check(LockKey key) {
			if (this.cut) {
				throw new LockEngineException(key, "The network is cut", null);
			}
		}

		@Override
		public void close() {
			heal();
		}

	}

}
