package io.leasehold.engine.jdbc;

import java.sql.SQLException;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * Exception thrown if the lock table cannot be used as it is.
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

	public Problem getProblem() {
		return this.problem;
	}

	/** Return the name of the table, after its schema if one is configured. */
	public String getTable() {
		return this.table;
	}

	/** Return the platform whose script creates the table, such as {@code postgresql}. */
	public String getPlatform() {
		return this.platform;
	}

	/** Problem of the lock table. */
	public enum Problem {

		/** The table is missing. */
		MISSING,

		/** The table lacks columns. */
		DIFFERENT,

		/** The database's user lacks required privileges. */
		FORBIDDEN

	}

}
