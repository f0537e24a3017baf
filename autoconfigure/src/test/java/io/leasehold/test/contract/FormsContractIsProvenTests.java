package io.leasehold.test.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.leasehold.Proof;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Owner;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.test.contract.ContractIsProvenTests.ContractTest;
import io.leasehold.test.contract.ContractIsProvenTests.Sound;

/**
 * The contract finds bugs in the forms that an engine may have, as
 * {@link ContractIsProvenTests} shows for the lock of one owner.
 */
@Tag("full")
class FormsContractIsProvenTests {

	@ParameterizedTest(name = "{0}: {1}")
	@MethodSource("bugs")
	void contractFailsEngineWith(UnaryOperator<LockEngine> bug, ContractTest test) {
		Proof.requireFailure(() -> ContractIsProvenTests.run(bug, test));
	}

	static Stream<Arguments> bugs() {
		return Stream.of(
				bug("readers one after the other", access(Access.SHARED, Access.EXCLUSIVE), "readers",
						EngineFormsContract::readersShareAKeyAndExcludeAWriter),
				bug("readers one after the other", access(Access.SHARED, Access.EXCLUSIVE), "waiting readers",
						EngineFormsContract::allWaitingReadersAreGrantedTogether),
				bug("writers beside readers", access(Access.EXCLUSIVE, Access.SHARED), "readers",
						EngineFormsContract::readersShareAKeyAndExcludeAWriter),
				bug("writers beside readers", access(Access.EXCLUSIVE, Access.SHARED), "crowd",
						ServiceFormsContract::readersAndWritersOfTwoProcessesExcludeEachOther),
				bug("writers that leave no trace while they wait", changed(FormsContractIsProvenTests::polling),
						"late reader", EngineFormsContract::readerDoesNotPassAWaitingWriter),
				bug("writers that leave no trace while they wait", changed(FormsContractIsProvenTests::polling),
						"late reader of a service",
						ServiceFormsContract::waitingWriterIsServedBeforeReadersThatComeLater),
				bug("more permits than there are", access(Access.permits(2), Access.permits(20)), "permits",
						EngineFormsContract::permitsAreCountedOverProcesses),
				bug("more permits than there are", access(Access.permits(2), Access.permits(20)), "crowd",
						ServiceFormsContract::permitsOfTwoProcessesAreNeverMoreThanThereAre),
				bug("permits of any number beside each other", access(Access.permits(3), Access.permits(2)),
						"another number", EngineFormsContract::anotherNumberOfPermitsIsRefusedWhileOneIsHeld),
				bug("permits of any number beside each other", access(Access.permits(3), Access.permits(2)),
						"another number in a service",
						ServiceFormsContract::anotherNumberOfPermitsIsRefusedToEveryWaitingCaller),
				bug("one lease for all readers", OneLeaseForAll::new, "silent reader",
						EngineFormsContract::silentReaderIsOverWhileAnotherGoesOn),
				bug("a lock delay that is none", lockDelay(Duration.ZERO), "vanished owner",
						repeated(EngineFormsContract::keyOfAVanishedOwnerStaysUnavailableForTheLockDelay)),
				bug("a lock delay that is none", lockDelay(Duration.ZERO), "lost hold",
						repeated(ServiceFormsContract::keyOfALostHoldStaysUnavailableForTheLockDelay)),
				bug("a lock delay that is part of the lease", changed(FormsContractIsProvenTests::longer), "validity",
						EngineFormsContract::cleanReleaseEndsTheLockDelay),
				bug("a min hold of one owner only", changed(FormsContractIsProvenTests::withoutMinHold), "permit",
						EngineFormsContract::releasedPermitStaysTakenForItsMinHold));
	}

	private static ContractTest repeated(ContractTest test) {
		return ContractIsProvenTests.repeated(test);
	}

	private static Arguments bug(String description, UnaryOperator<LockEngine> bug, String name, ContractTest test) {
		return ContractIsProvenTests.bug(description, bug, name, test);
	}

	private static UnaryOperator<LockEngine> access(Access meant, Access done) {
		return changed((claim) -> claim.access().equals(meant)
				? change(claim, done, claim.lease(), claim.lockDelay(), claim.minHold(), claim.waits()) : claim);
	}

	private static UnaryOperator<LockEngine> lockDelay(Duration done) {
		return changed((claim) -> change(claim, claim.access(), claim.lease(), done, claim.minHold(), claim.waits()));
	}

	private static Claim polling(Claim claim) {
		return change(claim, claim.access(), claim.lease(), claim.lockDelay(), claim.minHold(), false);
	}

	private static Claim longer(Claim claim) {
		return change(claim, claim.access(), claim.lease().plus(claim.lockDelay()), Duration.ZERO, claim.minHold(),
				claim.waits());
	}

	private static Claim withoutMinHold(Claim claim) {
		return (claim.access() == Access.EXCLUSIVE) ? claim
				: change(claim, claim.access(), claim.lease(), claim.lockDelay(), Duration.ZERO, claim.waits());
	}

	private static Claim change(Claim claim, Access access, Duration lease, Duration lockDelay, Duration minHold,
			boolean waits) {
		return new Claim(claim.key(), claim.owner(), Terms.of(access, lease, minHold, lockDelay), waits, claim.since());
	}

	private static UnaryOperator<LockEngine> changed(UnaryOperator<Claim> change) {
		return (engine) -> new OtherClaim(engine, change);
	}

	/** An engine that carries out a changed request. */
	private static final class OtherClaim extends Sound {

		private final UnaryOperator<Claim> change;

		OtherClaim(LockEngine store, UnaryOperator<Claim> change) {
			super(store);
			this.change = change;
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			return super.tryAcquire(this.change.apply(claim));
		}

	}

	/** A key's owners live by each other's renewals. */
	private static final class OneLeaseForAll extends Sound {

		private static final Map<Owner, Renewal> GRANTS = new ConcurrentHashMap<>();

		OneLeaseForAll(LockEngine store) {
			super(store);
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			AcquisitionOutcome attempt = super.tryAcquire(claim);
			if (attempt instanceof AcquisitionOutcome.Granted granted) {
				GRANTS.put(claim.owner(), new Renewal(claim, granted.number(), claim.lease()));
			}
			return attempt;
		}

		@Override
		public List<RenewalOutcome> renew(List<Renewal> renewals) {
			super.renew(new ArrayList<>(GRANTS.values()));
			return super.renew(renewals);
		}

	}

}
