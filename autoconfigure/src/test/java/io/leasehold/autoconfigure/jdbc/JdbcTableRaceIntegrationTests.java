package io.leasehold.autoconfigure.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.leasehold.engine.jdbc.JdbcConnections;
import io.leasehold.server.MariaDbTestServer;
import io.leasehold.server.MySqlTestServer;
import io.leasehold.server.PostgresTestServer;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.core.io.DefaultResourceLoader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Instances that start at the same time create the tables once.
 */
@Tag("full")
@Fault(183)
class JdbcTableRaceIntegrationTests {

	private static final int INSTANCES = 16;

	private static final int ROUNDS = 8;

	static List<String> databases() throws SQLException {
		String name = "r" + UUID.randomUUID().toString().replace("-", "");
		return List.of(create(PostgresTestServer.shared().url(), "/postgres?", name),
				create(MariaDbTestServer.shared().url(), "/test?", name),
				create(MySqlTestServer.shared().url(), "/test?", name));
	}

	@ParameterizedTest
	@MethodSource("databases")
	@Fault(value = 49, engine = "jdbc")
	void instancesThatStartAtOnceAllFindTheTables(String url) throws Exception {
		ExecutorService instances = Executors.newFixedThreadPool(INSTANCES);
		try (JdbcConnections connections = JdbcConnections.open(url, null, null, null, INSTANCES,
				Duration.ofSeconds(30))) {
			for (int round = 0; round < ROUNDS; round++) {
				execute(url, "DROP TABLE IF EXISTS leasehold_lock_holder", "DROP TABLE IF EXISTS leasehold_lock");
				startAll(instances, connections);
				execute(url, "INSERT INTO leasehold_lock_holder SELECT * FROM leasehold_lock_holder");
			}
		}
		finally {
			instances.shutdownNow();
		}
	}

	private static void startAll(ExecutorService instances, JdbcConnections connections) throws Exception {
		CyclicBarrier start = new CyclicBarrier(INSTANCES);
		List<Future<Boolean>> all = new ArrayList<>();
		for (int i = 0; i < INSTANCES; i++) {
			all.add(instances.submit(() -> {
				JdbcLockTableInitializer initializer = initializer(connections);
				start.await(1, TimeUnit.MINUTES);
				return initializer.initializeDatabase();
			}));
		}
		for (Future<Boolean> one : all) {
			assertThat(one.get(1, TimeUnit.MINUTES)).isTrue();
		}
	}

	private static JdbcLockTableInitializer initializer(JdbcConnections connections) {
		JdbcLockTableInitializer.Properties properties = new JdbcLockTableInitializer.Properties();
		properties.setInitializeSchema(DatabaseInitializationMode.ALWAYS);
		return new JdbcLockTableInitializer(connections, properties, new DefaultResourceLoader(), "leasehold_lock");
	}

	private static String create(String url, String database, String name) throws SQLException {
		execute(url, "CREATE DATABASE " + name);
		return url.replace(database, "/%s?".formatted(name));
	}

	private static void execute(String url, String... statements) throws SQLException {
		try (Connection connection = DriverManager.getConnection(url);
				Statement statement = connection.createStatement()) {
			for (String sql : statements) {
				statement.execute(sql);
			}
		}
	}

}
