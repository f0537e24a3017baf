package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.TransactionLocks;
import io.leasehold.engine.TransactionLocks.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The rows that transactions lock, in the table of the leases.
 */
class JdbcTransactionRowsTests {

	private final DataSource database = new DriverManagerDataSource("jdbc:h2:mem:transaction-rows;DB_CLOSE_DELAY=-1");

	private final JdbcTemplate jdbc = new JdbcTemplate(this.database);

	private final TransactionTemplate transaction = new TransactionTemplate(
			new DataSourceTransactionManager(this.database));

	private final JdbcLockEngine engine = new JdbcLockEngine(
			JdbcConnections.of(this.database), new JdbcSettings("test", JdbcSettings.DEFAULT_TABLE,
					Duration.ofSeconds(20), Duration.ofMillis(5), Duration.ofMillis(100), Duration.ofDays(7), false),
			MonotonicClock.SYSTEM, this.database);

	private final TransactionLocks locks = this.engine.transactionLocks();

	@BeforeEach
	void createTables() {
		new ResourceDatabasePopulator(new ClassPathResource(LockTableScript.location("h2"))).execute(this.database);
	}

	@AfterEach
	void dropTables() {
		this.engine.close();
		this.jdbc.execute("DROP ALL OBJECTS");
	}

	@Test
	void lockedRowIsNotRemovedAndDelaysNoOther() {
		this.transaction.executeWithoutResult((status) -> {
			assertThat(acquire("idle")).isTrue();
			assertThat(acquire("order")).isTrue();
		});
		this.jdbc.update("UPDATE leasehold_lock SET expires_at = 1");
		this.transaction.executeWithoutResult((status) -> {
			assertThat(acquire("order")).isTrue();
			assertThat(get(this::removeIdle)).isEqualTo(1);
			assertThat(get(this::acquireAlone)).isFalse();
		});
		assertThat(removeIdle()).isEqualTo(1);
		assertThat(acquireAlone()).isTrue();
	}

	private int removeIdle() {
		return this.engine.removeIdle(10);
	}

	/** A row is not the one of a lease with the same key. */
	@Test
	void rowIsThatOfNoLease() {
		assertThat(acquireAlone()).isTrue();
		assertThat(this.engine.inspect(new LockKey("order"))).isEmpty();
		assertThat(this.jdbc.queryForObject("SELECT id FROM leasehold_lock", byte[].class))
			.isNotEqualTo(RowId.of("test", new LockKey("order")).bytes());
	}

	private boolean acquireAlone() {
		return Boolean.TRUE.equals(this.transaction.execute((status) -> acquire("order")));
	}

	private static <T> T get(Supplier<T> work) {
		return CompletableFuture.supplyAsync(work).join();
	}

	private boolean acquire(String key) {
		return this.locks.acquire(new LockKey(key), Access.EXCLUSIVE, Duration.ZERO) instanceof Outcome.Granted;
	}

}
