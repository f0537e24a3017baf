package io.leasehold.test.contract;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
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
import io.leasehold.engine.Owner;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.test.contract.ContractIsProvenTests.Contract;
import io.leasehold.test.contract.ContractIsProvenTests.ContractTest;
import io.leasehold.test.contract.ContractIsProvenTests.Sound;

/**
 * The contract finds bugs of waiting claims and their signals, as
 * {@link ContractIsProvenTests} shows for exclusion.
 */
@Tag("full")
class WaitContractIsProvenTests {

	@ParameterizedTest(name = "{0}: {1}")
	@MethodSource("bugs")
	void contractFailsEngineWith(UnaryOperator<LockEngine> bug, ContractTest test) {
		Proof.requireFailure(() -> ContractIsProvenTests.run(bug, test));
	}

	static Stream<Arguments> bugs() {
		return Stream.of(
				bug("a wait that is not ended", ForgottenWaits::new, "abandonedWait",
						EngineWaitsContract::abandonedWaitLeavesNothing),
				bug("a wait that is not ended", ForgottenWaits::new, "timeout",
						LockEngineContract::waitTimeIsKeptAndNothingIsLeft),
				bug("a wait that is not ended", ForgottenWaits::new, "interrupt",
						LockEngineContract::interruptEndsTheWaitAndLeavesNothing),
				bug("a wait that is not ended", ForgottenWaits::new, "trouble",
						WaitContractIsProvenTests::nothingIsLeftAfterManyFailures),
				bug("a wait that is not ended", ForgottenWaits::new, "turn",
						EngineWaitsContract::abandonedWaitLeavesItsTurnToTheNext),
				bug("waiters that receive no signals", NoSignals::new, "dead waiter",
						EngineWaitsContract::waiterThatDiedDelaysTheNextByItsLeaseAtMost),
				bug("a release that comes late", LateRelease::new, "late subscription",
						ContractIsProvenTests.patient(EngineWaitsContract::releaseBeforeTheSubscriptionIsNotMissed)),
				bug("a release that comes late", LateRelease::new, "turn",
						ContractIsProvenTests.patient(EngineWaitsContract::abandonedWaitLeavesItsTurnToTheNext)),
				bug("a subscription that does not close", OpenSubscription::new, "close",
						EngineWaitsContract::closedSubscriptionReceivesNoSignal),
				bug("signals only for subscribers", MissedSignals::new, "late subscription",
						EngineWaitsContract::releaseBeforeTheSubscriptionIsNotMissed),
				bug("waiters that receive no signals", NoSignals::new, "waiter of a forced release",
						EngineKeysContract::forcedReleaseTakesTheKeyFromItsOwnerAndServesTheNext),
				bug("a queue that is none", LastComeFirstServed::new, "queue",
						EngineWaitsContract::everyWaitingClaimIsServed),
				bug("waiters that receive no signals", NoSignals::new, "wake",
						EngineWaitsContract::waitingClaimIsServedAfterARelease),
				bug("waiters that receive no signals and do not poll", NoPolls::new, "poll",
						ServiceFaultsContract::releaseWithoutANotificationIsDetectedByAPoll),
				bug("a wait that is not ended", ForgottenWaits::new, "late grant",
						ServiceFaultsContract::waitThatEndsAsTheLockIsGrantedOwnsItOrLeavesNothing));
	}

	private static Arguments bug(String description, UnaryOperator<LockEngine> bug, String name, ContractTest test) {
		return ContractIsProvenTests.bug(description, bug, name, test);
	}

	/** Its failures are random, so it runs several times. */
	private static void nothingIsLeftAfterManyFailures(Contract contract) throws Exception {
		for (int i = 0; i < 20; i++) {
			contract.nothingIsLeftAfterManyFailures();
		}
	}

	private static final class ForgottenWaits extends Sound {

		ForgottenWaits(LockEngine store) {
			super(store);
		}

		@Override
		public ReleaseOutcome release(Claim claim) {
			boolean mine = renew(List.of(new Renewal(claim, number(claim), Duration.ofMillis(1))))
				.get(0) instanceof RenewalOutcome.Renewed;
			return mine ? super.release(claim) : new ReleaseOutcome.NotOwner();
		}

		private long number(Claim claim) {
			return inspect(claim.key()).stream().mapToLong(Holder::number).findFirst().orElse(0);
		}

	}

	/** Releases later than this machine explains, but reports the release at once. */
	private static final class LateRelease extends Sound {

		LateRelease(LockEngine store) {
			super(store);
		}

		@Override
		public ReleaseOutcome release(Claim claim) {
			Pace requested = Pace.begin();
			Thread late = new Thread(() -> {
				while (requested.elapsed()
					.compareTo(requested.slack(ContractIsProvenTests.LITTLE).multipliedBy(3)) < 0) {
					LockSupport.parkNanos(5_000_000);
				}
				super.release(claim);
			});
			late.start();
			return ReleaseOutcome.RELEASED;
		}

	}

	/** Lets waiters poll in an order that differs from the order of arrival. */
	private static final class LastComeFirstServed extends Sound {

		private static final Deque<Owner> ARRIVED = new ArrayDeque<>();

		LastComeFirstServed(LockEngine store) {
			super(store);
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			synchronized (ARRIVED) {
				if (claim.waits() && !ARRIVED.contains(claim.owner())) {
					ARRIVED.addLast(claim.owner());
				}
				Busy busy = new Busy(Duration.ofMillis(20));
				if (claim.waits() && ARRIVED.peekLast() != claim.owner()) {
					return busy;
				}
				AcquisitionOutcome attempt = super.tryAcquire(
						new Claim(claim.key(), claim.owner(), claim.lease(), claim.minHold(), false, claim.since()));
				return (attempt instanceof Granted) ? attempt : busy;
			}
		}

		@Override
		public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
			return Subscription.POLLING;
		}

		@Override
		public ReleaseOutcome release(Claim claim) {
			synchronized (ARRIVED) {
				ARRIVED.remove(claim.owner());
				return super.release(claim);
			}
		}

	}

	private static final class NoSignals extends Sound {

		NoSignals(LockEngine store) {
			super(store);
		}

		@Override
		public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
			return Subscription.POLLING;
		}

	}

	private static final class NoPolls extends Sound {

		NoPolls(LockEngine store) {
			super(store);
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			AcquisitionOutcome attempt = super.tryAcquire(claim);
			return (attempt instanceof Busy) ? new Busy(Duration.ofDays(1)) : attempt;
		}

	}

	private static final class OpenSubscription extends Sound {

		OpenSubscription(LockEngine store) {
			super(store);
		}

		@Override
		public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
			super.subscribe(claim, listener);
			return Subscription.POLLING;
		}

	}

	/** Sends no signal for a release before the subscription. */
	private static final class MissedSignals extends Sound {

		MissedSignals(LockEngine store) {
			super(store);
		}

		@Override
		public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
			return super.subscribe(claim, (signal) -> {
				if (signal instanceof Signal.Pushed) {
					listener.accept(signal);
				}
			});
		}

	}

}
