package io.leasehold.transaction;

import java.sql.SQLException;

import javax.sql.DataSource;

import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Tag("full")
class H2AnnouncementTests extends AnnouncementContract {

	@Override
	DataSource dataSource() {
		return new EmbeddedDatabaseBuilder().generateUniqueName(true).setType(EmbeddedDatabaseType.H2).build();
	}

	@Override
	String platform() {
		return "h2";
	}

	/** A failed insertion of a transaction is rolled back before the next statement. */
	@ParameterizedTest
	@ValueSource(longs = { 3, 5 })
	@Fault(96)
	void greaterTokenStaysWithoutAutoCommit(long other) {
		announceAfter("INSERT", other, false);
		assertThat(tokens()).containsExactly(5L);
	}

	@Test
	void failureOfTheDatabaseIsTranslated() {
		assertThatExceptionOfType(DataAccessResourceFailureException.class)
			.isThrownBy(() -> failing(new SQLException("gone", "08006")).open(BelievedLock.of(5)))
			.withMessageContaining("Announce the fencing token of lock 'stock'");
		assertThatExceptionOfType(UncategorizedSQLException.class)
			.isThrownBy(() -> failing(new SQLException("odd", "ZZZZZ")).open(BelievedLock.of(5)))
			.withMessageContaining("Announce the fencing token of lock 'stock'");
	}

	private JdbcFencingGuard failing(SQLException failure) {
		return guard(observed(true, (sql) -> {
			if (sql.equals(FenceTable.READ)) {
				throw failure;
			}
		}));
	}

}
