package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.leasehold.test.contract.Terms;
import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the engine does with locks that are shared, have permits or a lock delay.
 */
abstract class JdbcLockFormsTests extends JdbcLockUpkeepTests {

	static final Access TWO = Access.permits(2);

	static final Duration DELAY = Duration.ofMinutes(1);

	static final Duration PATIENCE = Duration.ofMinutes(2);

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

}
