package io.leasehold.engine.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.TransactionLocks;
import io.leasehold.engine.TransactionLocks.Outcome;
import io.leasehold.test.contract.Pace;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * How long a transaction waits for a lock, and for which row.
 */
class JdbcTransactionWaitsTests {

	private static final LockKey KEY = new LockKey("order");

	private final DataSource database = new DriverManagerDataSource("jdbc:h2:mem:transaction-waits;DB_CLOSE_DELAY=-1");

	private final JdbcTemplate jdbc = new JdbcTemplate(this.database);

	/** How often the row is removed just before it is requested. */
	private final AtomicInteger removals = new AtomicInteger();

	private final DataSource application = new RemovingDataSource();

	private final TransactionTemplate transaction = new TransactionTemplate(
			new DataSourceTransactionManager(this.application));

	private final JdbcLockEngine engine = new JdbcLockEngine(
			JdbcConnections.of(this.database), new JdbcSettings("test", JdbcSettings.DEFAULT_TABLE,
					Duration.ofSeconds(20), Duration.ofMillis(5), Duration.ofMillis(100), Duration.ofDays(7), false),
			MonotonicClock.SYSTEM, this.application);

	private final TransactionLocks locks = this.engine.transactionLocks();

	private final CountDownLatch released = new CountDownLatch(1);

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
	void waitEndsWithTheTransaction() throws Exception {
		this.transaction.setTimeout(4);
		assertThat(busyAfter(Duration.ofSeconds(30))).isLessThan(Duration.ofSeconds(30));
	}

	@Test
	void waitEndsBeforeTheTransactionIfItIsShorter() throws Exception {
		this.transaction.setTimeout(30);
		assertThat(busyAfter(Duration.ofSeconds(1))).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(25));
	}

	@Test
	void transactionWithoutATimeoutWaitsForTheWaitTime() throws Exception {
		assertThat(busyAfter(Duration.ofSeconds(1))).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
	}

	/** Return for how long a request waits for a lock that is held. */
	private Duration busyAfter(Duration wait) throws Exception {
		CountDownLatch held = new CountDownLatch(1);
		TransactionTemplate patient = new TransactionTemplate(new DataSourceTransactionManager(this.application));
		CompletableFuture<Void> holder = CompletableFuture.runAsync(() -> patient.executeWithoutResult((status) -> {
			acquire(Duration.ZERO);
			held.countDown();
			await(this.released);
		}));
		await(held);
		try {
			return this.transaction.execute((status) -> {
				Pace pace = Pace.begin();
				assertThat(acquire(wait)).isInstanceOf(Outcome.Busy.class);
				return pace.elapsed();
			});
		}
		finally {
			this.released.countDown();
			holder.join();
		}
	}

	/** The purge of idle rows may come between the creation of a row and its lock. */
	@ParameterizedTest
	@ValueSource(ints = { 1, 2 })
	void rowThatIsRemovedMeanwhileIsCreatedAgain(int times) {
		this.removals.set(times);
		this.transaction.executeWithoutResult((status) -> {
			assertThat(acquire(Duration.ZERO)).isInstanceOf(Outcome.Granted.class);
			assertThat(CompletableFuture
				.supplyAsync(() -> new TransactionTemplate(new DataSourceTransactionManager(this.application))
					.execute((other) -> acquire(Duration.ZERO)))
				.join()).isInstanceOf(Outcome.Busy.class);
		});
		assertThat(this.removals).hasValueLessThanOrEqualTo(0);
	}

	@Test
	void rowThatIsAlwaysRemovedIsReported() {
		this.removals.set(3);
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> this.transaction.execute((status) -> acquire(Duration.ZERO)))
			.withMessage("The row of lock 'order' is removed repeatedly (engine: jdbc)");
	}

	private Outcome acquire(Duration wait) {
		return this.locks.acquire(KEY, Access.EXCLUSIVE, wait);
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Connections of the application, which may remove a row before it is locked. */
	private final class RemovingDataSource extends AbstractDataSource {

		@Override
		public Connection getConnection() throws SQLException {
			Connection target = JdbcTransactionWaitsTests.this.database.getConnection();
			return (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(),
					new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
						if (method.getName().equals("prepareStatement")
								&& arguments[0].toString().contains("FOR UPDATE")
								&& JdbcTransactionWaitsTests.this.removals.getAndDecrement() > 0) {
							JdbcTransactionWaitsTests.this.jdbc.update("DELETE FROM leasehold_lock");
						}
						try {
							return method.invoke(target, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getTargetException();
						}
					});
		}

		@Override
		public Connection getConnection(String username, String password) {
			throw new UnsupportedOperationException();
		}

	}

}
