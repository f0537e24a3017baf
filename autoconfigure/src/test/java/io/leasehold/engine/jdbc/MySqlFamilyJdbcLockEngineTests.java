package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Attempt;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the engine does on MySQL and MariaDB, each of whose drivers may talk to either.
 */
abstract class MySqlFamilyJdbcLockEngineTests extends NetworkedJdbcLockEngineTests {

	@Override
	final String setTimeZone() {
		return "SET GLOBAL time_zone = '-11:00'";
	}

	@Override
	final String resetTimeZone() {
		return "SET GLOBAL time_zone = 'SYSTEM'";
	}

	/** Name of the session's variable that bounds waiting for a row. */
	abstract String lockTimeoutVariable();

	/** The dialect follows the database, not the driver. */
	@Test
	void sessionsOfEitherDriverAreSetUpForTheDatabase() throws SQLException {
		for (String url : urlsOfEitherDriver()) {
			try (JdbcConnections either = connect(url, 1, Duration.ofSeconds(4));
					Connection connection = either.dataSource().getConnection();
					Statement statement = connection.createStatement();
					ResultSet rows = statement.executeQuery("SELECT @@SESSION." + lockTimeoutVariable())) {
				assertThat(rows.next()).isTrue();
				assertThat(rows.getDouble(1)).as(url).isEqualTo(3);
			}
		}
	}

	/** FAULTS row 48: requests that leave a lease as long as it is. */
	@Test
	void locksWorkWithEitherDriverWhateverItCounts() {
		for (String url : urlsOfEitherDriver()) {
			worksWith(url + "&useAffectedRows=false");
			worksWith(url + "&useAffectedRows=true");
		}
	}

	private void worksWith(String url) {
		try (JdbcLockEngine either = new JdbcLockEngine(connect(url, 2, Duration.ofSeconds(5)),
				settings(Duration.ofSeconds(5)), MonotonicClock.SYSTEM)) {
			either.start();
			Claim claim = claim(url);
			Attempt.Granted granted = (Attempt.Granted) either.tryAcquire(claim);
			Claim again = new Claim(claim.key(), claim.owner(), SHORT, Duration.ZERO, false, claim.since());
			assertThat(either.tryAcquire(again)).as(url).isInstanceOf(Attempt.Granted.class);
			assertThat(either.tryAcquire(claim(url))).as(url).isInstanceOf(Attempt.Busy.class);
			assertThat(renew(either, claim, granted.number(), SHORT)).as(url)
				.isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(either.release(claim)).as(url).isEqualTo(ReleaseOutcome.RELEASED);
			granted(claim(url));
		}
	}

	private List<String> urlsOfEitherDriver() {
		return Stream.of("jdbc:mysql:", "jdbc:mariadb:")
			.map((scheme) -> url().replaceFirst("^jdbc:\\w+:", scheme))
			.toList();
	}

}
