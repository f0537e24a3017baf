package io.leasehold.engine.local;

import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.test.contract.ResponseTimeContract;
import io.leasehold.test.contract.DelegatingEngine;
import io.leasehold.test.contract.MovingClock;

/**
 * Late responses of {@link LocalLockEngine}, whose store goes by a clock of its own.
 */
class LocalResponseTimeTests extends ResponseTimeContract {

	@Override
	protected LockEngine connect(String namespace, Member member, MovingClock clock) {
		return new Remote(new LocalLockEngine(System::nanoTime), clock);
	}

	/**
	 * The store's responses in the time of a process whose clock differs from the
	 * store's.
	 */
	private static final class Remote extends DelegatingEngine {

		private final MovingClock clock;

		Remote(LockEngine engine, MovingClock clock) {
			super(engine);
			this.clock = clock;
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			long ahead = ahead();
			AcquisitionOutcome attempt = super.tryAcquire(claim);
			this.clock.responded();
			return (attempt instanceof AcquisitionOutcome.Granted granted)
					? new AcquisitionOutcome.Granted(granted.number(), granted.validUntil() + ahead) : attempt;
		}

		@Override
		public List<RenewalOutcome> renew(List<Renewal> renewals) {
			long ahead = ahead();
			List<RenewalOutcome> outcomes = super.renew(renewals);
			this.clock.responded();
			return outcomes.stream()
				.map((outcome) -> (outcome instanceof RenewalOutcome.Renewed renewed)
						? new RenewalOutcome.Renewed(renewed.validUntil() + ahead) : outcome)
				.toList();
		}

		@Override
		public ReleaseOutcome release(Claim claim) {
			ReleaseOutcome outcome = super.release(claim);
			this.clock.responded();
			return outcome;
		}

		@Override
		public List<Holder> inspect(LockKey key) {
			List<Holder> holders = super.inspect(key);
			this.clock.responded();
			return holders;
		}

		private long ahead() {
			return this.clock.nanoTime() - System.nanoTime();
		}

	}

}
