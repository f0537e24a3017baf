package io.leasehold.transaction;

import javax.sql.DataSource;

import org.junit.jupiter.api.Tag;

import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

@Tag("full")
class H2RollbackTests extends RollbackContract {

	@Override
	DataSource dataSource() {
		return new EmbeddedDatabaseBuilder().generateUniqueName(true).setType(EmbeddedDatabaseType.H2).build();
	}

}
