package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.leasehold.engine.Access;
import io.leasehold.engine.Claim;
import io.leasehold.engine.RenewalOutcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the engine does with rows that several conditions of its statements meet at once.
 */
abstract class JdbcLockRowsTests extends JdbcLockTurnsTests {

	private static final Duration RETENTION = Duration.ofDays(7);

	@Test
	void startChangesNoRow() throws SQLException {
		Claim claim = claim("a");
		Claim reader = shared("b");
		long number = granted(claim).number();
		long sharedNumber = granted(reader).number();
		List<List<Object>> before = List.of(row("a"), row("b"));
		this.statements.clear();
		this.engine.start();
		assertThat(this.statements.executed()).as("checks of both tables").hasSize(6);
		assertThat(List.of(row("a"), row("b"))).isEqualTo(before);
		assertThat(holders()).isOne();
		assertThat(renew(claim, number, LEASE)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(renew(reader, sharedNumber, LEASE)).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	@Test
	void lockDelayOfASilentReaderOutlastsTheReleaseAndTheRenewalOfOthers() throws SQLException {
		granted(claim("a", Access.SHARED, LEASE, Duration.ZERO, DELAY));
		passBy(LEASE);
		Claim kept = shared("a");
		long number = granted(kept).number();
		Claim released = shared("a");
		granted(released);
		assertThat(sharedFor("a")).isGreaterThan(DELAY.minusSeconds(20));
		release(released);
		assertThat(sharedFor("a")).isGreaterThan(DELAY.minusSeconds(20));
		assertThat(renew(kept, number, LEASE)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(sharedFor("a")).isGreaterThan(DELAY.minusSeconds(20));
		assertThat(holders()).isEqualTo(2);
	}

	@Test
	void writerAfterTheLastReaderTakesOneStatement() {
		Claim reader = shared("a");
		granted(reader);
		release(reader);
		this.statements.clear();
		granted(claim("a"));
		assertThat(this.statements.executed()).hasSize(1);
	}

	@Test
	void releaseRecordsSinceWhenAKeyIsIdle() throws SQLException {
		for (Access access : List.of(Access.EXCLUSIVE, Access.SHARED)) {
			Claim claim = claim("a", access);
			granted(claim);
			execute(OURS.formatted("expires_at = expires_at + 60000000", this.namespace));
			long before = databaseClock();
			release(claim);
			assertThat(number("SELECT expires_at FROM leasehold_lock WHERE namespace = '%s'".formatted(this.namespace)))
				.as("%s", access)
				.isBetween(before, databaseClock());
		}
	}

	@Test
	void rowsThatWereUsedWithinTheRetentionAreKept() throws SQLException {
		List<String> keys = List.of("expired", "delayed", "closed", "shared");
		useAll(keys);
		assertThat(this.engine.removeIdle(100)).isZero();
		ageAllButOneTime();
		assertThat(this.engine.removeIdle(100)).isZero();
		assertThat(rows()).isEqualTo(keys.size());
		passBy(Duration.ofDays(2));
		assertThat(this.engine.removeIdle(100)).isEqualTo(keys.size());
	}

	@Test
	void rowsThatAreUsedBeforeTheirRemovalAreKept() throws SQLException {
		List<String> keys = List.of("expired", "delayed", "closed", "shared");
		useAll(keys);
		granted(claim("idle"));
		age(RETENTION.plusDays(1));
		this.statements.before("DELETE FROM leasehold_lock WHERE", () -> {
			try {
				ageAllButOneTime();
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		});
		assertThat(this.engine.removeIdle(100)).isEqualTo(keys.size() + 1);
		assertThat(rows()).isEqualTo(keys.size());
	}

	private void useAll(List<String> keys) {
		for (String key : keys) {
			Claim claim = claim(key);
			granted(claim);
			release(claim);
		}
	}

	/** Let each of the keys have been used within the retention by one of its times. */
	private void ageAllButOneTime() throws SQLException {
		long now = databaseClock();
		long recent = now - Sql.micros(RETENTION.minusDays(1));
		long old = now - Sql.micros(RETENTION.plusDays(1));
		setTimes("expired", recent, 0, 0, 0);
		setTimes("delayed", old, recent - old, 0, 0);
		setTimes("closed", old, 0, recent, 0);
		setTimes("shared", old, 0, 0, recent);
	}

	private void setTimes(String key, long expires, long delay, long closed, long shared) throws SQLException {
		execute(("UPDATE leasehold_lock SET expires_at = %d, lock_delay = %d, closed_until = %d, shared_until = %d "
				+ "WHERE lock_key = '%s' AND namespace = '%s'")
			.formatted(expires, delay, closed, shared, key, this.namespace));
	}

	@Test
	void numberOfASharedGrantGrowsEvenIfTheDatabasesClockWasSetBack() throws SQLException {
		Claim claim = shared("a");
		granted(claim);
		release(claim);
		long future = databaseClock() + Sql.micros(Duration.ofDays(1));
		execute(OURS.formatted("grant_number = " + future, this.namespace));
		assertThat(granted(shared("a")).number()).isEqualTo(future + 1);
	}

	@Test
	void keyThatWasUsedBeforeStaysClosedForTheMinHold() throws SQLException {
		for (Access access : List.of(Access.EXCLUSIVE, Access.SHARED)) {
			String key = "key " + access.code();
			useAll(List.of(key));
			Claim claim = claim(key, access, LEASE, DELAY, Duration.ZERO);
			granted(claim);
			release(claim);
			busy(claim(key, TWO));
			passBy(DELAY);
			granted(claim(key, TWO));
		}
	}

	@Test
	void holderOfAKeyThatWasUsedBeforeIsShownSinceItsOwnGrant() throws SQLException {
		for (Access access : List.of(Access.EXCLUSIVE, Access.SHARED)) {
			Claim former = claim("a", access);
			granted(former);
			release(former);
			Instant before = Instant.EPOCH.plus(databaseClock(), ChronoUnit.MICROS);
			Claim claim = claim("a", access);
			granted(claim);
			assertThat(this.engine.inspect(claim.key())).singleElement()
				.satisfies((holder) -> assertThat(holder.since()).isAfterOrEqualTo(before));
			release(claim);
		}
	}

	@Test
	void readerLeavesNoLockDelayOfAFormerWriter() throws SQLException {
		granted(claim("a", Access.EXCLUSIVE, LEASE, Duration.ZERO, RETENTION.multipliedBy(2)));
		passBy(RETENTION.multipliedBy(3));
		Claim reader = shared("a");
		granted(reader);
		release(reader);
		passBy(RETENTION.plusDays(1));
		assertThat(this.engine.removeIdle(100)).isOne();
	}

	@Test
	void writerBeforeAReaderStaysOutAlthoughTheClockIsSetBack() throws SQLException {
		Claim writer = claim("a");
		long number = granted(writer).number();
		passBy(LEASE);
		long before = databaseClock();
		Claim reader = shared("a");
		granted(reader);
		assertThat(number("SELECT expires_at FROM leasehold_lock WHERE namespace = '%s'".formatted(this.namespace)))
			.isBetween(before, databaseClock());
		passBy(Duration.ofSeconds(-20));
		assertThat(renew(writer, number, LEASE)).isInstanceOf(RenewalOutcome.NotOwner.class);
		busy(writer);
		assertThat(this.engine.inspect(writer.key())).hasSize(1);
	}

	@Test
	void forcedReleaseOfAKeyLeavesOtherKeysAlone() {
		for (Access access : List.of(Access.EXCLUSIVE, Access.SHARED)) {
			Claim forced = claim("forced " + access.code(), access);
			granted(forced);
			Claim kept = claim("kept " + access.code(), access);
			long number = granted(kept).number();
			assertThat(this.engine.forceRelease(forced.key())).hasSize(1);
			assertThat(renew(kept, number, LEASE)).isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(this.engine.inspect(kept.key())).singleElement()
				.satisfies((holder) -> assertThat(holder.remaining()).isBetween(LEASE.minusSeconds(20), LEASE));
		}
	}

	@Test
	void callsForAKeyChangeNoOtherRow() throws SQLException {
		for (Access access : List.of(Access.EXCLUSIVE, Access.SHARED)) {
			String key = "b " + access.code();
			granted(claim(key, access));
			List<Object> before = row(key);
			Claim claim = claim("a", access);
			long number = granted(claim).number();
			assertThat(renew(claim, number, LEASE)).isInstanceOf(RenewalOutcome.Renewed.class);
			release(claim);
			granted(claim("a", access));
			assertThat(this.engine.forceRelease(claim.key())).hasSize(1);
			assertThat(row(key)).isEqualTo(before);
		}
	}

}
