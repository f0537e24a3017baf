package io.leasehold.engine.jdbc;

import java.sql.SQLException;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the lock table cannot be used as it is.
 */
public final class LockTableException extends LockEngineException {

	private static final long serialVersionUID = 1L;

	private final Problem problem;

	private final String table;

	private final String platform;

	LockTableException(@Nullable LockKey key, String message, Problem problem, String table, String platform,
			SQLException cause) {
		super(key, message, cause, false);
		this.problem = problem;
		this.table = table;
		this.platform = platform;
	}

	/**
	 * Return what is wrong.
	 * @return the problem
	 */
	public Problem getProblem() {
		return this.problem;
	}

	/**
	 * Return the table.
	 * @return its name, with that of its schema in front if one is configured
	 */
	public String getTable() {
		return this.table;
	}

	/**
	 * Return the platform whose script creates the table.
	 * @return the platform, such as {@code postgresql}
	 */
	public String getPlatform() {
		return this.platform;
	}

	/** What can be wrong with the table. */
	public enum Problem {

		/** There is no such table. */
		MISSING,

		/** It lacks columns. */
		DIFFERENT,

		/** The database's user has not all privileges that it takes. */
		FORBIDDEN

	}

}
