package io.leasehold.benchmark.store;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

import io.leasehold.engine.jdbc.JdbcSettings;
import io.leasehold.engine.jdbc.LockTableScript;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/**
 * The tables of all that lock in a database.
 */
final class Tables {

	private static final String SPRING_INTEGRATION = "org/springframework/integration/jdbc/schema-%s.sql";

	private static final String OTHERS = """
			CREATE TABLE bare_lock (id VARCHAR(255) PRIMARY KEY, owner VARCHAR(64), lock_until TIMESTAMP(6) NULL);
			CREATE TABLE shedlock (name VARCHAR(64) PRIMARY KEY, lock_until TIMESTAMP(3) NOT NULL,
				locked_at TIMESTAMP(3) NOT NULL, locked_by VARCHAR(255) NOT NULL);
			""";

	private Tables() {
	}

	/**
	 * Create them.
	 * @param url of the database
	 * @param platform its name in Leasehold's scripts
	 * @param family its name in those of Spring Integration
	 */
	static void create(String url, String platform, String family) throws SQLException {
		try (Connection connection = DriverManager.getConnection(url)) {
			ScriptUtils.executeSqlScript(connection, script(OTHERS));
			ScriptUtils.executeSqlScript(connection, new ClassPathResource(SPRING_INTEGRATION.formatted(family)));
			ScriptUtils.executeSqlScript(connection,
					script(LockTableScript.read(platform, JdbcSettings.DEFAULT_TABLE)));
		}
	}

	private static Resource script(String statements) {
		return new ByteArrayResource(statements.getBytes(StandardCharsets.UTF_8));
	}

}
