package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import javax.sql.DataSource;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.TransactionLocks;
import io.leasehold.engine.TransactionLocks.Outcome;
import io.leasehold.server.MySqlTestServer;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A server that undoes the whole transaction after a lock timeout, and whose connection
 * goes on: the rest must not be committed alone.
 */
@Tag("full")
class MySqlRollbackOnTimeoutIntegrationTests {

	private static final LockKey KEY = new LockKey("order");

	@Test
	@Fault(148)
	void timeoutThatUndoesTheTransactionRollsItBack() {
		try (MySqlTestServer server = MySqlTestServer.start("--innodb-rollback-on-timeout=ON")) {
			DataSource database = new DriverManagerDataSource(server.url());
			new ResourceDatabasePopulator(new ClassPathResource(LockTableScript.location("mysql"))).execute(database);
			JdbcTemplate jdbc = new JdbcTemplate(database);
			jdbc.execute("CREATE TABLE sold (what VARCHAR(20) NOT NULL)");
			TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(database));
			try (JdbcLockEngine engine = engine(database)) {
				TransactionLocks locks = engine.transactionLocks();
				transaction.executeWithoutResult((holder) -> {
					assertThat(acquire(locks, Duration.ZERO)).isInstanceOf(Outcome.Granted.class);
					CompletableFuture.runAsync(() -> assertThatExceptionOfType(LockEngineException.class)
						.isThrownBy(() -> transaction.executeWithoutResult((status) -> {
							jdbc.update("INSERT INTO sold VALUES ('first')");
							assertThat(acquire(locks, Duration.ZERO)).isInstanceOf(Outcome.Busy.class);
							assertThatExceptionOfType(LockEngineException.class)
								.isThrownBy(() -> acquire(locks, Duration.ofSeconds(1)));
							assertThat(locks.mustRollBack()).isTrue();
							jdbc.update("INSERT INTO sold VALUES ('rest')");
						}))).join();
				});
			}
			assertThat(jdbc.queryForList("SELECT what FROM sold", String.class)).isEmpty();
		}
	}

	private static Outcome acquire(TransactionLocks locks, Duration wait) {
		return locks.acquire(KEY, Access.EXCLUSIVE, wait);
	}

	private static JdbcLockEngine engine(DataSource database) {
		JdbcSettings settings = new JdbcSettings("test", JdbcSettings.DEFAULT_TABLE, Duration.ofSeconds(20),
				Duration.ofMillis(5), Duration.ofMillis(100), Duration.ofDays(7), false);
		return new JdbcLockEngine(JdbcConnections.of(database), settings, MonotonicClock.SYSTEM, database);
	}

}
