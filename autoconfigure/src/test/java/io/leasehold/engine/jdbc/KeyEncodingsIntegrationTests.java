package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.server.MariaDbTestServer;
import io.leasehold.server.MySqlFamilyTestServer;
import io.leasehold.server.MySqlTestServer;
import io.leasehold.server.PostgresTestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Databases and connections whose encoding lacks characters of keys.
 */
@Tag("full")
class KeyEncodingsIntegrationTests {

	/** Composed and decomposed, of three and of four bytes. */
	private static final List<String> KEYS = List.of("caf\u00e9", "cafe\u0301", "\u4e2d\u6587", "\ud83c\udf63",
			"\ud83c\udf7a", "?", "%");

	/** Databases, and statements with which their connections begin. */
	static Stream<Arguments> encodings() {
		Stream<Arguments> postgres = Stream.of("LATIN1", "WIN1252", "EUC_JP", "SQL_ASCII")
			.map((encoding) -> Arguments.of("PostgreSQL " + encoding, postgres(encoding), "SELECT 1"));
		Stream<Arguments> others = Stream.of(MySqlTestServer.shared(), MariaDbTestServer.shared())
			.flatMap((server) -> Stream.of("SET NAMES latin1", "SET character_set_results = latin1")
				.map((begin) -> Arguments.of(server.getClass().getSimpleName() + " " + begin, mysql(server), begin)));
		return Stream.concat(postgres, others);
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("encodings")
	void keyOfAnyCharactersIsLockedListedAndFenced(String encoding, String url, String begin) {
		Leasehold.runner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, AopAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class))
			.withBean(Shop.class)
			.withPropertyValues("leasehold.engine=jdbc", "leasehold.jdbc.call-timeout=30s", "leasehold.lease=5m",
					"leasehold.jdbc.initialize-schema=always", "leasehold.fencing.initialize-schema=always",
					"spring.datasource.url=" + url, "spring.datasource.hikari.connection-init-sql=" + begin)
			.run((context) -> {
				DistributedLocks locks = context.getBean(DistributedLocks.class);
				List<HeldLock> held = KEYS.stream().map(locks::acquire).toList();
				assertThat(context.getBean(JdbcLockEngine.class).heldKeys().list("", null, 100).keys())
					.extracting((key) -> key.key().value())
					.as(encoding)
					.containsExactlyInAnyOrderElementsOf(KEYS);
				held.forEach(HeldLock::close);
				KEYS.forEach((key) -> assertThat(context.getBean(Shop.class).sell(key)).isEqualTo(key));
			});
	}

	private static String postgres(String encoding) {
		String name = "encoded_" + UUID.randomUUID().toString().replace("-", "");
		String url = PostgresTestServer.shared().url();
		execute(url, "CREATE DATABASE %s ENCODING '%s' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0".formatted(name,
				encoding));
		return url.replace("/postgres?", "/%s?".formatted(name));
	}

	private static String mysql(MySqlFamilyTestServer server) {
		String name = "encoded_" + UUID.randomUUID().toString().replace("-", "");
		execute(server.url(), "CREATE DATABASE " + name);
		return server.url().replace("/test?", "/%s?".formatted(name));
	}

	private static void execute(String url, String sql) {
		try (Connection connection = DriverManager.getConnection(url);
				Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static class Shop {

		@DistributedLock(key = "#key", fenced = true)
		String sell(String key) {
			return key;
		}

	}

}
