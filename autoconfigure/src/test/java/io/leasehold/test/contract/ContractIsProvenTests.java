package io.leasehold.test.contract;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Owner;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.local.LocalLockEngine;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The contract finds what it is there to find: engines with one bug each, all of them
 * made by others before, fail the test that is named beside them. Without the bug the
 * same engine passes it, in {@code LocalLockEngineContractTests}.
 */
@Timeout(120)
class ContractIsProvenTests {

	private static final Duration SHORT_LEASE = Duration.ofMillis(300);

	private static final Duration LITTLE = Duration.ofMillis(200);

	@ParameterizedTest(name = "{0}: {1}")
	@MethodSource("bugs")
	void contractFailsEngineWith(UnaryOperator<LockEngine> bug, ContractTest test) throws Exception {
		assertThatThrownBy(() -> run(bug, test)).isInstanceOfAny(AssertionError.class, ConditionTimeoutException.class);
	}

	static void run(UnaryOperator<LockEngine> bug, ContractTest test) throws Exception {
		run(new Contract(bug, Duration.ofSeconds(1)), test);
	}

	private static void run(Contract contract, ContractTest test) throws Exception {
		try {
			test.run(contract);
		}
		finally {
			contract.closeServices();
			contract.disconnect();
		}
	}

	/** Its failures are random, so it runs several times. */
	private static void nothingIsLeftAfterManyFailures(Contract contract) throws Exception {
		for (int i = 0; i < 20; i++) {
			contract.nothingIsLeftAfterManyFailures();
		}
	}

	/**
	 * A delay exceeds the upper bound of the test before the test's patience is over,
	 * unless the machine becomes much slower at the same moment.
	 */
	private static ContractTest patient(ContractTest test) {
		return (contract) -> {
			for (int i = 0; i < 5; i++) {
				run(new Contract(contract.bug, Duration.ofSeconds(40)), test);
			}
		};
	}

	/**
	 * An early event may seem to be in time on a slow machine, so the test runs several
	 * times.
	 */
	static ContractTest repeated(ContractTest test) {
		return (contract) -> {
			for (int i = 0; i < 10; i++) {
				run(contract.bug, test);
			}
		};
	}

	static Stream<Arguments> bugs() {
		return Stream.of(
				bug("a naive NX acquire that a repetition does not find", SetIfAbsent::new, "repeatedRequest",
						EngineContract::repeatedRequestFindsItsOwnGrant),
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
				bug("a wait that is not ended", ForgottenWaits::new, "abandonedWait",
						EngineContract::abandonedWaitLeavesNothing),
				bug("a wait that is not ended", ForgottenWaits::new, "timeout",
						LockEngineContract::waitTimeIsKeptAndNothingIsLeft),
				bug("a wait that is not ended", ForgottenWaits::new, "interrupt",
						LockEngineContract::interruptEndsTheWaitAndLeavesNothing),
				bug("a wait that is not ended", ForgottenWaits::new, "trouble",
						ContractIsProvenTests::nothingIsLeftAfterManyFailures),
				bug("a wait that is not ended", ForgottenWaits::new, "turn",
						EngineContract::abandonedWaitLeavesItsTurnToTheNext),
				bug("waiters that receive no signals", NoSignals::new, "dead waiter",
						EngineContract::waiterThatDiedDelaysTheNextByItsLeaseAtMost),
				bug("a release that comes late", LateRelease::new, "late subscription",
						patient(EngineContract::releaseBeforeTheSubscriptionIsNotMissed)),
				bug("a release that comes late", LateRelease::new, "turn",
						patient(EngineContract::abandonedWaitLeavesItsTurnToTheNext)),
				bug("a subscription that does not close", OpenSubscription::new, "close",
						EngineContract::closedSubscriptionReceivesNoSignal),
				bug("signals only for subscribers", MissedSignals::new, "late subscription",
						EngineContract::releaseBeforeTheSubscriptionIsNotMissed),
				bug("a renewal without owner check", BlindRenewal::new, "expired",
						EngineContract::expiredLeaseIsNeitherRenewedNorReleased),
				bug("a release without owner check", ReleaseOfAnybody::new, "successor",
						LockEngineContract::formerHolderDoesNotTouchItsSuccessor),
				bug("a forced release that only inspects", ForceThatInspects::new, "force",
						EngineContract::forcedReleaseTakesTheKeyFromItsOwnerAndServesTheNext),
				bug("a forced release that only inspects", ForceThatInspects::new, "free key",
						EngineContract::forcedReleaseOfAFreeKeyChangesNothing),
				bug("a renewal that always succeeds", RenewalThatAlwaysSucceeds::new, "forcedLoss",
						LockEngineContract::nextRenewalReportsAForcedReleaseToTheHolder),
				bug("waiters that receive no signals", NoSignals::new, "waiter of a forced release",
						EngineContract::forcedReleaseTakesTheKeyFromItsOwnerAndServesTheNext),
				bug("a grant number that stands still", SameNumber::new, "numbers",
						EngineContract::numbersGrowOverReleasesAndBetweenProcesses),
				bug("a grant number that restarts", RestartingNumber::new, "numbers",
						EngineContract::numbersGrowOverReleasesAndBetweenProcesses),
				bug("a grant number that restarts", RestartingNumber::new, "numbersAfterLoss",
						EngineContract::numbersGrowOverTheLossOfALock),
				bug("a grant number that restarts", RestartingNumber::new, "loss",
						LockEngineContract::formerHolderDoesNotTouchItsSuccessor),
				bug("keys without regard to case", (engine) -> new FoldedKeys(engine, FoldedKeys::lowerCase), "keys",
						EngineContract::hostileKeysAreAllDifferent),
				bug("keys without regard to trailing space", (engine) -> new FoldedKeys(engine, String::strip), "keys",
						EngineContract::hostileKeysAreAllDifferent),
				bug("keys cut to the length of a column", (engine) -> new FoldedKeys(engine, FoldedKeys::cut), "keys",
						EngineContract::hostileKeysAreAllDifferent),
				bug("a lease that ends early", ShortLease::new, "lease",
						repeated(EngineContract::leaseOfASilentOwnerEnds)),
				bug("a lease that ends late", LateEnd::new, "lease", patient(EngineContract::leaseOfASilentOwnerEnds)),
				bug("a local deadline that is ignored", Optimist::new, "validity",
						EngineContract::freeKeyIsGrantedAndThenBusyForOthers),
				bug("a min hold that is not kept", NoMinHold::new, "minHold",
						EngineContract::releasedKeyStaysLockedForItsMinHold),
				bug("a min hold that is not kept", NoMinHold::new, "minHoldOfAnOrphan",
						repeated(EngineContract::keyOfASilentOwnerStaysLocked)),
				bug("a queue that is none", LastComeFirstServed::new, "queue",
						EngineContract::everyWaitingClaimIsServed),
				bug("waiters that receive no signals", NoSignals::new, "wake",
						EngineContract::waitingClaimIsServedAfterARelease),
				bug("a store for each process", Apart::new, "history", LockEngineContract::historyOfTwoProcessesIsTrue),
				bug("waiters that receive no signals and do not poll", NoPolls::new, "poll",
						ServiceFaultsContract::releaseWithoutANotificationIsDetectedByAPoll),
				bug("a release without owner check", ReleaseOfAnybody::new, "stranger",
						EngineContract::strangerCanNeitherRenewNorRelease),
				bug("a wait that is not ended", ForgottenWaits::new, "late grant",
						ServiceFaultsContract::waitThatEndsAsTheLockIsGrantedOwnsItOrLeavesNothing),
				bug("keys that are their hashes", (engine) -> new FoldedKeys(engine, FoldedKeys::hash), "hashes",
						ServiceFaultsContract::keysOfOneHashAreTwoLocks),
				bug("a closed engine that is an outage", OutageWhenClosed::new, "closed",
						EngineFormsContract::closedEngineFailsEachRequestWithTheNameOfItsLock),
				bug("a closed engine that is an outage", OutageWhenClosed::new, "callers",
						ServiceFaultsContract::closedEngineFailsItsCallersAtOnce),
				bug("all in one namespace", OneNamespace::new, "namespaces", EngineContract::namespacesNeverMeet),
				bug("a check and an act", CheckThenAct::new, "race", EngineContract::raceForNewKeysHasOneWinnerEach));
	}

	static Arguments bug(String description, UnaryOperator<LockEngine> bug, String name, ContractTest test) {
		return Arguments.of(Named.of(description, bug), Named.of(name, test));
	}

	/** One test of the contract. */
	interface ContractTest {

		void run(Contract contract) throws Exception;

	}

	/** The contract for the local engine with a bug. */
	static final class Contract extends LockEngineContract {

		private final Map<String, LocalLockEngine> stores = new ConcurrentHashMap<>();

		private final UnaryOperator<LockEngine> bug;

		private final Duration patience;

		Contract(UnaryOperator<LockEngine> bug, Duration patience) {
			this.bug = bug;
			this.patience = patience;
		}

		@Override
		protected LockEngine connect(String namespace, Member member) {
			return this.bug.apply(store(namespace));
		}

		@Override
		protected void lose(String namespace, LockKey key) {
			store(namespace).lose(key);
		}

		@Override
		protected Collection<String> residue(String namespace) {
			return Collections.nCopies(store(namespace).size(), "key");
		}

		@Override
		protected Duration shortLease() {
			return SHORT_LEASE;
		}

		@Override
		Duration slack() {
			return LITTLE;
		}

		@Override
		protected Duration contention() {
			return Duration.ofMillis(200);
		}

		@Override
		protected Duration patience() {
			return this.patience;
		}

		private LocalLockEngine store(String namespace) {
			return this.stores.computeIfAbsent(namespace, (name) -> new LocalLockEngine(MonotonicClock.SYSTEM));
		}

	}

	/** An engine without a bug. */
	static class Sound extends DelegatingEngine {

		private final LockEngine store;

		Sound(LockEngine store) {
			super(store);
			this.store = store;
		}

		final void lose(LockKey key) {
			((LocalLockEngine) this.store).lose(key);
		}

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

	private static final class SetIfAbsent extends Sound {

		SetIfAbsent(LockEngine store) {
			super(store);
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			return inspect(claim.key()).stream()
				.findFirst()
				.<AcquisitionOutcome>map((holder) -> new Busy(holder.remaining()))
				.orElseGet(() -> super.tryAcquire(claim));
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

	private static final class FoldedKeys extends Sound {

		private final UnaryOperator<String> folding;

		FoldedKeys(LockEngine store, UnaryOperator<String> folding) {
			super(store);
			this.folding = folding;
		}

		static String lowerCase(String key) {
			return key.toLowerCase(Locale.ROOT);
		}

		static String hash(String key) {
			return Integer.toHexString(key.hashCode());
		}

		static String cut(String key) {
			return key.substring(0, Math.min(key.length(), 255));
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			return super.tryAcquire(folded(claim));
		}

		@Override
		public ReleaseOutcome release(Claim claim) {
			return super.release(folded(claim));
		}

		private Claim folded(Claim claim) {
			return new Claim(new LockKey(this.folding.apply(claim.key().value())), claim.owner(), claim.lease(),
					claim.minHold(), claim.waits(), claim.since());
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
			if (!inspect(claim.key()).isEmpty()
					&& granted.elapsed().compareTo(SHORT_LEASE.plus(granted.slack(LITTLE).multipliedBy(3))) > 0) {
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

	/** Releases later than this machine explains, but reports the release at once. */
	private static final class LateRelease extends Sound {

		LateRelease(LockEngine store) {
			super(store);
		}

		@Override
		public ReleaseOutcome release(Claim claim) {
			Pace requested = Pace.begin();
			Thread late = new Thread(() -> {
				while (requested.elapsed().compareTo(requested.slack(LITTLE).multipliedBy(3)) < 0) {
					LockSupport.parkNanos(5_000_000);
				}
				super.release(claim);
			});
			late.start();
			return ReleaseOutcome.RELEASED;
		}

	}

	private static final class Optimist extends Sound {

		Optimist(LockEngine store) {
			super(store);
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			AcquisitionOutcome attempt = super.tryAcquire(claim);
			return (attempt instanceof Granted granted)
					? new Granted(granted.number(), granted.validUntil() + claim.lease().toNanos()) : attempt;
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

	private static final class OneNamespace extends Sound {

		private static final LockEngine ONLY = new LocalLockEngine(MonotonicClock.SYSTEM);

		OneNamespace(LockEngine store) {
			super(ONLY);
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

	private static final class Apart extends Sound {

		private static final AtomicLong NUMBERS = new AtomicLong();

		Apart(LockEngine store) {
			super(new LocalLockEngine(MonotonicClock.SYSTEM));
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			AcquisitionOutcome attempt = super.tryAcquire(claim);
			return (attempt instanceof Granted granted) ? new Granted(NUMBERS.incrementAndGet(), granted.validUntil())
					: attempt;
		}

	}

	private static final class CheckThenAct extends Sound {

		CheckThenAct(LockEngine store) {
			super(store);
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			boolean free = inspect(claim.key()).isEmpty();
			LockSupport.parkNanos(2_000_000);
			if (free) {
				lose(claim.key());
			}
			return super.tryAcquire(claim);
		}

	}

}
