package io.leasehold.test.contract;

import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.leasehold.Proof;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.LockEngine;
import io.leasehold.test.contract.ContractIsProvenTests.ContractTest;
import io.leasehold.test.contract.ContractIsProvenTests.Sound;

/**
 * The contract finds bugs of leases and grant numbers, as {@link ContractIsProvenTests}
 * shows for exclusion.
 */
@Tag("full")
class LeaseContractIsProvenTests {

	@ParameterizedTest(name = "{0}: {1}")
	@MethodSource("bugs")
	void contractFailsEngineWith(UnaryOperator<LockEngine> bug, ContractTest test) {
		Proof.requireFailure(() -> ContractIsProvenTests.run(bug, test));
	}

	static Stream<Arguments> bugs() {
		return Stream.of(
				bug("a grant number that stands still", SameNumber::new, "numbers",
						EngineContract::numbersGrowOverReleasesAndBetweenProcesses),
				bug("a grant number that restarts", RestartingNumber::new, "numbers",
						EngineContract::numbersGrowOverReleasesAndBetweenProcesses),
				bug("a grant number that restarts", RestartingNumber::new, "numbersAfterLoss",
						EngineContract::numbersGrowOverTheLossOfALock),
				bug("a grant number that restarts", RestartingNumber::new, "loss",
						LockEngineContract::formerHolderDoesNotTouchItsSuccessor),
				bug("a lease that ends early", ShortLease::new, "lease",
						ContractIsProvenTests.repeated(EngineContract::leaseOfASilentOwnerEnds)),
				bug("a lease that ends late", LateEnd::new, "lease",
						ContractIsProvenTests.patient(EngineContract::leaseOfASilentOwnerEnds)),
				bug("a min hold that is not kept", NoMinHold::new, "minHold",
						EngineKeysContract::releasedKeyStaysLockedForItsMinHold),
				bug("a min hold that is not kept", NoMinHold::new, "minHoldOfAnOrphan",
						ContractIsProvenTests.repeated(EngineKeysContract::keyOfASilentOwnerStaysLocked)));
	}

	private static Arguments bug(String description, UnaryOperator<LockEngine> bug, String name, ContractTest test) {
		return ContractIsProvenTests.bug(description, bug, name, test);
	}

	private static final class SameNumber extends Sound {

		SameNumber(LockEngine store) {
			super(store);
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			return (super.tryAcquire(claim) instanceof Granted granted) ? new Granted(1, granted.validUntil())
					: new Busy(Duration.ofMillis(10));
		}

	}

	/** Counts anew when a key was free. */
	private static final class RestartingNumber extends Sound {

		RestartingNumber(LockEngine store) {
			super(store);
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			long before = inspect(claim.key()).stream().mapToLong(Holder::number).findFirst().orElse(0);
			AcquisitionOutcome attempt = super.tryAcquire(claim);
			return (attempt instanceof Granted granted && granted.number() != before)
					? new Granted(1, granted.validUntil()) : attempt;
		}

	}

	private static final class ShortLease extends Sound {

		ShortLease(LockEngine store) {
			super(store);
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			return super.tryAcquire(new Claim(claim.key(), claim.owner(), claim.lease().dividedBy(5), claim.minHold(),
					claim.waits(), claim.since()));
		}

	}

	/** Ends leases later than this machine explains, however slow it is. */
	private static final class LateEnd extends Sound {

		private static volatile Pace granted = Pace.begin();

		LateEnd(LockEngine store) {
			super(store);
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			if (!inspect(claim.key()).isEmpty() && granted.elapsed()
				.compareTo(ContractIsProvenTests.SHORT_LEASE
					.plus(granted.slack(ContractIsProvenTests.LITTLE).multipliedBy(3))) > 0) {
				lose(claim.key());
			}
			AcquisitionOutcome attempt = super.tryAcquire(new Claim(claim.key(), claim.owner(), Duration.ofDays(1),
					claim.minHold(), claim.waits(), claim.since()));
			if (attempt instanceof Granted) {
				granted = Pace.begin();
				return attempt;
			}
			return new Busy(Duration.ofMillis(5));
		}

	}

	private static final class NoMinHold extends Sound {

		NoMinHold(LockEngine store) {
			super(store);
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			return super.tryAcquire(
					new Claim(claim.key(), claim.owner(), claim.lease(), Duration.ZERO, claim.waits(), claim.since()));
		}

	}

}
