package io.leasehold.autoconfigure;

import javax.sql.DataSource;

import org.springframework.boot.jdbc.init.PropertiesBasedDataSourceScriptDatabaseInitializer;

/**
 * Creates the fence table in the application's database.
 */
class FenceTableInitializer extends PropertiesBasedDataSourceScriptDatabaseInitializer<FencingProperties> {

	FenceTableInitializer(DataSource dataSource, FencingProperties properties) {
		super(dataSource, properties);
	}

}
