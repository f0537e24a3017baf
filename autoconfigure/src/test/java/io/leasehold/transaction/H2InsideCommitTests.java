package io.leasehold.transaction;

import java.util.UUID;

import javax.sql.DataSource;

import org.h2.jdbcx.JdbcDataSource;

class H2InsideCommitTests extends InsideCommitContract {

	@Override
	DataSource database() {
		JdbcDataSource h2 = new JdbcDataSource();
		h2.setUrl("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()));
		return h2;
	}

}
