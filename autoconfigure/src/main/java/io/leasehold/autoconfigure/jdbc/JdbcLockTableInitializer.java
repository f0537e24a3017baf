package io.leasehold.autoconfigure.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.leasehold.autoconfigure.TableCreation;
import io.leasehold.autoconfigure.TableInitializer;
import io.leasehold.engine.jdbc.JdbcConnections;
import io.leasehold.engine.jdbc.JdbcSettings;
import io.leasehold.engine.jdbc.LockTableScript;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.jdbc.init.DatabaseInitializationProperties;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/**
 * Initializer of the lock table, through the engine's own connections.
 */
public class JdbcLockTableInitializer extends TableInitializer<JdbcLockTableInitializer.Properties> {

	private final String table;

	JdbcLockTableInitializer(JdbcConnections connections, Properties properties, ResourceLoader resources,
			String table) {
		super(connections.dataSource(), properties, resources, new TableCreation("lock table '%s'".formatted(table),
				"io/leasehold/engine/jdbc/migration", "leasehold.jdbc"));
		this.table = table;
	}

	@Override
	protected void runScripts(Scripts scripts) {
		super.runScripts(forTable(scripts));
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

	@ConfigurationProperties("leasehold.jdbc")
	public static class Properties extends DatabaseInitializationProperties {

		Properties() {
			setContinueOnError(false); // Boot's default hides the failure
		}

		@Override
		public String getDefaultSchemaLocation() {
			return "classpath:" + LockTableScript.LOCATION;
		}

	}

}
