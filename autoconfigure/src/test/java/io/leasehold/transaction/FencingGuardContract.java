package io.leasehold.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.leasehold.HeldLockScope;
import io.leasehold.StaleFencingTokenException;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a {@link JdbcFencingGuard} owes its users on each database.
 */
abstract class FencingGuardContract {

	/** Retention after which all tokens are removed, of whatever time zone. */
	static final Duration LONG_AGO = Duration.ofDays(-3);

	final DataSource dataSource = dataSource();

	final JdbcTemplate jdbc = new JdbcTemplate(this.dataSource);

	private final JdbcFencingGuard guard = new JdbcFencingGuard(this.dataSource, "test", Duration.ofDays(7));

	private final TransactionTemplate transaction = new TransactionTemplate(manager(this.dataSource));

	private Runnable rest = () -> {
	};

	/** Where the application keeps its data. */
	abstract DataSource dataSource();

	/** Name of the script that makes the table. */
	abstract String platform();

	@BeforeEach
	void createTables() {
		this.jdbc.execute("DROP TABLE IF EXISTS leasehold_fence");
		this.jdbc.execute("DROP TABLE IF EXISTS stock");
		new ResourceDatabasePopulator(new ClassPathResource(
				"io/leasehold/transaction/migration/%s/R__leasehold_fence.sql".formatted(platform())))
			.execute(this.dataSource);
		this.jdbc.execute("CREATE TABLE stock (units INT NOT NULL)");
		this.jdbc.update("INSERT INTO stock VALUES (10)");
		this.guard.check();
	}

	@AfterEach
	void dropTables() {
		this.jdbc.execute("DROP TABLE leasehold_fence");
		this.jdbc.execute("DROP TABLE stock");
	}

	/**
	 * The first token of a key, that of a retry or re-entry, and all later ones are let
	 * through.
	 */
	@Test
	@Fault(96)
	void firstEqualAndGreaterTokensGoOn() {
		for (long token : new long[] { 1, 1, 64, Long.MAX_VALUE }) {
			under(token, () -> this.transaction.executeWithoutResult((status) -> sell(stock())));
		}
		assertThat(stock()).isEqualTo(6);
	}

	/** A former owner that comes after its successor does not even begin. */
	@Test
	@Fault(96)
	void lowerTokenIsRefusedBeforeTheBody() {
		under(65, () -> {
		});
		assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> under(64, () -> sell(stock())))
			.withMessageContaining("Token 64 of lock 'stock' is stale")
			.withMessageContaining("65")
			.satisfies((ex) -> assertThat(ex.getKey()).isEqualTo("stock"))
			.satisfies((ex) -> assertThat(ex.getToken()).isEqualTo(64));
		assertThat(stock()).isEqualTo(10);
	}

	/**
	 * A token that grew beyond the greatest one is negative: it counts as an old one, not
	 * as a new beginning.
	 */
	@Test
	@Fault(96)
	void tokenThatOverflowedIsRefused() {
		under(Long.MAX_VALUE, () -> {
		});
		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> under(Long.MAX_VALUE + 1, () -> sell(stock())));
		assertThat(stock()).isEqualTo(10);
	}

	/**
	 * A former owner that commits between its successor's read and write would undo its
	 * own update: announced tokens refuse it.
	 */
	@Test
	@Fault(96)
	void formerOwnerThatAwakesBetweenReadAndWriteOfItsSuccessorLosesNoUpdate() throws Exception {
		under(1, () -> {
			assertThatExceptionOfType(StaleFencingTokenException.class)
				.isThrownBy(() -> this.transaction.executeWithoutResult((stale) -> {
					int seenByFormer = stock();
					CountDownLatch read = new CountDownLatch(1);
					CountDownLatch formerEnded = new CountDownLatch(1);
					Future<?> successor = inOtherThread(
							() -> under(2, () -> this.transaction.executeWithoutResult((status) -> {
								int seen = stock();
								read.countDown();
								awaitQuietly(formerEnded);
								sell(seen);
							})));
					awaitQuietly(read);
					sell(seenByFormer);
					this.rest = () -> {
						formerEnded.countDown();
						get(successor);
					};
				}));
			this.rest.run();
		});
		assertThat(stock()).isEqualTo(9);
	}

	@Test
	void tokenThatIsGoneIsStale() {
		under(5, () -> {
			this.jdbc.update("DELETE FROM leasehold_fence");
			assertThatExceptionOfType(StaleFencingTokenException.class)
				.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> sell(stock())))
				.withMessageContaining("its row no longer exists");
		});
		assertThat(stock()).isEqualTo(10);
	}

	@Test
	void tokenThatWentBackIsStale() {
		under(5, () -> {
			this.jdbc.update("UPDATE leasehold_fence SET token = 4");
			assertThatExceptionOfType(StaleFencingTokenException.class)
				.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> sell(stock())));
		});
		assertThat(stock()).isEqualTo(10);
	}

	@Test
	void eachTransactionOfTheBodyIsCompared() {
		under(5, () -> {
			this.transaction.executeWithoutResult((status) -> sell(stock()));
			this.jdbc.update("UPDATE leasehold_fence SET token = 6");
			TransactionTemplate another = new TransactionTemplate(this.transaction.getTransactionManager());
			another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
			assertThatExceptionOfType(StaleFencingTokenException.class)
				.isThrownBy(() -> another.executeWithoutResult((status) -> sell(stock())));
		});
		assertThat(stock()).isEqualTo(9);
	}

	@Test
	void repeatableReadSeesALaterToken() {
		this.transaction.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		under(1, () -> assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				int seen = stock();
				get(inOtherThread(() -> under(2, () -> {
				})));
				sell(seen);
			})));
		assertThat(stock()).isEqualTo(10);
	}

	@Test
	void transactionThatWasOpenBeforeIsRefused() {
		this.transaction.executeWithoutResult(
				(status) -> assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> under(1, () -> {
				})).withMessageContaining("Lock 'stock' cannot be fenced in a transaction that was open before"));
	}

	@Test
	void transactionOfAnotherDatabaseIsRefused() {
		TransactionTemplate other = new TransactionTemplate(manager(new DelegatingDataSource(this.dataSource)));
		under(1, () -> assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> other.executeWithoutResult((status) -> {
			}))
			.withMessageContaining("takes no part in this transaction"));
	}

	@Test
	void locksOfTwoEnginesAndNamespacesDoNotCompare() {
		under(9, () -> {
		});
		JdbcFencingGuard elsewhere = new JdbcFencingGuard(this.dataSource, "elsewhere", Duration.ofDays(7));
		elsewhere.open(new BelievedLock("redis", "stock", 1)).close();
		this.guard.open(new BelievedLock("zookeeper", "stock", 1)).close();
		this.guard.open(new BelievedLock("redis", "Stock", 1)).close();
		this.guard.open(new BelievedLock("redis", "stock ", 1)).close();
		this.guard.open(new BelievedLock("redis", "a\u0000'%\uD83C\uDF63", 1)).close();
		assertThat(this.jdbc.queryForList("SELECT token FROM leasehold_fence ORDER BY token", Long.class))
			.containsExactly(1L, 1L, 1L, 1L, 1L, 9L);
	}

	@Test
	void purgesWhatWasAnnouncedLongAgo() {
		under(1, () -> {
		});
		assertThat(this.guard.purge(Duration.ofDays(1))).isZero();
		assertThat(this.guard.purge(LONG_AGO)).isOne();
	}

	@Fault(176)
	@Test
	void purgeIsCommittedByAPoolWithoutAutoCommit() {
		under(1, () -> {
		});
		guard(onEachConnection((connection) -> connection.setAutoCommit(false))).purge(LONG_AGO);
		assertThat(tokens()).isEmpty();
	}

	/** The column has no time zone: its values are local times of each instance. */
	@Fault(177)
	@Test
	void instanceInAnotherTimeZoneKeepsAFreshToken() {
		List<DataSource> zones = Stream.of(inZone("-11:00"), inZone("+13:00"))
			.map((statement) -> onEachConnection((connection) -> execute(connection, statement)))
			.toList();
		for (DataSource one : zones) {
			for (DataSource other : zones) {
				this.jdbc.update("DELETE FROM leasehold_fence");
				guard(one).open(BelievedLock.of(1)).close();
				assertThat(guard(other).purge(Duration.ofSeconds(1))).isZero();
				assertThat(tokens()).containsExactly(1L);
			}
		}
	}

	List<Long> tokens() {
		return this.jdbc.queryForList("SELECT token FROM leasehold_fence", Long.class);
	}

	JdbcFencingGuard guard(DataSource dataSource) {
		return new JdbcFencingGuard(dataSource, "test", Duration.ofDays(7));
	}

	/** Return the statement that sets the time zone of a session. */
	String inZone(String offset) {
		return "SET TIME ZONE INTERVAL '%s' HOUR TO MINUTE".formatted(offset);
	}

	/** Return the database, with an action on each new connection. */
	DataSource onEachConnection(Preparation preparation) {
		return new DelegatingDataSource(this.dataSource) {

			@Override
			public Connection getConnection() throws SQLException {
				Connection connection = super.getConnection();
				preparation.prepare(connection);
				return connection;
			}

		};
	}

	static void execute(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

	interface Preparation {

		void prepare(Connection connection) throws SQLException;

	}

	@SuppressWarnings("try")
	private void under(long token, Runnable body) {
		try (HeldLockScope scope = this.guard.open(new BelievedLock("redis", "stock", token))) {
			body.run();
		}
	}

	private int stock() {
		Integer units = this.jdbc.queryForObject("SELECT units FROM stock", Integer.class);
		return (units != null) ? units : -1;
	}

	private void sell(int seen) {
		this.jdbc.update("UPDATE stock SET units = ?", seen - 1);
	}

	private static DataSourceTransactionManager manager(DataSource dataSource) {
		DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
		CommitGuard.addTo(manager, true);
		return manager;
	}

	private static Future<?> inOtherThread(Runnable action) {
		ExecutorService thread = Executors.newSingleThreadExecutor();
		try {
			return thread.submit(action);
		}
		finally {
			thread.shutdown();
		}
	}

	private static void get(Future<?> future) {
		try {
			future.get();
		}
		catch (Exception ex) {
			throw new AssertionError(ex);
		}
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

}
