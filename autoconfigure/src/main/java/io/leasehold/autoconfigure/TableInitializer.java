package io.leasehold.autoconfigure;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.jdbc.init.DatabaseInitializationProperties;
import org.springframework.boot.jdbc.init.PropertiesBasedDataSourceScriptDatabaseInitializer;
import org.springframework.dao.DataAccessException;

/**
 * Creates a table of ours. Once more if that fails: databases refuse a table that another
 * instance creates at the same moment, IF NOT EXISTS or not.
 */
abstract class TableInitializer<T extends DatabaseInitializationProperties>
		extends PropertiesBasedDataSourceScriptDatabaseInitializer<T> {

	private static final Log logger = LogFactory.getLog(TableInitializer.class);

	private final String what;

	private final String whatToDo;

	/**
	 * Create an initializer.
	 * @param what the table, as messages tell of it
	 * @param whatToDo where it cannot be created
	 */
	TableInitializer(DataSource dataSource, T properties, String what, String whatToDo) {
		super(dataSource, properties);
		this.what = what;
		this.whatToDo = whatToDo;
	}

	@Override
	protected void runScripts(Scripts scripts) {
		try {
			super.runScripts(scripts);
		}
		catch (DataAccessException ex) {
			logger.debug("The %s is going to be created once more".formatted(this.what), ex);
			runOnceMore(scripts);
		}
	}

	private void runOnceMore(Scripts scripts) {
		try {
			super.runScripts(scripts);
		}
		catch (DataAccessException ex) {
			logger.debug("The %s could not be created".formatted(this.what), ex);
			throw new LockEngineConfigurationException(
					"The %s could not be created: %s.".formatted(this.what, ex.getMostSpecificCause().getMessage()),
					this.whatToDo);
		}
	}

}
