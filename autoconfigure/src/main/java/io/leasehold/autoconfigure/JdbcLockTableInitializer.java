package io.leasehold.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.leasehold.engine.jdbc.JdbcConnections;
import io.leasehold.engine.jdbc.JdbcSettings;
import io.leasehold.engine.jdbc.LockTableScript;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.jdbc.init.PropertiesBasedDataSourceScriptDatabaseInitializer;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.dao.DataAccessException;

/**
 * Creates the lock table, by the engine's own connections.
 */
class JdbcLockTableInitializer extends PropertiesBasedDataSourceScriptDatabaseInitializer<JdbcProperties> {

	private static final Log logger = LogFactory.getLog(JdbcLockTableInitializer.class);

	private final String table;

	JdbcLockTableInitializer(JdbcConnections connections, JdbcProperties properties) {
		super(connections.dataSource(), properties);
		this.table = properties.getTable();
	}

	/**
	 * Run the scripts for the configured table. Once more if they fail: databases refuse
	 * a table that another instance creates at the same moment, IF NOT EXISTS or not.
	 */
	@Override
	protected void runScripts(Scripts scripts) {
		Scripts ours = forTable(scripts);
		try {
			super.runScripts(ours);
		}
		catch (DataAccessException ex) {
			logger.debug("The lock table is going to be created once more", ex);
			runOnceMore(ours);
		}
	}

	private void runOnceMore(Scripts scripts) {
		try {
			super.runScripts(scripts);
		}
		catch (DataAccessException ex) {
			logger.debug("The lock table could not be created", ex);
			throw new LockEngineConfigurationException(
					"The lock table '%s' could not be created: %s.".formatted(this.table,
							ex.getMostSpecificCause().getMessage()),
					"Let the database's user create tables, or create it by the script of your database in "
							+ "io/leasehold/engine/jdbc/migration and set leasehold.jdbc.initialize-schema to never.");
		}
	}

	private Scripts forTable(Scripts scripts) {
		if (this.table.equals(JdbcSettings.DEFAULT_TABLE)) {
			return scripts;
		}
		Charset encoding = (scripts.getEncoding() != null) ? scripts.getEncoding() : StandardCharsets.UTF_8;
		List<Resource> renamed = new ArrayList<>();
		for (Resource script : scripts) {
			try {
				String sql = LockTableScript.forTable(script.getContentAsString(encoding), this.table);
				renamed.add(new ByteArrayResource(sql.getBytes(encoding), script.getDescription()));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
		return new Scripts(renamed).continueOnError(scripts.isContinueOnError())
			.separator(scripts.getSeparator())
			.encoding(encoding);
	}

}
