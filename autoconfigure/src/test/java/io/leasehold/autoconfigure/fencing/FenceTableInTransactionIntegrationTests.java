package io.leasehold.autoconfigure.fencing;

import java.sql.Connection;
import java.sql.Statement;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.server.PostgresTestServer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A first fenced method that is called inside a transaction creates the table in a
 * transaction of its own.
 */
class FenceTableInTransactionIntegrationTests {

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void tableStaysAfterARollback(boolean proxy) throws Exception {
		try (HikariDataSource pool = new HikariDataSource()) {
			pool.setJdbcUrl(PostgresTestServer.shared().url());
			pool.setMaximumPoolSize(2);
			pool.setAutoCommit(false);
			pool.setConnectionInitSql("SET search_path TO own_fence");
			try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
				statement.execute("DROP SCHEMA IF EXISTS own_fence CASCADE");
				statement.execute("CREATE SCHEMA own_fence");
				connection.commit();
			}
			FenceTableInitializer.Properties properties = new FenceTableInitializer.Properties();
			properties.setInitializeSchema(DatabaseInitializationMode.ALWAYS);
			DataSource database = proxy ? new TransactionAwareDataSourceProxy(pool) : pool;
			new TransactionTemplate(new DataSourceTransactionManager(pool)).executeWithoutResult((transaction) -> {
				FenceTableInitializer.createTable(database, properties, new DefaultResourceLoader());
				transaction.setRollbackOnly();
			});
			assertThat(new JdbcTemplate(pool).queryForList("SELECT * FROM own_fence.leasehold_fence")).isEmpty();
		}
	}

}
