package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Polls of claims that wait for an exclusive lock, on every database.
 */
abstract class JdbcLockPollsTests extends JdbcLockEngineTests {

	@Test
	void releaseStandsBackForAnotherThatWaits() {
		JdbcLockEngine patient = patientEngine();
		Claim holder = claim("a");
		granted(holder);
		Claim waiting = waiting(this.other, "a", Duration.ofMinutes(1));
		assertThat(busy(patient, waiting).retryIn()).isPositive().isLessThanOrEqualTo(LONG_POLL);
		assertThat(standBack(patient, holder)).isPositive().isLessThanOrEqualTo(LONG_POLL);
		granted(patient, waiting);
		assertThat(patient.release(waiting)).as("its own mark is gone").isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void markIsWrittenOnlyWhenThePresentOneRunsOutBeforeTheNextPoll() throws SQLException {
		JdbcLockEngine patient = patientEngine();
		granted(claim("a"));
		List<Object> unmarked = row("a");
		patient.tryAcquire(waiting(this.other, "a", Duration.ofMinutes(1)));
		List<Object> marked = row("a");
		assertThat(marked).isNotEqualTo(unmarked);
		patient.tryAcquire(waiting(this.member, "a", Duration.ofMillis(1)));
		assertThat(row("a")).isEqualTo(marked);
	}

	@Test
	void claimThatDoesNotWaitLeavesNoMark() {
		Claim holder = claim("a");
		granted(holder);
		patientEngine().tryAcquire(claim("a"));
		assertThat(this.engine.release(holder)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void pollsSlowDownWithTheTimeWaited() {
		granted(claim("a"));
		busy(patientEngine(), waiting(this.member, "a", Duration.ofMinutes(1)));
		long start = System.nanoTime();
		Duration first = busy(waiting(this.other, "a", Duration.ZERO)).retryIn();
		Duration waited = Duration.ofNanos(System.nanoTime() - start);
		assertThat(first).isBetween(POLL_MIN, POLL_MIN.plus(waited.dividedBy(2)));
		assertThat(busy(waiting(this.other, "a", Duration.ofMinutes(1))).retryIn()).isBetween(Duration.ofMillis(75),
				Duration.ofMillis(100));
	}

	@Test
	void nextPollComesRightAfterTheEndOfTheHoldersLease() {
		granted(claim("a", Duration.ofSeconds(8), Duration.ZERO));
		assertThat(patientEngine().tryAcquire(waiting(this.other, "a", Duration.ofMinutes(1)))).isInstanceOfSatisfying(
				AcquisitionOutcome.Busy.class,
				(busy) -> assertThat(busy.retryIn()).isLessThanOrEqualTo(Duration.ofMillis(8001)));
	}

}
