package io.leasehold.engine.jdbc;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;

import io.leasehold.engine.jdbc.hsqldb.HsqldbDialect;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class DialectsTests {

	private final ClassLoader before = Thread.currentThread().getContextClassLoader();

	@TempDir
	private Path application;

	private Connection connection;

	@BeforeEach
	void connect() throws SQLException {
		this.connection = DriverManager.getConnection("jdbc:h2:mem:");
	}

	@AfterEach
	void disconnect() throws SQLException {
		Thread.currentThread().setContextClassLoader(this.before);
		this.connection.close();
	}

	@Test
	void builtInDialectIsFoundByTheProduct() throws SQLException {
		assertThat(Dialects.of(this.connection)).isInstanceOf(H2Dialect.class);
	}

	@Test
	void dialectOfTheApplicationComesFirst() throws Exception {
		inApplication(OwnDialect.class.getName(),
				() -> assertThat(Dialects.of(this.connection)).isInstanceOf(OwnDialect.class));
	}

	@Test
	void dialectOfTheApplicationDoesNotConcernOtherDatabases() throws Exception {
		inApplication(ForeignDialect.class.getName(),
				() -> assertThat(Dialects.of(this.connection)).isInstanceOf(H2Dialect.class));
	}

	@Test
	void dialectThatCannotBeLoadedIsNamed() throws Exception {
		inApplication("com.example.MissingDialect",
				() -> assertThatExceptionOfType(SQLFeatureNotSupportedException.class)
					.isThrownBy(() -> Dialects.of(this.connection))
					.withMessageContaining("com.example.MissingDialect"));
	}

	@Test
	void builtInDialectHasLocksInTransactions() throws SQLException {
		assertThat(locksInTransactions(Dialects.of(this.connection))).isNotNull();
	}

	/** A relative may accept the functions of advisory locks without locking anything. */
	@Test
	void relativeOfABuiltInDialectHasNoLocksInTransactions() {
		assertThat(locksInTransactions(new OwnDialect())).isNull();
	}

	@Test
	void relativeThatAllowsItHasTheLocksOfTheBuiltInDialect() {
		assertThat(locksInTransactions(new LockingDialect())).isNotNull();
	}

	@Test
	void dialectOfAnotherFamilyHasNoLocksInTransactions() {
		assertThat(locksInTransactions(new HsqldbDialect())).isNull();
	}

	private static @Nullable ConnectionLocks locksInTransactions(Dialect dialect) {
		JdbcSettings settings = new JdbcSettings("test", JdbcSettings.DEFAULT_TABLE, Duration.ofSeconds(1),
				Duration.ofMillis(5), Duration.ofMillis(100), Duration.ofMinutes(1), false);
		return LockTables.of(dialect, settings, null).inTransactions();
	}

	private void inApplication(String dialect, SqlTest test) throws Exception {
		Path services = Files.createDirectories(this.application.resolve("META-INF/services"));
		Files.writeString(services.resolve(Dialect.class.getName()), dialect);
		try (URLClassLoader loader = loader()) {
			Thread.currentThread().setContextClassLoader(loader);
			test.run();
		}
	}

	private URLClassLoader loader() throws IOException {
		return new URLClassLoader(new URL[] { this.application.toUri().toURL() }, this.before);
	}

	interface SqlTest {

		void run() throws SQLException;

	}

	public static class OwnDialect extends PostgresDialect {

		@Override
		protected boolean supports(DatabaseMetaData database) throws SQLException {
			return database.getDatabaseProductName().equals("H2");
		}

		@Override
		protected String platform() {
			return "own";
		}

	}

	public static class LockingDialect extends OwnDialect {

		@Override
		protected boolean locksInTransactions() {
			return true;
		}

	}

	public static class ForeignDialect extends OwnDialect {

		@Override
		protected boolean supports(DatabaseMetaData database) {
			return false;
		}

	}

}
