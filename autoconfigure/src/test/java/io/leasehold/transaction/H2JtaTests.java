package io.leasehold.transaction;

import javax.sql.DataSource;
import javax.sql.XADataSource;

import org.junit.jupiter.api.Tag;

import org.h2.jdbcx.JdbcDataSource;

@Tag("full")
class H2JtaTests extends JtaContract {

	private static int databases;

	@Override
	XADataSource xaDataSource() {
		JdbcDataSource dataSource = new JdbcDataSource();
		dataSource.setUrl("jdbc:h2:mem:jta%d;DB_CLOSE_DELAY=-1".formatted(++databases));
		return dataSource;
	}

	@Override
	DataSource observing(XADataSource database) {
		return (JdbcDataSource) database;
	}

	@Override
	String platform() {
		return "h2";
	}

}
