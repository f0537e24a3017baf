package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;

import io.leasehold.LockEngineException;
import io.leasehold.engine.jdbc.LockTableException.Problem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Failures}.
 */
class JdbcFailuresTests {

	private static final SQLException BROKEN = new SQLException("broken", "08006");

	@Test
	void messageNamesTheDatabaseIfItIsKnown() {
		assertThat(failure("h2:mem:a", BROKEN)).hasMessage("The database h2:mem:a could not renew: broken");
		assertThat(failure(null, BROKEN)).hasMessage("The database could not renew: broken");
		assertThat(Failures.connecting("h2:mem:a", BROKEN))
			.hasMessage("Could not connect to the database h2:mem:a: broken");
		assertThat(Failures.connecting(null, BROKEN)).hasMessage("Could not connect to the database: broken");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			jdbc:postgresql://db:5432/shop?user=me&password=secret | postgresql://db:5432/shop
			jdbc:postgresql://db/shop?password=s@cret              | postgresql://db/shop
			jdbc:postgresql://me:secret@db:5432/shop               | postgresql://db:5432/shop
			jdbc:postgresql://db1:5432,db2:5433/shop               | postgresql://db1:5432,db2:5433/shop
			jdbc:postgresql:///shop?socketFactory=a                | postgresql:///shop
			jdbc:postgresql:shop                                   | postgresql:shop
			jdbc:mysql:loadbalance://[::1]:3306,db-2/shop          | mysql:loadbalance://[::1]:3306,db-2/shop
			jdbc:mysql://me:se?cret@db/shop                        |
			jdbc:mysql://me:se@cret@db/shop                        | mysql://db/shop
			jdbc:mysql://(host=db,user=me,password=secret)/shop    |
			jdbc:mysql://address=(host=db)(password=secret)/shop   |
			jdbc:h2:mem:shop;USER=me;PASSWORD=secret               | h2:mem:shop
			jdbc:h2:tcp://db:9092/~/shop                           | h2:tcp://db:9092/~/shop
			jdbc:oracle:thin:me/secret@//db:1521/shop              |
			jdbc:oracle:thin:me/secret@db:1521:shop                |
			""")
	void locationHasNeitherCredentialsNorParameters(String url, String location) {
		assertThat(Failures.location(url)).isEqualTo(location);
	}

	@Test
	void locationOfAnUnknownUrlIsUnknown() {
		assertThat(Failures.location(null)).isNull();
	}

	@Test
	void reasonOfAPoolWithoutConnectionIsItsCause() {
		SQLException refused = new SQLException("no such user", "28000");
		LockEngineException failure = failure(null, new SQLTransientConnectionException("not available", refused));
		assertThat(failure).hasMessage("The database could not renew: no such user").hasCause(refused);
		assertThat(failure.isRetryable()).isFalse();
		assertThat(failure(null, new SQLException("outer", "08006", refused)).isRetryable()).isTrue();
		assertThat(failure(null, new SQLTransientConnectionException("in use")).isRetryable()).isTrue();
	}

	/** The driver only says that the connection was closed, which the timeout did. */
	@Test
	void timeoutOfAPoolIsNamedToo() {
		SQLException closed = new SQLException("This connection has been closed.", "08003");
		SQLException thrown = new SQLTransientConnectionException(
				"leasehold-jdbc - Connection is not available, request timed out after 2004ms (total=0, active=0)",
				closed);
		assertThat(failure(null, thrown))
			.hasMessage("The database could not renew: This connection has been closed. No connection within 2004 ms");
		assertThat(Failures.connecting(null, thrown)).hasMessage(
				"Could not connect to the database: This connection has been closed. No connection within 2004 ms");
	}

	@Test
	void refusedConnectionIsRetryableUnlessItIsAMistake() {
		assertThat(Failures.connecting(null, BROKEN).isRetryable()).isTrue();
		assertThat(Failures.connecting(null, new SQLException("no such user", "28000")).isRetryable()).isFalse();
	}

	@Test
	void adviceOnTheTableNeedsAKnownDatabase() {
		SQLException missing = new SQLException("no table", "42P01");
		assertThat(failure(null, missing)).isInstanceOf(LockTableException.class);
		assertThat(Failures.of("renew", null, null, "leasehold_lock", null, missing))
			.isNotInstanceOf(LockTableException.class)
			.hasMessage("The database could not renew: no table");
	}

	@ParameterizedTest
	@CsvSource({ "42P01, 0, MISSING", "42S02, 42102, MISSING", "42S03, 42103, MISSING", "42S04, 42104, MISSING",
			"3F000, 0, MISSING", "42703, 0, DIFFERENT", "42S22, 1054, DIFFERENT", "42501, 0, FORBIDDEN",
			"42000, 1142, FORBIDDEN", "42000, 1143, FORBIDDEN", "90096, 90096, FORBIDDEN" })
	void problemOfTheTableIsNamed(String state, int code, Problem problem) {
		assertThat(failure(null, new SQLException("refused", state, code)))
			.isInstanceOfSatisfying(LockTableException.class, (ex) -> {
				assertThat(ex.getProblem()).isEqualTo(problem);
				assertThat(ex.getTable()).isEqualTo("leasehold_lock");
				assertThat(ex.getPlatform()).isEqualTo("h2");
				assertThat(ex.isRetryable()).isFalse();
				assertThat(ex).hasMessageContaining("leasehold_lock_holder").hasMessageContaining("refused");
			});
	}

	/** Return whether a retry may succeed without any change from outside. */
	@ParameterizedTest
	@CsvSource({ "08006, 0, true", "28000, 0, false", "42000, 0, false", "42000, 1203, true", "28000, 1226, true",
			"3D000, 0, false", "0A000, 0, false", "25006, 0, false", "HY000, 1290, false", "90146, 90146, false",
			"90149, 90149, false", "57P01, 0, true" })
	void mistakesAreNotRetryable(String state, int code, boolean retryable) {
		assertThat(failure(null, new SQLException("refused", state, code)).isRetryable()).isEqualTo(retryable);
	}

	@ParameterizedTest
	@CsvSource({ "40001, 0, true", "40P01, 0, true", "40003, 0, false", "55P03, 0, true", "HY000, 1205, true",
			"HY000, 1213, true", "70100, 1969, true", "HYT00, 50200, true", "90131, 90131, true", "08006, 0, false" })
	void lockTimeoutsAndDeadlocksAreUndone(String state, int code, boolean undone) {
		SQLException thrown = new SQLException("refused", state, code);
		assertThat(Failures.isUndone(thrown)).isEqualTo(undone);
		assertThat(Failures.isUndone(failure(null, thrown))).isEqualTo(undone);
		assertThat(Failures.isUndone(new IllegalStateException(new IllegalStateException()))).isFalse();
	}

	private static LockEngineException failure(String location, SQLException thrown) {
		return Failures.of("renew", null, location, "leasehold_lock", new H2Dialect(), thrown);
	}

}
