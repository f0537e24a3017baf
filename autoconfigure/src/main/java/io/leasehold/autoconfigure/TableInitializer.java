package io.leasehold.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;

import javax.sql.DataSource;

import org.springframework.boot.jdbc.init.DatabaseInitializationProperties;
import org.springframework.boot.jdbc.init.PropertiesBasedDataSourceScriptDatabaseInitializer;
import org.springframework.core.io.ResourceLoader;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.init.DatabasePopulator;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.datasource.init.UncategorizedScriptException;

/**
 * Initializer of tables of the library.
 */
public abstract class TableInitializer<T extends DatabaseInitializationProperties>
		extends PropertiesBasedDataSourceScriptDatabaseInitializer<T> {

	private final TableCreation creation;

	/**
	 * Create an initializer.
	 * @param resources loader of the scripts
	 * @param creation name of the table, and correction if it cannot be created
	 */
	public TableInitializer(DataSource dataSource, T properties, ResourceLoader resources, TableCreation creation) {
		super(dataSource, properties);
		setResourceLoader(resources);
		this.creation = creation;
	}

	@Override
	protected void runScripts(Scripts scripts) {
		ResourceDatabasePopulator populator = new ResourceDatabasePopulator();
		populator.setContinueOnError(scripts.isContinueOnError());
		populator.setSeparator(scripts.getSeparator());
		if (scripts.getEncoding() != null) {
			populator.setSqlScriptEncoding(scripts.getEncoding().name());
		}
		scripts.forEach(populator::addScript);
		this.creation.run(() -> populate(populator));
	}

	/** Not on the connection of a transaction, which may be rolled back. */
	private void populate(DatabasePopulator populator) {
		DataSource database = getDataSource();
		while (database instanceof TransactionAwareDataSourceProxy proxy) {
			database = Objects.requireNonNull(proxy.getTargetDataSource());
		}
		try (Connection connection = database.getConnection()) {
			populator.populate(connection);
			if (!connection.getAutoCommit()) {
				connection.commit();
			}
		}
		catch (SQLException ex) {
			throw new UncategorizedScriptException("The script failed", ex);
		}
	}

}
