package io.leasehold.engine.jdbc;

import io.leasehold.test.contract.Terms;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.Member;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What the engine does with locks that are shared, have permits or a lock delay.
 */
abstract class JdbcLockFormsTests extends JdbcLockEngineTests {

	static final String OURS = "UPDATE leasehold_lock SET %s WHERE namespace = '%s'";

	static final String OUR_HOLDERS = "UPDATE leasehold_lock_holder SET %s "
			+ "WHERE lock_id IN (SELECT id FROM leasehold_lock WHERE namespace = '%s')";

	static final Access TWO = Access.permits(2);

	static final Duration DELAY = Duration.ofMinutes(1);

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	@Test
	void uncontendedSharedLockIsAShortTransactionToAcquireAndOneToRelease() {
		Claim first = shared("a");
		granted(first);
		release(first);
		this.statements.clear();
		Claim claim = shared("a");
		granted(claim);
		assertThat(this.statements.executed()).hasSize(2);
		release(claim);
		assertThat(this.statements.executed()).hasSize(6);
	}

	@Test
	void readersShareAKeyThatWritersGetAfterTheLastOfThem() {
		Claim one = shared("a");
		Claim another = shared("a");
		long number = granted(one).number();
		long greater = granted(another).number();
		assertThat(greater).isGreaterThan(number);
		busy(claim("a"));
		busy(claim("a", TWO));
		release(one);
		busy(claim("a"));
		release(another);
		Claim writer = claim("a");
		assertThat(granted(writer).number()).isGreaterThan(greater);
		busy(shared("a"));
		release(writer);
		granted(shared("a"));
	}

	@Test
	void permitsAreAsManyAsTheyAre() {
		Claim first = claim("a", TWO);
		granted(first);
		granted(claim("a", TWO));
		busy(claim("a", TWO));
		busy(claim("a"));
		busy(shared("a"));
		release(first);
		granted(claim("a", TWO));
		busy(claim("a", TWO));
	}

	@Test
	void permitsOfAnotherNumberAreAContradictionWhileTheFirstAreHeld() {
		Claim holder = claim("a", TWO);
		granted(holder);
		assertThat(this.engine.tryAcquire(claim("a", Access.permits(3))))
			.isEqualTo(new AcquisitionOutcome.Contradicted(TWO));
		release(holder);
		granted(claim("a", Access.permits(3)));
	}

	@Test
	void keyThatIsBusyWithOthersIsLeftAsItIs() throws SQLException {
		granted(claim("full", TWO));
		granted(claim("full", TWO));
		granted(shared("read"));
		granted(claim("written"));
		List<List<Object>> before = List.of(row("full"), row("read"), row("written"));
		this.statements.clear();
		busy(claim("full", TWO));
		busy(claim("full"));
		busy(claim("read"));
		busy(claim("read", TWO));
		busy(shared("written"));
		assertThat(this.statements.executed()).as("an update that meets no row, and a look, for each").hasSize(2 * 5);
		assertThat(List.of(row("full"), row("read"), row("written"))).isEqualTo(before);
	}

	@Test
	void nextPollForAPermitComesRightAfterTheFirstPlaceIsFree() {
		granted(claim("a", TWO));
		granted(claim("a", TWO, Duration.ofSeconds(8), Duration.ZERO, Duration.ZERO));
		assertThat(busy(patientEngine(), waiting(this.other, "a", TWO)).retryIn()).isBetween(Duration.ofMillis(1),
				Duration.ofMillis(8001));
	}

	@Test
	void sharingClaimFindsItsOwnGrantAgainAndExtendsIt() {
		for (Access access : List.of(Access.SHARED, Access.permits(1))) {
			Claim claim = claim("key " + access, access, Duration.ofSeconds(15), Duration.ZERO, Duration.ZERO);
			long number = granted(claim).number();
			Claim again = new Claim(claim.key(), claim.owner(), Terms.of(access, LEASE, Duration.ZERO, Duration.ZERO),
					false, claim.since());
			assertThat(granted(again).number()).isEqualTo(number);
			assertThat(this.engine.inspect(claim.key())).singleElement()
				.satisfies((holder) -> assertThat(holder.remaining()).isGreaterThan(LEASE.minusSeconds(10)));
			busyThenFreed(claim);
		}
	}

	private void busyThenFreed(Claim claim) {
		busy(claim(claim.key().value()));
		release(claim);
		granted(claim(claim.key().value()));
	}

	@Test
	void lateRenewalRevivesNoReaderAndLengthensNothing() throws SQLException {
		Claim late = shared("a");
		long number = granted(late).number();
		expireHolders();
		Claim present = claim("a", Access.SHARED, Duration.ofSeconds(10), Duration.ZERO, Duration.ZERO);
		granted(present);
		assertThat(renew(late, number, LEASE)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(this.engine.release(late)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(this.engine.inspect(late.key())).hasSize(1);
		assertThat(sharedFor("a")).isLessThanOrEqualTo(Duration.ofSeconds(10));
		release(present);
		granted(claim("a"));
	}

	@Test
	void readerWhoseLeaseIsOverStandsInNoWritersWay() throws SQLException {
		Claim late = shared("a");
		long number = granted(late).number();
		expireHolders();
		long greater = granted(claim("a")).number();
		assertThat(greater).isGreaterThan(number);
		assertThat(renew(late, number, LEASE)).isInstanceOf(RenewalOutcome.NotOwner.class);
		busy(late);
		assertThat(this.engine.inspect(late.key())).extracting(Holder::number).containsExactly(greater);
	}

	@Test
	void writerWhoseLeaseIsOverDoesNotComeBackBesideReaders() throws SQLException {
		Claim writer = claim("a");
		long number = granted(writer).number();
		expireOwners();
		granted(shared("a"));
		busy(writer);
		assertThat(renew(writer, number, LEASE)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(this.engine.release(writer)).isInstanceOf(ReleaseOutcome.NotOwner.class);
	}

	@Test
	void renewalOfSharedLocksIsThreeStatements() throws SQLException {
		List<Renewal> renewals = new ArrayList<>();
		for (int i = 0; i < 30; i++) {
			Claim claim = claim("held " + i % 10, Access.SHARED, Duration.ofSeconds(15), Duration.ZERO, Duration.ZERO);
			renewals.add(new Renewal(claim, granted(claim).number(), LEASE));
		}
		this.statements.clear();
		assertThat(this.engine.renew(renewals)).hasSize(30).allMatch(RenewalOutcome.Renewed.class::isInstance);
		assertThat(this.statements.executed()).hasSize(3);
		assertThat(sharedFor("held 3")).isGreaterThan(LEASE.minusSeconds(10));
	}

	@Test
	void renewalTellsTheLostFromTheKeptWhateverTheirAccess() {
		List<Renewal> renewals = new ArrayList<>();
		for (Access access : List.of(Access.SHARED, Access.EXCLUSIVE, TWO)) {
			for (int i = 0; i < 4; i++) {
				Claim claim = claim(access.code() + i / access.limit(), access);
				renewals.add(new Renewal(claim, granted(claim).number(), LEASE));
			}
		}
		List<Integer> lost = List.of(1, 5, 10);
		lost.forEach((i) -> release(renewals.get(i).claim()));
		List<RenewalOutcome> outcomes = this.engine.renew(renewals);
		for (int i = 0; i < renewals.size(); i++) {
			assertThat(outcomes.get(i)).as("%d", i)
				.isInstanceOf(lost.contains(i) ? RenewalOutcome.NotOwner.class : RenewalOutcome.Renewed.class);
		}
	}

	@Test
	void renewalLengthensWhatKeepsWritersOut() throws SQLException {
		Claim reader = claim("a", Access.SHARED, Duration.ofSeconds(15), Duration.ZERO, Duration.ZERO);
		long number = granted(reader).number();
		assertThat(renew(reader, number, LEASE)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(sharedFor("a")).isGreaterThan(LEASE.minusSeconds(10));
	}

	@Test
	void placeStaysTakenToTheEndOfItsMinHold() throws SQLException {
		Duration minHold = Duration.ofMinutes(1);
		Claim released = claim("released", Access.permits(1), LEASE, minHold, Duration.ZERO);
		granted(released);
		release(released);
		granted(claim("orphaned", Access.permits(1), LEASE, minHold, Duration.ZERO));
		expireHolders();
		for (String key : List.of("released", "orphaned")) {
			assertThat(this.engine.inspect(new LockKey(key))).isEmpty();
			busy(claim(key, Access.permits(1)));
			busy(claim(key));
		}
		passBy(minHold);
		granted(claim("released", Access.permits(1)));
		granted(claim("orphaned"));
	}

	@Test
	void readersJoinWhileAMinHoldKeepsWritersOut() {
		Claim released = claim("a", Access.SHARED, LEASE, Duration.ofMinutes(1), Duration.ZERO);
		granted(released);
		release(released);
		granted(shared("a"));
		busy(claim("a"));
	}

	@Test
	void keyOfASilentOwnerStaysClosedForTheLockDelay() throws SQLException {
		for (Access access : List.of(Access.EXCLUSIVE, Access.SHARED)) {
			String key = "key " + access.code();
			Claim silent = claim(key, access, LEASE, Duration.ZERO, DELAY);
			long number = granted(silent).number();
			passBy(LEASE);
			assertThat(this.engine.inspect(silent.key())).isEmpty();
			assertThat(renew(silent, number, LEASE)).as("too late").isInstanceOf(RenewalOutcome.NotOwner.class);
			assertThat(this.engine.release(silent)).isInstanceOf(ReleaseOutcome.NotOwner.class);
			busy(claim(key, TWO));
			busy(claim(key));
			passBy(DELAY);
			granted(claim(key, TWO));
		}
	}

	@Test
	void releaseOpensAKeyWithALockDelayAtOnce() {
		for (Access access : List.of(Access.EXCLUSIVE, Access.SHARED)) {
			Claim claim = claim("a", access, LEASE, Duration.ZERO, DELAY);
			granted(claim);
			release(claim);
		}
		granted(claim("a", TWO));
	}

	@Test
	void lockDelayFollowsTheLeaseThatIsRenewed() throws SQLException {
		for (Access access : List.of(Access.EXCLUSIVE, Access.SHARED)) {
			String key = "key " + access.code();
			Claim claim = claim(key, access, LEASE, Duration.ZERO, DELAY);
			long number = granted(claim).number();
			passBy(LEASE.minusSeconds(10));
			assertThat(renew(claim, number, LEASE)).isInstanceOf(RenewalOutcome.Renewed.class);
			passBy(DELAY.plusSeconds(15));
			assertThat(this.engine.inspect(claim.key())).isEmpty();
			busy(claim(key, TWO));
			passBy(Duration.ofSeconds(15));
			granted(claim(key, TWO));
		}
	}

	@Test
	void lockDelayEndsWithItsGrant() throws SQLException {
		Claim delayed = claim("a", Access.EXCLUSIVE, LEASE, Duration.ZERO, DELAY);
		granted(delayed);
		release(delayed);
		granted(claim("a"));
		passBy(LEASE);
		granted(claim("a"));
	}

	@Test
	void forcedReleaseOpensAKeyWhoeverHeldIt() throws SQLException {
		for (Access access : List.of(Access.EXCLUSIVE, Access.SHARED)) {
			String key = "key " + access.code();
			Claim held = claim(key, access, LEASE, Duration.ZERO, DELAY);
			long number = granted(held).number();
			assertThat(this.engine.forceRelease(held.key())).extracting(Holder::number).containsExactly(number);
			assertThat(this.engine.forceRelease(held.key())).isEmpty();
			assertThat(renew(held, number, LEASE)).isInstanceOf(RenewalOutcome.NotOwner.class);
			assertThat(this.engine.release(held)).isInstanceOf(ReleaseOutcome.NotOwner.class);
			granted(claim(key, access, LEASE, Duration.ZERO, DELAY));
			passBy(LEASE);
			assertThat(this.engine.forceRelease(held.key())).as("nobody holds it").isEmpty();
			granted(claim(key, TWO));
		}
		assertThat(this.engine.forceRelease(new LockKey("never seen"))).isEmpty();
	}

	@Test
	void allHoldersAreShownAndForcedOutInTheOrderOfTheirNumbers() {
		List<Long> numbers = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			numbers.add(granted(shared("a")).number());
		}
		LockKey key = new LockKey("a");
		assertThat(this.engine.inspect(key)).extracting(Holder::number).isEqualTo(numbers);
		assertThat(this.engine.forceRelease(key)).extracting(Holder::number).isEqualTo(numbers).isSorted();
		assertThat(this.engine.inspect(key)).isEmpty();
		granted(claim("a"));
	}

	@Test
	void forcedReleaseLeavesAMinHold() {
		Claim held = claim("a", Access.SHARED, LEASE, Duration.ofMinutes(1), Duration.ZERO);
		granted(held);
		assertThat(this.engine.forceRelease(held.key())).hasSize(1);
		busy(claim("a"));
	}

	@Test
	void writerThatWaitsKeepsNewReadersOutUntilItHadItsTurn() {
		JdbcLockEngine patient = patientEngine();
		Claim present = shared("a");
		granted(present);
		Claim writer = waiting(this.other, "a", Access.EXCLUSIVE);
		busy(patient, writer);
		granted(present);
		busy(shared("a"));
		release(present);
		busy(shared("a"));
		granted(patient, writer);
		assertThat(patient.release(writer)).isEqualTo(ReleaseOutcome.RELEASED);
		granted(shared("a"));
	}

	@Test
	void readerThatWaitsKeepsOtherWritersOutUntilItHadItsTurn() {
		JdbcLockEngine patient = patientEngine();
		Claim present = claim("a");
		granted(present);
		Claim reader = waiting(this.other, "a", Access.SHARED);
		busy(patient, reader);
		busy(patient, waiting(this.member, "a", Access.EXCLUSIVE));
		release(present);
		busy(claim("a"));
		busy(claim("a", TWO));
		granted(patient, reader);
	}

	@Test
	void claimThatDoesNotWaitTakesNoTurn() {
		Claim present = shared("a");
		granted(present);
		patientEngine().tryAcquire(claim("a"));
		granted(shared("a"));
	}

	@Test
	void turnOfAWaitingClaimThatIsGivenUpIsOverAtOnce() {
		JdbcLockEngine patient = patientEngine();
		granted(shared("a"));
		Claim writer = waiting(this.other, "a", Access.EXCLUSIVE);
		patient.tryAcquire(writer);
		busy(shared("a"));
		assertThat(patient.release(writer)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		granted(shared("a"));
	}

	@Test
	void turnOfAWaitingClaimThatDiedRunsOut() throws SQLException {
		granted(shared("a"));
		JdbcSettings settings = settings(Duration.ofSeconds(5));
		engine(settings).tryAcquire(waiting(this.other, "a", Access.EXCLUSIVE));
		busy(shared("a"));
		execute(OURS.formatted("turn_until = turn_until - " + Sql.micros(settings.longestCall()), this.namespace));
		granted(shared("a"));
	}

	@Test
	void writerGetsInAmongEndlessReadersThatOverlap() {
		Claim first = shared("hot");
		granted(first);
		try (Crowd readers = new Crowd()) {
			readers.enter(Access.SHARED, 4);
			await().until(() -> readers.taken.get() >= 4);
			release(first);
			Claim writer = waiting(this.other, "hot", Access.EXCLUSIVE);
			acquire(writer, Duration.ofSeconds(5));
			assertThat(this.engine.inspect(writer.key())).hasSize(1);
			int before = readers.taken.get();
			release(writer);
			await("readers, too").until(() -> readers.taken.get() > before);
		}
	}

	@Test
	void claimsOfEachAccessGetInAmongEndlessOthers() {
		try (Crowd others = new Crowd()) {
			for (Access access : List.of(Access.SHARED, TWO, Access.EXCLUSIVE)) {
				others.enter(access, 3);
			}
			await().until(() -> others.taken.get() > 0);
			for (Access access : List.of(Access.EXCLUSIVE, Access.SHARED, TWO)) {
				Claim claim = waiting(this.other, "hot", access);
				acquire(claim, PATIENCE);
				release(claim);
			}
		}
	}

	private void acquire(Claim claim, Duration most) {
		long end = System.nanoTime() + most.toNanos();
		while (this.engine.tryAcquire(claim) instanceof AcquisitionOutcome.Busy busy) {
			assertThat(System.nanoTime() - end).as("%s", claim.access()).isNegative();
			LockSupport.parkNanos(busy.retryIn().toNanos());
		}
	}

	@Test
	void whoeverHoldsAHotKeyTogetherMayAndNumbersGrow() throws Exception {
		List<Access> accesses = List.of(Access.EXCLUSIVE, Access.SHARED, TWO);
		Map<Access, AtomicInteger> holders = accesses.stream()
			.collect(Collectors.toMap(Function.identity(), (access) -> new AtomicInteger()));
		AtomicLong last = new AtomicLong();
		AtomicInteger grants = new AtomicInteger();
		List<String> faults = Collections.synchronizedList(new ArrayList<>());
		long end = System.nanoTime() + Duration.ofSeconds(1).toNanos();
		inParallel(8, () -> {
			while (System.nanoTime() - end < 0 || grants.get() < ENOUGH) {
				Access access = accesses.get(ThreadLocalRandom.current().nextInt(3));
				Claim claim = claim("hot", access);
				long before = last.get();
				if (this.engine.tryAcquire(claim) instanceof AcquisitionOutcome.Granted granted) {
					if (holders.get(access).incrementAndGet() > access.limit() || accesses.stream()
						.anyMatch((other) -> !other.equals(access) && holders.get(other).get() > 0)) {
						faults.add("%s beside %s".formatted(access, holders));
					}
					if (granted.number() <= before) {
						faults.add(granted.number() + " came after " + before);
					}
					last.accumulateAndGet(granted.number(), Math::max);
					grants.incrementAndGet();
					holders.get(access).decrementAndGet();
					ReleaseOutcome released = this.engine.release(claim);
					if (!(released instanceof ReleaseOutcome.Released)) {
						faults.add("release of %s of %s: %s, row is %s at %d, failed before: %s".formatted(granted,
								access, released, row("hot"), databaseClock(), this.statements.failures()));
					}
				}
			}
			return null;
		});
		assertThat(faults).isEmpty();
	}

	@Test
	void holdersGoWithTheirRowAndNoRowGoesThatHasAny() throws SQLException {
		granted(shared("orphaned"));
		passBy(Duration.ofDays(8));
		Claim released = shared("released");
		granted(released);
		release(released);
		granted(shared("held"));
		Claim closed = claim("closed", Access.SHARED, LEASE, Duration.ofDays(1), Duration.ZERO);
		granted(closed);
		release(closed);
		granted(claim("delayed", Access.EXCLUSIVE, LEASE, Duration.ZERO, DELAY));
		assertThat(this.engine.removeIdle(100)).isEqualTo(1);
		assertThat(rows()).isEqualTo(4);
		assertThat(holders()).isEqualTo(2);
	}

	/** Renewals lengthen only what keeps writers out. */
	@Test
	void rowThatReadersHaveKeptForLongIsNotIdle() throws SQLException {
		granted(shared("read"));
		age(Duration.ofDays(8));
		assertThat(this.engine.removeIdle(100)).isZero();
		assertThat(holders()).isEqualTo(1);
	}

	@Test
	void placesThatAreFreeLeaveNoHolders() throws SQLException {
		granted(shared("a"));
		expireHolders();
		Claim next = shared("a");
		granted(next);
		assertThat(holders()).isEqualTo(2);
		release(next);
		assertThat(holders()).isZero();
	}

	@Test
	void deadHoldersAreGoneBeforeTheKeyHasAnotherAccess() throws SQLException {
		for (Access access : List.of(Access.EXCLUSIVE, TWO)) {
			granted(shared("a"));
			expireHolders();
			Claim next = claim("a", access);
			granted(next);
			assertThat(holders()).isEqualTo(access.equals(TWO) ? 1 : 0);
			release(next);
		}
	}

	@Test
	void missingTableOfHoldersIsNamed() throws SQLException {
		String table = "half_" + UUID.randomUUID().toString().substring(0, 8);
		String script = LockTableScript.read(platform(), table);
		execute(script.substring(0, script.indexOf(';')));
		JdbcLockEngine half = engine(settings(table, Duration.ofSeconds(5)));
		assertThatExceptionOfType(LockTableException.class).isThrownBy(half::start)
			.withMessageContaining("'%1$s' or '%1$s_holder' is missing".formatted(table))
			.matches((ex) -> ex.getProblem() == LockTableException.Problem.MISSING && !ex.isRetryable());
	}

	final Claim shared(String key) {
		return claim(key, Access.SHARED);
	}

	final Claim claim(String key, Access access) {
		return claim(key, access, LEASE, Duration.ZERO, Duration.ZERO);
	}

	final Claim claim(String key, Access access, Duration lease, Duration minHold, Duration lockDelay) {
		return new Claim(new LockKey(key), this.member.newOwner(), Terms.of(access, lease, minHold, lockDelay), false,
				System.nanoTime());
	}

	/** A claim that has waited for long, so that its marks last as long as they can. */
	static Claim waiting(Member member, String key, Access access) {
		return new Claim(new LockKey(key), member.newOwner(), Terms.of(access, LEASE, Duration.ZERO, Duration.ZERO),
				true, System.nanoTime() - Duration.ofMinutes(1).toNanos());
	}

	/** Let time pass for all rows and holders. */
	final void passBy(Duration time) throws SQLException {
		long micros = Sql.micros(time);
		execute(OURS.formatted(("expires_at = expires_at - %1$d, closed_until = closed_until - %1$d, "
				+ "shared_until = CASE WHEN shared_until = 0 THEN 0 ELSE shared_until - %1$d END")
			.formatted(micros), this.namespace));
		execute(OUR_HOLDERS.formatted(
				"expires_at = expires_at - %1$d, closed_until = closed_until - %1$d".formatted(micros),
				this.namespace));
	}

	final void expireHolders() throws SQLException {
		execute(OUR_HOLDERS.formatted("expires_at = 1", this.namespace));
		execute(OURS.formatted("shared_until = GREATEST(COALESCE((SELECT MAX(h.closed_until) FROM "
				+ "leasehold_lock_holder h WHERE h.lock_id = id), 0), 1)", this.namespace));
	}

	private void expireOwners() throws SQLException {
		execute(OURS.formatted("expires_at = 1", this.namespace));
	}

	final long holders() throws SQLException {
		return number("SELECT COUNT(*) FROM leasehold_lock_holder WHERE lock_id IN "
				+ "(SELECT id FROM leasehold_lock WHERE namespace = '%s')".formatted(this.namespace));
	}

	final Duration sharedFor(String key) throws SQLException {
		long end = number("SELECT shared_until FROM leasehold_lock WHERE namespace = '%s' AND lock_key = '%s'"
			.formatted(this.namespace, key));
		return Duration.ofNanos(1000 * (end - databaseClock()));
	}

	/** Processes that take the same key again and again, and hold it for a while. */
	private final class Crowd implements AutoCloseable {

		private final AtomicInteger taken = new AtomicInteger();

		private final AtomicBoolean over = new AtomicBoolean();

		private final ExecutorService threads = Executors.newCachedThreadPool();

		void enter(Access access, int processes) {
			for (int i = 0; i < processes; i++) {
				Member one = Member.of("crowd");
				this.threads.execute(() -> {
					while (!this.over.get()) {
						takeOnce(waiting(one, "hot", access));
					}
				});
			}
		}

		private void takeOnce(Claim claim) {
			while (!this.over.get()
					&& JdbcLockFormsTests.this.engine.tryAcquire(claim) instanceof AcquisitionOutcome.Busy busy) {
				LockSupport.parkNanos(busy.retryIn().toNanos());
			}
			this.taken.incrementAndGet();
			LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(20_000_000, 40_000_000));
			JdbcLockFormsTests.this.engine.release(claim);
		}

		@Override
		public void close() {
			this.over.set(true);
			this.threads.shutdown();
			await().atMost(PATIENCE).until(this.threads::isTerminated);
		}

	}

}
