package io.leasehold.autoconfigure;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import javax.sql.DataSource;

import io.leasehold.engine.support.Jitter;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.jdbc.init.DatabaseInitializationProperties;
import org.springframework.boot.jdbc.init.PropertiesBasedDataSourceScriptDatabaseInitializer;
import org.springframework.dao.DataAccessException;

/**
 * Initializer of tables of the library. It retries a failure for about a second:
 * databases may reject a table that another instance is creating, even with IF NOT
 * EXISTS.
 */
public abstract class TableInitializer<T extends DatabaseInitializationProperties>
		extends PropertiesBasedDataSourceScriptDatabaseInitializer<T> {

	private static final Log logger = LogFactory.getLog(TableInitializer.class);

	/** Each statement of a script may fail once for each instance that starts. */
	private static final int MOST_RETRIES = 20;

	private static final Duration PAUSE = Duration.ofMillis(50);

	private final String what;

	private final String whatToDo;

	/**
	 * Create an initializer.
	 * @param what name of the table in messages
	 * @param whatToDo correction if it cannot be created
	 */
	public TableInitializer(DataSource dataSource, T properties, String what, String whatToDo) {
		super(dataSource, properties);
		this.what = what;
		this.whatToDo = whatToDo;
	}

	@Override
	protected void runScripts(Scripts scripts) {
		for (int left = MOST_RETRIES; left > 0; left--) {
			try {
				super.runScripts(scripts);
				return;
			}
			catch (DataAccessException ex) {
				logger.debug("The creation of the %s is retried".formatted(this.what), ex);
				LockSupport.parkNanos(Jitter.shorten(PAUSE, Jitter.OF_BACKOFF).toNanos());
			}
		}
		runOnceMore(scripts);
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
