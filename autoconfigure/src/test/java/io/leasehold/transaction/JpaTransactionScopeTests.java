package io.leasehold.transaction;

import javax.sql.DataSource;

import org.junit.jupiter.api.Tag;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

@Tag("full")
class JpaTransactionScopeTests extends JpaTransactionScopeContract {

	@Override
	String url() {
		return "jdbc:h2:mem:" + getClass().getSimpleName() + ";DB_CLOSE_DELAY=-1";
	}

	@Override
	DataSource database() {
		return new DriverManagerDataSource(url(), "sa", "");
	}

	@Override
	String lockTimeout() {
		return "SELECT LOCK_TIMEOUT()";
	}

}
