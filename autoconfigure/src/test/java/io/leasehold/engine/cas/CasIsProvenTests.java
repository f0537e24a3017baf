package io.leasehold.engine.cas;

import java.time.Duration;
import java.util.stream.Stream;

import io.leasehold.Proof;
import io.leasehold.service.SeededService;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The bugs of {@code ContractIsProvenTests}, in the source of {@code engine.cas}: the
 * contract on a store in memory, the tests of the protocol or the simulation find each of
 * them.
 */
@Tag("full")
class CasIsProvenTests {

	private static final SeededService SOUND = new SeededService();

	@ParameterizedTest(name = "{0}: {1}")
	@MethodSource("bugs")
	void testFailsEngineWith(SeededService.Bug bug, Check check) {
		Proof.requireFailure(() -> check.run(new SeededService(bug), Impatient.class));
	}

	/** The bug is what a test fails for, not the way in which it is run. */
	@ParameterizedTest(name = "{0}")
	@MethodSource("checks")
	void testPassesEngineWithoutABug(Check check) throws Exception {
		check.run(SOUND, Contract.class);
	}

	static Stream<Check> checks() {
		return bugs().map((arguments) -> (Check) arguments.get()[1]).distinct();
	}

	static Stream<Arguments> bugs() {
		return Stream.of(
				bug("a naive NX acquire that a repetition does not find", "Acquisition", "if (own != null) {",
						"if (false) {", contract("repeatedRequestFindsItsOwnGrant")),
				bug("a release without owner check", "Places", "Place own = sight.heldBy(claim.owner().token());",
						"Place own = sight.taken().stream().findFirst().orElse(null);",
						contract("releaseMayBeRepeated")),
				bug("a renewal without owner check", "Places",
						"Place own = sight.heldBy(renewal.claim().owner().token()); "
								+ "if (own == null || own.number() != renewal.number()) {",
						"Place own = sight.taken().stream().findFirst().orElse(null); if (own == null) {",
						contract("strangerCanNeitherRenewNorRelease")),
				bug("a renewal that shortens the lease", "Places",
						"Math.max(Micros.of(renewal.lease()), sight.leaseLeft(own))", "Micros.of(renewal.lease())",
						contract("renewalNeverShortensALease")),
				bug("a renewal that succeeds without its lock", "Places",
						"Step.of(new RenewalOutcome.NotOwner(), withoutEnded(sight, renewal.claim()))",
						"Step.of(new RenewalOutcome.Renewed(0))",
						contract("renewalOfALostLockIsRejectedAndCreatesNothing")),
				bug("a renewal of an expired lease", "Sight", "place.owner().equals(owner) && isHeld(place)",
						"place.owner().equals(owner)", contract("expiredLeaseIsNeitherRenewedNorReleased")),
				bug("a batch with one outcome for all", "Renewer", "complete(outcome, renewal, renew)",
						"complete(outcome, renewals.get(0), renew)", contract("batchReportsTheOutcomeOfEachLease")),
				bug("a release that always succeeds", "Places",
						"Step.of(new ReleaseOutcome.NotOwner(), withoutEnded(sight, claim))",
						"Step.of(ReleaseOutcome.RELEASED)", contract("releaseMayBeRepeated")),
				bug("a release that a late request outlives", "CasLockEngine", "this.late.contains(owner)", "false",
						requests("lateRequestOfAClaimThatWasGivenUpIsRejected")),
				bug("a wait that is not ended", "Places", "leaves ? null : mark", "mark",
						contract("abandonedWaitLeavesNothing")),
				bug("a waiter that polls once", "Acquisition", "(free.compareTo(poll) < 0) ? free : poll",
						"Duration.ofDays(1)", contract("leaseOfASilentOwnerEnds")),
				bug("waiters that are not notified", "CasLockEngine",
						"this.store.watch(this.attempts.storeKey(claim.key()), retry)", "null",
						waiter("waiterIsNotifiedOfARelease")),
				bug("a notification that is missed before the subscription", "CasLockEngine", "if (!isBusy(claim)) {",
						"if (false) {", waiter("releaseBeforeTheSubscriptionIsNotMissed")),
				bug("a subscription that is not closed", "CasLockEngine", "return subscription;",
						"return Subscription.POLLING;", contract("closedSubscriptionReceivesNoSignal")),
				bug("a forced release that only reads", "Places",
						"Step.write(record.next(record.last(), sight.mark(), released(sight, taken)), (sent) -> held)",
						"Step.of(held)", contract("forcedReleaseOfAFreeKeyChangesNothing")),
				bug("the same number for each grant", "Acquisition", "Math.max(record.last() + 1, wallClock)", "1",
						contract("numbersGrowOverReleasesAndBetweenProcesses")),
				bug("numbers that start again", "Acquisition", "Math.max(record.last() + 1, wallClock)",
						"record.last() + 1", contract("numbersGrowOverTheLossOfALock")),
				bug("numbers of the wall clock", "Acquisition", "Math.max(record.last() + 1, wallClock)", "wallClock",
						protocol("numbersGrowWhateverTheWallClockShows")),
				bug("keys without regard to case", "StoreKeys", "this.prefix + escape(key.value())",
						"this.prefix + escape(key.value().toLowerCase(java.util.Locale.ROOT))",
						contract("hostileKeysAreAllDifferent")),
				bug("keys without regard to trailing space", "StoreKeys", "this.prefix + escape(key.value())",
						"this.prefix + escape(key.value().strip())", contract("hostileKeysAreAllDifferent")),
				bug("keys cut to the length that the store allows", "StoreKeys",
						"text.substring(0, LONGEST - DIGEST - 1) + \"#\" + digest(text)", "text.substring(0, LONGEST)",
						contract("hostileKeysAreAllDifferent")),
				bug("namespaces that are not kept apart", "StoreKeys", "escape(namespace).replace(\":\", \"%3A\")",
						"escape(namespace)", contract("namespacesNeverMeet")),
				bug("keys of one process", "StoreKeys", "this.prefix + escape(key.value())",
						"this.prefix + System.identityHashCode(this) + escape(key.value())",
						contract("freeKeyIsGrantedAndThenBusyForOthers")),
				bug("a lease that ends early", "Sight", "length + length / 100 + 1 - age(stamp)",
						"length / 5 - age(stamp)", simulation()),
				bug("a lease that ends without its margin", "Sight", "length + length / 100 + 1 - age(stamp)",
						"length - age(stamp)", protocol("entryIsReplacedAfterItWasSeenForItsLeaseAndAPercent")),
				bug("a lease that is seen from the request", "Sights", "merge(record, before, now)",
						"merge(record, before, sent)", protocol("entryIsSeenFromTheResponseThatFirstShowedIt")),
				bug("a lease that ends late", "Sight", "length + length / 100 + 1 - age(stamp)",
						"length * 3 - age(stamp)", protocol("entryIsReplacedAfterItWasSeenForItsLeaseAndAPercent")),
				bug("a deadline later than the lease", "Acquisition",
						"MonotonicClock.validUntil(sent, Micros.toDuration(lease))", "sent + 2 * Micros.toNanos(lease)",
						contract("freeKeyIsGrantedAndThenBusyForOthers")),
				bug("a grant that counts from its response", "Attempts",
						"if (write(storeKey, found, next)) { return step.result().apply(sent);",
						"if (write(storeKey, found, next)) { return step.result().apply(this.clock.nanoTime());",
						simulation()),
				bug("a minimum hold that ends with the release", "Places", "else if (closed > 0) {",
						"else if (false) {", contract("releasedKeyStaysLockedForItsMinHold")),
				bug("a minimum hold that ends with the lease", "Place",
						"Math.max(this.lease + this.delay, this.closed)", "this.lease + this.delay",
						protocol("minimumHoldOfADeadHolderEndsByTheClockOfTheStore")),
				bug("a minimum hold of an exclusive lock only", "Places", "else if (closed > 0) {",
						"else if (closed > 0 && place.access().equals(io.leasehold.engine.Access.EXCLUSIVE)) {",
						contract("releasedPermitStaysTakenForItsMinHold")),
				bug("no lock delay", "Acquisition", "Micros.of(this.claim.lockDelay())", "0",
						protocol("lockDelayKeepsAKeyLockedAfterItsLease")),
				bug("a lock delay that is part of the lease", "Acquisition",
						"long lease = Micros.of(this.claim.lease()); Place place",
						"long lease = Micros.of(this.claim.lease().plus(this.claim.lockDelay())); Place place",
						contract("cleanReleaseEndsTheLockDelay")),
				bug("a check and an act", "Attempts", "if (write(storeKey, found, next)) {",
						"if (write(storeKey, found, next) | true) {", simulation()),
				bug("a closed engine that sends requests", "Attempts", "this.state.check(key);", "",
						contract("closedEngineFailsEachRequestWithTheNameOfItsLock")),
				bug("readers one after the other", "Acquisition",
						"this.claim.access().joins(taken.get(0).access(), taken.size())", "false",
						contract("readersShareAKeyAndExcludeAWriter")),
				bug("writers concurrent with readers", "Acquisition",
						"this.claim.access().joins(taken.get(0).access(), taken.size())", "true",
						contract("readersShareAKeyAndExcludeAWriter")),
				bug("writers that leave no mark", "Acquisition", "if (this.claim.waits()) {", "if (false) {",
						contract("readerDoesNotPassAWaitingWriter")),
				bug("more permits than there are", "Acquisition",
						"this.claim.access().joins(taken.get(0).access(), taken.size())",
						"this.claim.access().equals(taken.get(0).access())",
						contract("permitsAreCountedOverProcesses")),
				bug("permits of different numbers", "Acquisition",
						"sight.isHeld(place) && this.claim.access().contradicts(place.access())", "false",
						contract("anotherNumberOfPermitsIsRefusedWhileOneIsHeld")),
				bug("one lease for all readers", "Places", "(place == own) ? extended : place",
						"place.renewed(lease, sight.closedLeft(place), record.writes() + 1)",
						contract("silentReaderIsOverWhileAnotherGoesOn")));
	}

	private static Arguments bug(String description, String type, String snippet, String bug, Check check) {
		return Arguments.of(
				new SeededService.Bug(description, CasIsProvenTests.class.getPackageName() + "." + type, snippet, bug),
				check);
	}

	private static Check contract(String test) {
		return new Check(Check.CONTRACT, test);
	}

	private static Check protocol(String test) {
		return new Check(CasProtocolTests.class.getName(), test);
	}

	private static Check requests(String test) {
		return new Check(CasRequestsTests.class.getName(), test);
	}

	private static Check waiter(String test) {
		return new Check(CasSubscriptionTests.class.getName(), test);
	}

	private static Check simulation() {
		return new Check(CasSimulationTests.class.getName(), "histories");
	}

	/**
	 * A test that finds a bug.
	 *
	 * @param type name of its class, or {@code contract}
	 * @param test name of its method
	 */
	private record Check(String type, String test) {

		private static final String CONTRACT = "contract";

		void run(SeededService library, Class<?> contract) throws Exception {
			library.run((this.type.equals(CONTRACT) ? contract.getName() : this.type) + "." + this.test);
		}

		@Override
		public String toString() {
			return this.test;
		}

	}

	/** The contract with few locks, on a store that reports changes. */
	static class Contract extends CasLockEngineContractTests {

		@Override
		CompareAndSetStore connection(MemoryStore store) {
			return store.watching();
		}

		@Override
		protected int manyLocks() {
			return 20;
		}

	}

	/** Soon gives up what a bug prevents. Its leases may be too short for a pause. */
	static class Impatient extends Contract {

		@Override
		protected Duration shortLease() {
			return Duration.ofMillis(300);
		}

		@Override
		protected Duration patience() {
			return Duration.ofSeconds(1);
		}

	}

}
