package io.leasehold.autoconfigure.fencing;

import javax.sql.DataSource;

import io.leasehold.autoconfigure.TableCreation;
import io.leasehold.autoconfigure.TableInitializer;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.jdbc.init.DatabaseInitializationProperties;

/**
 * Initializer of the fence table in the application's database.
 */
public class FenceTableInitializer extends TableInitializer<FenceTableInitializer.Properties> {

	FenceTableInitializer(DataSource dataSource, Properties properties) {
		super(dataSource, properties, new TableCreation("fence table 'leasehold_fence'",
				"io/leasehold/transaction/migration", "leasehold.fencing"));
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
