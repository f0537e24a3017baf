package io.leasehold.autoconfigure.jdbc;

import io.leasehold.engine.jdbc.JdbcSettings;
import io.leasehold.engine.jdbc.LockTableException;
import io.leasehold.engine.jdbc.LockTableScript;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.NestedExceptionUtils;

/**
 * Failure analysis of a {@link LockTableException}, with the SQL that corrects it.
 */
class LockTableFailureAnalyzer extends AbstractFailureAnalyzer<LockTableException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockTableException cause) {
		return new FailureAnalysis("The lock table '%s' or '%s' %s (%s).".formatted(cause.getTable(),
				JdbcSettings.holdersOf(cause.getTable()), problem(cause),
				NestedExceptionUtils.getMostSpecificCause(cause).getMessage()), action(cause), cause);
	}

	private static String problem(LockTableException cause) {
		return switch (cause.getProblem()) {
			case MISSING -> "is missing";
			case DIFFERENT -> "lacks a required column";
			case FORBIDDEN -> "is not accessible to the database user";
		};
	}

	private static String action(LockTableException cause) {
		return switch (cause.getProblem()) {
			case MISSING -> """
					Do one of these:

					- Set leasehold.jdbc.initialize-schema to always, if the user may create tables.
					%s:

					%s""".formatted(migration(cause), script(cause));
			case DIFFERENT -> """
					Change them to match these statements, or set leasehold.jdbc.table to another name:

					%s""".formatted(script(cause));
			case FORBIDDEN -> "Run this in the database, for the user that the application connects as:\n\n"
					+ "GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO ...;\nGRANT SELECT, INSERT, UPDATE, DELETE ON %s TO ...;"
						.formatted(cause.getTable(), JdbcSettings.holdersOf(cause.getTable()));
		};
	}

	/** The migrations of the library only support the default name. */
	private static String migration(LockTableException cause) {
		if (!cause.getTable().equals(JdbcSettings.DEFAULT_TABLE)) {
			return "- Run this in the database, or add it to your own Flyway or Liquibase migrations";
		}
		return """
				- With Flyway, add classpath:io/leasehold/engine/jdbc/migration/{vendor} to spring.flyway.locations.
				- With Liquibase, include io/leasehold/engine/jdbc/migration/changelog.yaml in your changelog.
				- Run this in the database""";
	}

	private static String script(LockTableException cause) {
		return LockTableScript.read(cause.getPlatform(), cause.getTable());
	}

}
