package io.leasehold.autoconfigure.fencing;

import javax.sql.DataSource;

import io.leasehold.autoconfigure.TableCreation;
import io.leasehold.autoconfigure.TableInitializer;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.jdbc.init.DatabaseInitializationProperties;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.core.io.ResourceLoader;

/**
 * Initializer of the fence table in the application's database.
 */
public class FenceTableInitializer extends TableInitializer<FenceTableInitializer.Properties> {

	FenceTableInitializer(DataSource dataSource, Properties properties, ResourceLoader resources) {
		super(dataSource, properties, resources, new TableCreation("fence table 'leasehold_fence'",
				"io/leasehold/transaction/migration", "leasehold.fencing"));
	}

	/** Create the table if the properties demand it for this database. */
	static void createTable(DataSource database, Properties properties, ResourceLoader resources) {
		DatabaseInitializationMode mode = properties.getInitializeSchema();
		if (mode == DatabaseInitializationMode.ALWAYS
				|| mode == DatabaseInitializationMode.EMBEDDED && EmbeddedDatabaseConnection.isEmbedded(database)) {
			new FenceTableInitializer(database, properties, resources).initializeDatabase();
		}
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
