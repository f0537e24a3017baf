package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.UUID;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * New H2 databases in memory, with the engine's tables.
 */
final class H2Memory {

	private H2Memory() {
	}

	static JdbcConnections open(int size, Duration callTimeout) {
		return open("jdbc:h2:mem:" + UUID.randomUUID(), size, callTimeout);
	}

	static JdbcConnections open(String url, int size, Duration callTimeout) {
		JdbcConnections connections = JdbcConnections.open(url, null, null, null, size, callTimeout);
		new ResourceDatabasePopulator(new ClassPathResource(LockTableScript.location("h2")))
			.execute(connections.dataSource());
		return connections;
	}

	/** Return settings with a poll interval of 10 s. */
	static JdbcSettings settings(Duration callTimeout) {
		return new JdbcSettings("ns", JdbcSettings.DEFAULT_TABLE, callTimeout, Duration.ofMillis(5),
				Duration.ofSeconds(10), Duration.ofDays(7), true);
	}

}
