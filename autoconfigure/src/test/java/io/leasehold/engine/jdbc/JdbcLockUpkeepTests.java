package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.LockEngineException;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tables, idle rows and connections on every database.
 */
abstract class JdbcLockUpkeepTests extends JdbcLockPollsTests {

	@Test
	void holderIsShown() throws SQLException {
		Claim claim = claim("a");
		assertThat(this.engine.inspect(claim.key())).isEmpty();
		long before = databaseClock();
		long number = granted(claim).number();
		long after = databaseClock();
		assertThat(this.engine.inspect(claim.key())).singleElement().satisfies((holder) -> {
			assertThat(holder.application()).isEqualTo("shop");
			assertThat(holder.number()).isEqualTo(number);
			long since = TimeUnit.SECONDS.toMicros(holder.since().getEpochSecond()) + holder.since().getNano() / 1000;
			assertThat(since).isBetween(before, after);
			assertThat(holder.remaining()).isBetween(LEASE.minusSeconds(20), LEASE);
		});
		release(claim);
		assertThat(this.engine.inspect(claim.key())).isEmpty();
	}

	@Test
	void idleRowsAreRemovedAndComeBackWithAGreaterNumber() throws SQLException {
		hold(5).forEach((renewal) -> release(renewal.claim()));
		long number = granted(claim("again")).number();
		age(Duration.ofDays(8));
		granted(claim("used"));
		assertThat(this.engine.removeIdle(4)).isEqualTo(4);
		assertThat(this.engine.removeIdle(4)).isEqualTo(2);
		assertThat(this.engine.removeIdle(4)).isZero();
		assertThat(rows()).isEqualTo(1);
		assertThat(granted(claim("again")).number()).isGreaterThan(number);
	}

	/** A call has too little time for a commit each where commits are slow. */
	@Test
	void idleRowsAreRemovedTogether() throws SQLException {
		hold(100).forEach((renewal) -> release(renewal.claim()));
		age(Duration.ofDays(8));
		this.statements.clear();
		assertThat(this.engine.removeIdle(100)).isEqualTo(100);
		assertThat(this.statements.executed()).hasSize(3);
		assertThat(rows()).isZero();
	}

	@Test
	void allIdleRowsAreRemovedInBatches() throws SQLException {
		hold(JdbcLockEngine.PURGED_AT_ONCE + 1).forEach((renewal) -> release(renewal.claim()));
		age(Duration.ofDays(8));
		this.engine.removeIdle();
		assertThat(rows()).isZero();
	}

	@Test
	void rowsThatAreHeldOrClosedOrNotIdleForLongAreKept() throws SQLException {
		Claim idle = claim("idle");
		granted(idle);
		release(idle);
		age(Duration.ofDays(6));
		granted(claim("held"));
		Claim closed = claim("closed", LEASE, Duration.ofDays(1));
		granted(closed);
		release(closed);
		assertThat(this.engine.removeIdle(100)).isZero();
		assertThat(rows()).isEqualTo(3);
	}

	@Test
	void idleRowsOfOtherNamespacesAreKept() throws SQLException {
		hold(1);
		age(Duration.ofDays(8));
		stranger().removeIdle(100);
		assertThat(rows()).isEqualTo(1);
	}

	/** A missing table is reported at startup, with the location of its script. */
	@Test
	@Fault(49)
	void missingTableIsNamedWithWhatToDo() {
		JdbcLockEngine lost = engine(settings("no_such_table", Duration.ofSeconds(5)));
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(lost::start)
			.withMessageContaining("'no_such_table' or 'no_such_table_holder' is missing")
			.withMessageContaining(LockTableScript.location(platform()))
			.withMessageContaining("leasehold.jdbc.initialize-schema=always")
			.matches((ex) -> !ex.isRetryable());
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> lost.tryAcquire(claim("a")))
			.withMessageContaining("lock 'a'")
			.matches((ex) -> !ex.isRetryable() && "a".equals(ex.getKey()));
		assertThat(lost.renew(List.of(new Renewal(claim("a"), 1, LEASE)))).singleElement()
			.isInstanceOf(RenewalOutcome.Unknown.class);
	}

	/** So is one that is not what it should be. */
	@Test
	@Fault(49)
	void tableWithOtherColumnsIsNamed() throws SQLException {
		String table = "short_" + UUID.randomUUID().toString().substring(0, 8);
		execute("CREATE TABLE " + table + " (id INT)");
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(engine(settings(table, Duration.ofSeconds(5)))::start)
			.withMessageContaining("table '%1$s' or '%1$s_holder' lacks a required column".formatted(table))
			.matches((ex) -> !ex.isRetryable());
	}

	@Test
	void engineStartsWithItsTable() {
		this.engine.start();
		granted(claim("a"));
	}

	/** Leases are the same in every time zone of a process. */
	@Test
	@Fault(45)
	void timeZoneOfTheJvmDoesNotMatter() throws SQLException {
		Claim claim = claim("a", Duration.ofMinutes(5), Duration.ZERO);
		granted(claim);
		TimeZone zone = TimeZone.getDefault();
		try {
			TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Kiritimati"));
			assertSameTimesElsewhere(claim);
		}
		finally {
			TimeZone.setDefault(zone);
		}
	}

	/** Locks have connections of their own, whatever the application does with its. */
	@Test
	@Fault(40)
	void poolThatTheApplicationHasEmptiedDoesNotStandInTheWay() throws SQLException {
		try (JdbcConnections application = connect(url(), 1, Duration.ofMillis(500));
				Connection taken = application.dataSource().getConnection();
				JdbcLockEngine apart = new JdbcLockEngine(connect(url(), 1, Duration.ofSeconds(5)),
						settings(Duration.ofSeconds(5)), MonotonicClock.SYSTEM)) {
			assertThat(taken.isClosed()).isFalse();
			Claim claim = claim("a");
			long number = ((AcquisitionOutcome.Granted) apart.tryAcquire(claim)).number();
			assertThat(apart.renew(List.of(new Renewal(claim, number, LEASE)))).singleElement()
				.isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(apart.release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
		}
	}

	/** Without any connection a call fails in time and says so. */
	@Test
	@Fault(40)
	void emptyPoolIsABoundedFailureThatMayPass() throws SQLException {
		try (HikariDataSource poor = new HikariDataSource()) {
			// The pool's login timeout would apply to all users of the driver
			poor.setDataSource(new DriverManagerDataSource(url()));
			poor.setMaximumPoolSize(1);
			poor.setConnectionTimeout(500);
			JdbcLockEngine apart = new JdbcLockEngine(JdbcConnections.of(poor), settings(Duration.ofMillis(500)),
					MonotonicClock.SYSTEM);
			Connection taken = poor.getConnection();
			assertThat(taken.isClosed()).isFalse();
			Pace start = Pace.begin();
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> apart.tryAcquire(claim("a")))
				.withMessageContaining("lock 'a'")
				.matches(LockEngineException::isRetryable);
			assertThat(start.elapsed()).isLessThan(start.slack(Duration.ofSeconds(3)));
		}
	}

	/** A row that another session has locked fails alone: all others are renewed. */
	@Test
	@Fault(56)
	void rowLockedBySomebodyElseFailsTheRenewalOfNoOther() throws SQLException {
		List<Renewal> renewals = hold(20);
		Duration timeout = Duration.ofSeconds(6);
		try (JdbcLockEngine apart = new JdbcLockEngine(connect(url(), 2, timeout), settings(timeout),
				MonotonicClock.SYSTEM);
				Connection operator = connection();
				Statement statement = operator.createStatement()) {
			assertThat(apart.renew(renewals)).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
			operator.setAutoCommit(false);
			statement.executeUpdate("UPDATE leasehold_lock SET version = version + 1 WHERE namespace = '"
					+ this.namespace + "' AND lock_key = 'held 7'");
			List<RenewalOutcome> outcomes = new ArrayList<>(apart.renew(renewals));
			assertThat(outcomes.remove(7)).isInstanceOf(RenewalOutcome.Unknown.class);
			assertThat(outcomes).hasSize(19).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
			operator.rollback();
			assertThat(apart.renew(renewals)).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		}
	}

	@Test
	void closedEngineRefuses() {
		JdbcLockEngine closed = engine(settings(Duration.ofSeconds(5)));
		closed.close();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> closed.tryAcquire(claim("a")))
			.matches((ex) -> !ex.isRetryable());
	}

}
