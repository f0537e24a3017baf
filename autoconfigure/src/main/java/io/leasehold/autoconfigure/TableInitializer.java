package io.leasehold.autoconfigure;

import javax.sql.DataSource;

import org.springframework.boot.jdbc.init.DatabaseInitializationProperties;
import org.springframework.boot.jdbc.init.PropertiesBasedDataSourceScriptDatabaseInitializer;

/**
 * Initializer of tables of the library.
 */
public abstract class TableInitializer<T extends DatabaseInitializationProperties>
		extends PropertiesBasedDataSourceScriptDatabaseInitializer<T> {

	private final TableCreation creation;

	/**
	 * Create an initializer.
	 * @param creation name of the table, and correction if it cannot be created
	 */
	public TableInitializer(DataSource dataSource, T properties, TableCreation creation) {
		super(dataSource, properties);
		this.creation = creation;
	}

	@Override
	protected void runScripts(Scripts scripts) {
		this.creation.run(() -> super.runScripts(scripts));
	}

}
