package io.leasehold.autoconfigure;

import javax.sql.DataSource;

/**
 * Creates the fence table in the application's database.
 */
class FenceTableInitializer extends TableInitializer<FencingProperties> {

	FenceTableInitializer(DataSource dataSource, FencingProperties properties) {
		super(dataSource, properties, "fence table 'leasehold_fence'",
				"Let the database's user create tables, or create it by the script of your database in "
						+ "io/leasehold/transaction/migration and set leasehold.fencing.initialize-schema to never.");
	}

}
