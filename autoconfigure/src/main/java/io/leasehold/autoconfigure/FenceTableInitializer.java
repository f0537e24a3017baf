package io.leasehold.autoconfigure;

import javax.sql.DataSource;

/**
 * Initializer of the fence table in the application's database.
 */
class FenceTableInitializer extends TableInitializer<FencingProperties> {

	FenceTableInitializer(DataSource dataSource, FencingProperties properties) {
		super(dataSource, properties, "fence table 'leasehold_fence'",
				"Allow the database's user to create tables, or create it with the script for your database in "
						+ "io/leasehold/transaction/migration and set leasehold.fencing.initialize-schema to never.");
	}

}
