package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.leasehold.engine.Access;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys.Kept;
import io.leasehold.engine.Member;
import io.leasehold.engine.Owner;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rows that an operator keeps instead of a minimum hold.
 */
abstract class JdbcReplacedRowsTests extends JdbcKeptRowsTests {

	private static final Owner OPERATOR = Member.of("office").newOwner("operator");

	private Kept replace(Duration duration) {
		return this.engine.keptKeys().replace(KEY, OPERATOR, duration);
	}

	@Test
	void replacedRowIsKeptByTheNewOwnerForTheNewTime() throws SQLException {
		for (Duration duration : List.of(Duration.ofMinutes(2), MIN_HOLD.multipliedBy(6), Duration.ofDays(366))) {
			Claim claim = claim("a", Access.EXCLUSIVE, LEASE, MIN_HOLD, DELAY);
			long number = granted(claim).number();
			release(claim);
			Kept former = find();
			Instant before = now();
			assertThat(replace(duration)).extracting(Kept::last, Kept::released)
				.containsExactly(former.last(), former.released());
			Kept kept = find();
			assertThat(kept.last()).isEqualTo(Holder.of(OPERATOR.token(), number, kept.last().since(), null));
			assertThat(kept.last().since()).isBetween(before, now());
			assertThat(kept.released()).isBetween(kept.last().since(), now());
			assertThat(kept.remaining()).isBetween(duration.minusMinutes(1), duration);
			assertThat(this.engine.inspect(KEY)).isEmpty();
			passBy(duration.minusMinutes(1));
			busy(claim("a"));
			passBy(Duration.ofMinutes(1));
			Claim next = claim("a");
			assertThat(granted(next).number()).isGreaterThan(number);
			release(next);
		}
	}

	@Test
	void waitingClaimAcquiresAReplacedRowWhenItIsOpened() {
		Claim claim = daily();
		granted(claim);
		release(claim);
		Claim waiting = waiting(this.other, "a", Access.EXCLUSIVE);
		busy(this.engine, waiting);
		this.statements.clear();
		assertThat(replace(MIN_HOLD)).isNotNull();
		assertThat(this.statements.executed()).noneMatch((statement) -> statement.contains("pg_notify"));
		busy(this.engine, waiting);
		assertThat(endMinHold().last().thread()).isEqualTo("operator");
		granted(waiting);
	}

	@Test
	void rowThatIsHeldOrFreeIsNotReplaced() throws SQLException {
		assertThat(replace(MIN_HOLD)).as("unknown").isNull();
		Claim held = claim("a", Access.EXCLUSIVE, LEASE, MIN_HOLD, DELAY);
		long number = granted(held).number();
		assertThat(replace(Duration.ofDays(1))).as("held").isNull();
		assertThat(renew(held, number, LEASE)).isInstanceOf(RenewalOutcome.Renewed.class);
		passBy(LEASE);
		assertThat(replace(Duration.ofDays(1))).as("within the lock delay").isNull();
		passBy(MIN_HOLD);
		assertThat(replace(MIN_HOLD)).as("free").isNull();
		granted(claim("a"));
	}

	@Test
	void rowOfAnOwnerThatDiedIsReplaced() throws SQLException {
		Claim claim = claim("a", Access.EXCLUSIVE, LEASE, MIN_HOLD, DELAY);
		granted(claim);
		passBy(LEASE.plus(DELAY));
		assertThat(replace(Duration.ofMinutes(1)).released()).isNull();
		assertThat(find().released()).isNotNull();
		passBy(Duration.ofMinutes(1));
		granted(claim("a"));
	}

	@Test
	void lateRequestsOfTheFormerOwnerDoNotChangeAReplacedRow() throws SQLException {
		Claim claim = daily();
		long number = granted(claim).number();
		release(claim);
		replace(Duration.ofDays(1));
		passBy(Duration.ofSeconds(-20));
		List<Object> kept = row("a");
		assertThat(this.engine.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(renew(claim, number, LEASE)).isInstanceOf(RenewalOutcome.NotOwner.class);
		busy(claim);
		assertThat(row("a")).isEqualTo(kept);
		assertThat(this.engine.forceRelease(KEY)).isEmpty();
		assertThat(find().last().thread()).isEqualTo("operator");
	}

}
