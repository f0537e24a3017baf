package io.leasehold.engine.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

import org.springframework.core.io.ClassPathResource;

/**
 * The script that creates the lock table and that of its holders, one for each platform.
 * Flyway takes it for a repeatable migration, so that it meets no version of the
 * application's; so it has to do no harm where the table is there already.
 */
public final class LockTableScript {

	/** Location on the class path, with the placeholder of Boot's initializers. */
	public static final String LOCATION = "io/leasehold/engine/jdbc/migration/@@platform@@/R__leasehold_lock.sql";

	private static final Pattern TABLE = Pattern
		.compile("\\b%s(?=(_holder)?\\b)".formatted(JdbcSettings.DEFAULT_TABLE));

	private LockTableScript() {
	}

	/**
	 * Return the name of the table of those who hold locks beside others.
	 * @param table name of the lock table, with its schema in front if need be
	 * @return the name of the other table
	 */
	public static String holders(String table) {
		return table + "_holder";
	}

	/**
	 * Return where the script of a platform is.
	 * @param platform name of the platform, such as {@code postgresql}
	 * @return the location on the class path
	 */
	static String location(String platform) {
		return LOCATION.replace("@@platform@@", platform);
	}

	/**
	 * Return the script for a table.
	 * @param platform name of the platform, such as {@code postgresql}
	 * @param table name of the table, with its schema in front if need be
	 * @return the statements
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
	 * Make a script create a table of another name.
	 * @param script the statements
	 * @param table name of the table, with its schema in front if need be
	 * @return the statements for that table
	 */
	public static String forTable(String script, String table) {
		return TABLE.matcher(script).replaceAll(table);
	}

}
