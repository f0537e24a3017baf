package io.leasehold.autoconfigure;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import io.leasehold.engine.support.Jitter;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.dao.DataAccessException;

/**
 * Creation of a table of the library. A failure is retried for about a second: databases
 * may reject a table that another instance is creating, even with IF NOT EXISTS.
 *
 * @param what name of the table in messages
 * @param scripts folder of the scripts
 * @param properties prefix of the properties
 */
public record TableCreation(String what, String scripts, String properties) {

	private static final Log logger = LogFactory.getLog(TableCreation.class);

	/** Each statement of a script may fail once for each instance that starts. */
	private static final int MOST_RETRIES = 20;

	private static final Duration PAUSE = Duration.ofMillis(50);

	/** Create the table, or throw an exception if that fails repeatedly. */
	public void run(Runnable creation) {
		for (int left = MOST_RETRIES; left > 0; left--) {
			try {
				creation.run();
				return;
			}
			catch (DataAccessException ex) {
				logger.debug("The creation of the %s is retried".formatted(this.what), ex);
				LockSupport.parkNanos(Jitter.shorten(PAUSE, Jitter.OF_BACKOFF).toNanos());
			}
		}
		runOnceMore(creation);
	}

	private void runOnceMore(Runnable creation) {
		try {
			creation.run();
		}
		catch (DataAccessException ex) {
			logger.debug("The %s could not be created".formatted(this.what), ex);
			throw new LockEngineConfigurationException(
					"The %s could not be created: %s.".formatted(this.what, ex.getMostSpecificCause().getMessage()),
					("Allow the database's user to create tables, or create it with the script for your database in %s"
							+ " and set %s.initialize-schema to never.")
						.formatted(this.scripts, this.properties));
		}
	}

}
