package io.leasehold.engine.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

import org.springframework.core.io.ClassPathResource;

/**
 * Script that creates the lock table and that of its holders, one for each platform.
 * Flyway treats it as a repeatable migration, so that its version cannot conflict with
 * one of the application. It must be safe to run if the tables exist.
 */
public final class LockTableScript {

	/** Location on the class path, with the placeholder of Boot's initializers. */
	public static final String LOCATION = "io/leasehold/engine/jdbc/migration/@@platform@@/R__leasehold_lock.sql";

	private static final Pattern TABLE = Pattern
		.compile("\\b%s(?=(_holder)?\\b)".formatted(JdbcSettings.DEFAULT_TABLE));

	private LockTableScript() {
	}

	/**
	 * Return the location of a platform's script.
	 * @param platform name of the platform, such as {@code postgresql}
	 * @return the location on the class path
	 */
	static String location(String platform) {
		return LOCATION.replace("@@platform@@", platform);
	}

	/**
	 * Return the script for a table.
	 * @param platform name of the platform, such as {@code postgresql}
	 * @param table name of the table, preceded by its schema if necessary
	 */
	public static String read(String platform, String table) {
		try {
			return forTable(new ClassPathResource(location(platform)).getContentAsString(StandardCharsets.UTF_8),
					table);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Adapt a script to a table of another name.
	 * @param script the statements
	 * @param table name of the table, preceded by its schema if necessary
	 * @return the statements for that table
	 */
	public static String forTable(String script, String table) {
		return TABLE.matcher(script).replaceAll(table);
	}

}
