package io.leasehold.autoconfigure.fencing;

import java.util.List;
import java.util.Locale;

import io.leasehold.autoconfigure.TableCreation;
import io.r2dbc.spi.ConnectionFactory;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.r2dbc.OptionsCapableConnectionFactory;
import org.springframework.boot.r2dbc.init.R2dbcScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.StringUtils;

/**
 * Initializer of the fence table in the database of the reactive transactions. It has the
 * properties of the {@link FenceTableInitializer}.
 */
class ReactiveFenceTableInitializer extends R2dbcScriptDatabaseInitializer {

	private static final String SCHEMA = "optional:classpath:io/leasehold/transaction/migration/@@platform@@/R__leasehold_fence.sql";

	private final TableCreation creation = new TableCreation("fence table 'leasehold_fence'",
			"io/leasehold/transaction/migration", "leasehold.fencing");

	private ReactiveFenceTableInitializer(ConnectionFactory database, Environment environment,
			DatabaseInitializationMode mode) {
		super(database, settings(database, environment, mode));
	}

	/**
	 * Create the table if the properties demand it for this database. One that Boot has
	 * not built is not embedded.
	 */
	static void createTable(ConnectionFactory database, Environment environment, ResourceLoader resources) {
		DatabaseInitializationMode mode = Binder.get(environment)
			.bind("leasehold.fencing.initialize-schema", DatabaseInitializationMode.class)
			.orElse(DatabaseInitializationMode.EMBEDDED);
		if (mode == DatabaseInitializationMode.ALWAYS || mode == DatabaseInitializationMode.EMBEDDED
				&& OptionsCapableConnectionFactory.unwrapFrom(database) != null) {
			ReactiveFenceTableInitializer initializer = new ReactiveFenceTableInitializer(database, environment, mode);
			initializer.setResourceLoader(resources);
			initializer.initializeDatabase();
		}
	}

	private static DatabaseInitializationSettings settings(ConnectionFactory database, Environment environment,
			DatabaseInitializationMode mode) {
		String configured = environment.getProperty("leasehold.fencing.platform");
		String platform = StringUtils.hasText(configured) ? configured
				: database.getMetadata().getName().toLowerCase(Locale.ROOT);
		String schema = environment.getProperty("leasehold.fencing.schema");
		DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
		settings.setSchemaLocations(
				List.of((StringUtils.hasText(schema) ? schema : SCHEMA).replace("@@platform@@", platform)));
		settings.setMode(mode);
		return settings;
	}

	@Override
	protected void runScripts(Scripts scripts) {
		this.creation.run(() -> super.runScripts(scripts));
	}

}
