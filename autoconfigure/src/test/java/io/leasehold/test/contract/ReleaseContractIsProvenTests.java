package io.leasehold.test.contract;

import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.Proof;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.test.contract.ContractIsProvenTests.ContractTest;
import io.leasehold.test.contract.ContractIsProvenTests.Sound;

/**
 * The contract finds bugs of renewals and releases, as {@link ContractIsProvenTests}
 * shows for exclusion.
 */
@Tag("full")
class ReleaseContractIsProvenTests {

	@ParameterizedTest(name = "{0}: {1}")
	@MethodSource("bugs")
	void contractFailsEngineWith(UnaryOperator<LockEngine> bug, ContractTest test) {
		Proof.requireFailure(() -> ContractIsProvenTests.run(bug, test));
	}

	static Stream<Arguments> bugs() {
		return Stream.of(
				bug("a release without owner check", ReleaseOfAnybody::new, "repeatedRelease",
						EngineContract::releaseMayBeRepeated),
				bug("a release without owner check", ReleaseOfAnybody::new, "formerOwner",
						EngineContract::formerOwnerCanNeitherRenewNorRelease),
				bug("a renewal without owner check", BlindRenewal::new, "lostLock",
						EngineContract::renewalOfALostLockIsRejectedAndCreatesNothing),
				bug("a renewal that shortens the lease", BlindRenewal::new, "shorter",
						EngineContract::renewalNeverShortensALease),
				bug("a renewal that always succeeds", RenewalThatAlwaysSucceeds::new, "loss",
						LockEngineContract::lossIsReportedAndThrown),
				bug("a batch that ends with its first failure", BatchOfOneFate::new, "batch",
						EngineContract::batchReportsTheOutcomeOfEachLease),
				bug("a release that always succeeds", ReleaseThatAlwaysSucceeds::new, "lossAtRelease",
						LockEngineContract::lossIsFoundAtTheReleaseAtTheLatest),
				bug("a release that always succeeds", ReleaseThatAlwaysSucceeds::new, "suspended",
						LockEngineContract::locksOfProcessesThatStoodStillAreLost),
				bug("a renewal without owner check", BlindRenewal::new, "expired",
						EngineContract::expiredLeaseIsNeitherRenewedNorReleased),
				bug("a release without owner check", ReleaseOfAnybody::new, "successor",
						LockEngineContract::formerHolderDoesNotTouchItsSuccessor),
				bug("a forced release that only inspects", ForceThatInspects::new, "force",
						EngineKeysContract::forcedReleaseTakesTheKeyFromItsOwnerAndServesTheNext),
				bug("a forced release that only inspects", ForceThatInspects::new, "free key",
						EngineKeysContract::forcedReleaseOfAFreeKeyChangesNothing),
				bug("a renewal that always succeeds", RenewalThatAlwaysSucceeds::new, "forcedLoss",
						LockEngineContract::nextRenewalReportsAForcedReleaseToTheHolder),
				bug("a release without owner check", ReleaseOfAnybody::new, "stranger",
						EngineContract::strangerCanNeitherRenewNorRelease),
				bug("a closed engine that is an outage", OutageWhenClosed::new, "closed",
						EngineFormsContract::closedEngineFailsEachRequestWithTheNameOfItsLock),
				bug("a closed engine that is an outage", OutageWhenClosed::new, "callers",
						ServiceFaultsContract::closedEngineFailsItsCallersAtOnce));
	}

	private static Arguments bug(String description, UnaryOperator<LockEngine> bug, String name, ContractTest test) {
		return ContractIsProvenTests.bug(description, bug, name, test);
	}

	/** The exception is retryable, although no retry can succeed. */
	private static final class OutageWhenClosed extends Sound implements AutoCloseable {

		private volatile boolean closed;

		OutageWhenClosed(LockEngine store) {
			super(store);
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			if (this.closed) {
				throw new LockEngineException(claim.key(),
						"Lock '%s' is unavailable: engine '%s' is closed".formatted(claim.key(), name()), null);
			}
			return super.tryAcquire(claim);
		}

		@Override
		public void close() {
			this.closed = true;
		}

	}

	private static final class ReleaseOfAnybody extends Sound {

		ReleaseOfAnybody(LockEngine store) {
			super(store);
		}

		@Override
		public ReleaseOutcome release(Claim claim) {
			boolean held = !inspect(claim.key()).isEmpty();
			lose(claim.key());
			return held ? ReleaseOutcome.RELEASED : new ReleaseOutcome.NotOwner();
		}

	}

	private static final class BlindRenewal extends Sound {

		BlindRenewal(LockEngine store) {
			super(store);
		}

		@Override
		public List<RenewalOutcome> renew(List<Renewal> renewals) {
			return renewals.stream().map(this::renew).toList();
		}

		private RenewalOutcome renew(Renewal renewal) {
			Claim claim = renewal.claim();
			lose(claim.key());
			AcquisitionOutcome attempt = tryAcquire(new Claim(claim.key(), claim.owner(), renewal.lease(),
					claim.minHold(), claim.waits(), claim.since()));
			return new RenewalOutcome.Renewed(((Granted) attempt).validUntil());
		}

	}

	private static final class RenewalThatAlwaysSucceeds extends Sound {

		RenewalThatAlwaysSucceeds(LockEngine store) {
			super(store);
		}

		@Override
		public List<RenewalOutcome> renew(List<Renewal> renewals) {
			super.renew(renewals);
			return renewals.stream()
				.<RenewalOutcome>map((renewal) -> new RenewalOutcome.Renewed(
						MonotonicClock.validUntil(System.nanoTime(), renewal.lease())))
				.toList();
		}

	}

	private static final class BatchOfOneFate extends Sound {

		BatchOfOneFate(LockEngine store) {
			super(store);
		}

		@Override
		public List<RenewalOutcome> renew(List<Renewal> renewals) {
			List<RenewalOutcome> outcomes = super.renew(renewals);
			return outcomes.stream()
				.filter(RenewalOutcome.NotOwner.class::isInstance)
				.findFirst()
				.map((failure) -> Collections.nCopies(outcomes.size(), failure))
				.orElse(outcomes);
		}

	}

	private static final class ReleaseThatAlwaysSucceeds extends Sound {

		ReleaseThatAlwaysSucceeds(LockEngine store) {
			super(store);
		}

		@Override
		public ReleaseOutcome release(Claim claim) {
			super.release(claim);
			return ReleaseOutcome.RELEASED;
		}

	}

	private static final class ForceThatInspects extends Sound {

		ForceThatInspects(LockEngine store) {
			super(store);
		}

		@Override
		public List<Holder> forceRelease(LockKey key) {
			return inspect(key);
		}

	}

}
