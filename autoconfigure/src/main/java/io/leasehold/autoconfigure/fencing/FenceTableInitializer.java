package io.leasehold.autoconfigure.fencing;

import javax.sql.DataSource;

import io.leasehold.autoconfigure.TableInitializer;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.jdbc.init.DatabaseInitializationProperties;

/**
 * Initializer of the fence table in the application's database.
 */
public class FenceTableInitializer extends TableInitializer<FenceTableInitializer.Properties> {

	FenceTableInitializer(DataSource dataSource, Properties properties) {
		super(dataSource, properties, "fence table 'leasehold_fence'",
				"Allow the database's user to create tables, or create it with the script for your database in "
						+ "io/leasehold/transaction/migration and set leasehold.fencing.initialize-schema to never.");
	}

	@ConfigurationProperties("leasehold.fencing")
	public static class Properties extends DatabaseInitializationProperties {

		Properties() {
			setContinueOnError(false); // Boot's default hides the failure
		}

		@Override
		public String getDefaultSchemaLocation() {
			return "classpath:io/leasehold/transaction/migration/@@platform@@/R__leasehold_fence.sql";
		}

	}

}
