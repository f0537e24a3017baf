package io.leasehold.autoconfigure.fencing;

import io.leasehold.autoconfigure.LockEngineConfigurationException;

import org.springframework.dao.DataAccessException;

/**
 * Check that the table of fencing tokens can be used.
 */
final class FenceTableCheck {

	private FenceTableCheck() {
	}

	/** Run a check that throws an exception if the table cannot be used. */
	static void run(Runnable check) {
		try {
			check.run();
		}
		catch (DataAccessException ex) {
			throw new LockEngineConfigurationException(
					"Table leasehold_fence, which fenced methods require, cannot be used: %s."
						.formatted(ex.getMostSpecificCause().getMessage()),
					"Create it with the script for your database in io/leasehold/transaction/migration, or set"
							+ " leasehold.fencing.initialize-schema to always.");
		}
	}

}
