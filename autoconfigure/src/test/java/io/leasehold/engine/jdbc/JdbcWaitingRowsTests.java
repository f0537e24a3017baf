package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import io.leasehold.LockEngineException;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Rows that claims wait for: their turns, their marks, and the time of the next poll.
 */
abstract class JdbcWaitingRowsTests extends JdbcReplacedRowsTests {

	private static final Duration USUAL_POLL = Duration.ofMinutes(1);

	private static final Duration OFTEN = Duration.ofSeconds(15);

	@Test
	void releaseByAReaderStandsBackForAnotherThatWaits() {
		JdbcLockEngine patient = patientEngine();
		Claim reader = shared("a");
		granted(reader);
		busy(patient, waiting(this.other, "a", Access.EXCLUSIVE));
		assertThat(standBack(patient, reader)).isPositive();
	}

	@Test
	void onlyTheProcessThatMarkedTheRowSendsExtraPolls() {
		JdbcLockEngine patient = engine(usualPolls());
		granted(claim("a", Access.EXCLUSIVE, Duration.ofHours(1), Duration.ZERO, Duration.ZERO));
		Claim first = waiting(this.other, "a", Access.EXCLUSIVE);
		Claim second = waiting(this.member, "a", Access.EXCLUSIVE);
		for (int i = 0; i < 2; i++) {
			assertThat(busy(patient, first).retryIn()).isLessThan(OFTEN);
			assertThat(busy(patient, second).retryIn()).isGreaterThan(OFTEN);
		}
	}

	/** Each of their polls is a transaction. */
	@Test
	void sharedClaimsSendNoExtraPolls() {
		JdbcLockEngine patient = engine(usualPolls());
		granted(claim("a", TWO));
		granted(claim("a", TWO));
		assertThat(busy(patient, waiting(this.other, "a", TWO)).retryIn()).isGreaterThan(OFTEN);
	}

	private JdbcSettings usualPolls() {
		return new JdbcSettings(this.namespace, JdbcSettings.DEFAULT_TABLE, Duration.ofSeconds(5), Duration.ofMillis(5),
				USUAL_POLL, Duration.ofDays(7), true);
	}

	@Test
	void extraPollIsOneStatementThatChangesNothing() throws SQLException {
		JdbcLockEngine patient = engine(usualPolls());
		Claim holder = claim("a", Access.EXCLUSIVE, Duration.ofHours(1), Duration.ZERO, Duration.ZERO);
		granted(holder);
		Claim waiting = waiting(this.other, "a", Access.EXCLUSIVE);
		patient.tryAcquire(waiting);
		List<Object> before = row("a");
		this.statements.clear();
		busy(patient, waiting);
		assertThat(this.statements.executed()).hasSize(1);
		assertThat(row("a")).isEqualTo(before);
		release(holder);
		this.statements.clear();
		granted(patient, waiting);
		assertThat(this.statements.executed()).hasSize(1);
	}

	/** The response to a request of the claim was lost, which may have been granted. */
	@Test
	void claimWithARequestInFlightSendsNoExtraPoll() {
		Claim holder = claim("a");
		granted(holder);
		JdbcLockEngine patient = patientEngine();
		Claim waiting = waiting(this.other, "a", Access.EXCLUSIVE);
		patient.tryAcquire(waiting);
		release(holder);
		this.statements.failAfter("UPDATE leasehold_lock SET\ngrant_number", new SQLException("lost", "08006"));
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> patient.tryAcquire(waiting));
		granted(patient, waiting);
	}

	@Test
	void nextPollComesRightAfterTheLockDelayOfASilentOwner() throws SQLException {
		granted(claim("a", Access.EXCLUSIVE, LEASE, Duration.ZERO, DELAY));
		passBy(LEASE.plus(DELAY).minusSeconds(5));
		assertNextPollWithinFiveSeconds(waiting(this.other, "a", Access.EXCLUSIVE));
	}

	@Test
	void nextPollForAPermitComesRightAfterTheLockDelayOfASilentHolder() throws SQLException {
		granted(claim("a", TWO));
		expireHolders();
		granted(claim("a", TWO, LEASE, Duration.ZERO, DELAY));
		passBy(LEASE.plus(DELAY).minusSeconds(5));
		granted(claim("a", TWO));
		granted(claim("other", TWO, Duration.ofMillis(1), Duration.ZERO, DELAY));
		assertNextPollWithinFiveSeconds(waiting(this.other, "a", TWO));
	}

	@Test
	void nextPollComesRightAfterTheTurnOfOthers() throws SQLException {
		granted(claim("a", TWO));
		granted(claim("other", TWO));
		granted(claim("other", TWO));
		busy(patientEngine(), waiting(this.other, "a", Access.EXCLUSIVE));
		execute(OURS.formatted("turn_until = " + (databaseClock() + 5_000_000), this.namespace));
		assertNextPollWithinFiveSeconds(waiting(this.member, "a", TWO));
	}

	private void assertNextPollWithinFiveSeconds(Claim claim) {
		assertThat(busy(patientEngine(), claim).retryIn()).isBetween(Duration.ofMillis(10), Duration.ofMillis(5001));
	}

	@Test
	void readerThatHadItsTurnLeavesNoMark() {
		JdbcLockEngine patient = patientEngine();
		Claim present = claim("a");
		granted(present);
		Claim reader = waiting(this.other, "a", Access.SHARED);
		busy(patient, reader);
		release(present);
		granted(patient, reader);
		assertThat(patient.release(reader)).isEqualTo(ReleaseOutcome.RELEASED);
		granted(claim("a"));
	}

	@Test
	void markOfAWaitingClaimStaysWhenAnotherGetsThePlace() {
		JdbcLockEngine patient = patientEngine();
		granted(claim("a", TWO));
		Claim first = claim("a", TWO);
		granted(first);
		busy(patient, waiting(this.other, "a", TWO));
		release(first);
		Claim second = claim("a", TWO);
		granted(second);
		assertThat(standBack(patient, second)).isPositive();
	}

	@Test
	void claimThatGivesUpTakesBackItsMarks() {
		JdbcLockEngine patient = patientEngine();
		Claim present = shared("a");
		granted(present);
		Claim writer = waiting(this.other, "a", Access.EXCLUSIVE);
		patient.tryAcquire(writer);
		assertThat(patient.release(writer)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(patient.release(present)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void claimThatGivesUpLeavesTheTurnsOfOthers() {
		JdbcLockEngine patient = patientEngine();
		for (String key : List.of("a", "b", "c")) {
			granted(shared(key));
		}
		Claim writer = waiting(this.other, "a", Access.EXCLUSIVE);
		Claim otherKey = waiting(this.other, "b", Access.EXCLUSIVE);
		Claim otherProcess = waiting(this.member, "c", Access.EXCLUSIVE);
		List.of(writer, otherKey, otherProcess).forEach(patient::tryAcquire);
		patient.release(writer);
		patient.release(waiting(this.other, "c", Access.EXCLUSIVE));
		granted(shared("a"));
		busy(shared("b"));
		busy(shared("c"));
	}

	@Test
	void claimThatWaitsTakesNoTurnOfAnotherKey() {
		granted(shared("a"));
		granted(shared("b"));
		busy(patientEngine(), waiting(this.other, "a", Access.EXCLUSIVE));
		granted(shared("b"));
	}

	@Test
	void turnThatAnotherAccessTakesMeanwhileIsLeft() throws SQLException {
		granted(shared("a"));
		String taken = OURS.formatted(
				"turn_until = %d, turn_access = '%s'".formatted(databaseClock() + Sql.micros(DELAY), TWO.code()),
				this.namespace);
		this.statements.before("turn_access = ?,", () -> {
			try {
				execute(taken);
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		});
		JdbcLockEngine patient = patientEngine();
		busy(patient, waiting(this.other, "a", Access.EXCLUSIVE));
		expireHolders();
		busy(claim("a"));
		granted(claim("a", TWO));
	}

	@Test
	void markOfAWaitingClaimReplacesAShorterOneOfItsKeyOnly() throws SQLException {
		JdbcLockEngine patient = patientEngine();
		Claim holder = claim("a");
		granted(holder);
		Claim unmarked = claim("b");
		granted(unmarked);
		execute(OURS.formatted("waited_until = %d, waiter = 'somebody'".formatted(databaseClock() + 500_000),
				this.namespace) + " AND lock_key = 'a'");
		busy(patient, waiting(this.other, "a", Access.EXCLUSIVE));
		assertThat(standBack(patient, holder)).isGreaterThan(Duration.ofSeconds(1));
		assertThat(patient.release(unmarked)).isEqualTo(ReleaseOutcome.RELEASED);
	}

}
