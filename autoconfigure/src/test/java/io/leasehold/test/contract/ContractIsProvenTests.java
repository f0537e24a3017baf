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

import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.Proof;
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

/**
 * The contract finds what it is there to find: engines with one bug each, all of them
 * made by others before, fail the test that is named beside them. Without the bug the
 * same engine passes it, in {@code LocalLockEngineContractTests}.
 */
@Tag("full")
class ContractIsProvenTests {

	static final Duration SHORT_LEASE = Duration.ofMillis(300);

	static final Duration LITTLE = Duration.ofMillis(200);

	@ParameterizedTest(name = "{0}: {1}")
	@MethodSource("bugs")
	void contractFailsEngineWith(UnaryOperator<LockEngine> bug, ContractTest test) throws Exception {
		Proof.requireFailure(() -> run(bug, test));
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

	/**
	 * A delay exceeds the upper bound of the test before the test's patience is over,
	 * unless the machine becomes much slower at the same moment.
	 */
	static ContractTest patient(ContractTest test) {
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
				bug("keys without regard to case", (engine) -> new FoldedKeys(engine, FoldedKeys::lowerCase), "keys",
						EngineKeysContract::hostileKeysAreAllDifferent),
				bug("keys without regard to trailing space", (engine) -> new FoldedKeys(engine, String::strip), "keys",
						EngineKeysContract::hostileKeysAreAllDifferent),
				bug("keys cut to the length of a column", (engine) -> new FoldedKeys(engine, FoldedKeys::cut), "keys",
						EngineKeysContract::hostileKeysAreAllDifferent),
				bug("a local deadline that is ignored", Optimist::new, "validity",
						EngineContract::freeKeyIsGrantedAndThenBusyForOthers),
				bug("a store for each process", Apart::new, "history", LockEngineContract::historyOfTwoProcessesIsTrue),
				bug("keys that are their hashes", (engine) -> new FoldedKeys(engine, FoldedKeys::hash), "hashes",
						ServiceFaultsContract::keysOfOneHashAreTwoLocks),
				bug("all in one namespace", OneNamespace::new, "namespaces", EngineKeysContract::namespacesNeverMeet),
				bug("a check and an act", CheckThenAct::new, "race",
						EngineKeysContract::raceForNewKeysHasOneWinnerEach));
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

	private static final class OneNamespace extends Sound {

		private static final LockEngine ONLY = new LocalLockEngine(MonotonicClock.SYSTEM);

		OneNamespace(LockEngine store) {
			super(ONLY);
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
