package io.leasehold.transaction;

import javax.sql.DataSource;

import io.leasehold.server.PostgresTestServer;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

class PostgresAnnouncementIntegrationTests extends AnnouncementContract {

	@Override
	DataSource dataSource() {
		return new DriverManagerDataSource(PostgresTestServer.shared().url());
	}

	@Override
	String platform() {
		return "postgresql";
	}

	/** A failed insertion of a transaction is rolled back before the next statement. */
	@ParameterizedTest
	@ValueSource(longs = { 3, 5 })
	@Fault(96)
	void greaterTokenStaysWithoutAutoCommit(long other) {
		announceAfter("INSERT", other, false);
		assertThat(tokens()).containsExactly(5L);
	}

}
