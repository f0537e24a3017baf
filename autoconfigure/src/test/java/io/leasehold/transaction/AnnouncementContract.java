package io.leasehold.transaction;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.leasehold.StaleFencingTokenException;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a {@link JdbcFencingGuard} guarantees when several owners announce their tokens at
 * the same time.
 */
abstract class AnnouncementContract {

	final DataSource dataSource = dataSource();

	final JdbcTemplate jdbc = new JdbcTemplate(this.dataSource);

	private final JdbcFencingGuard guard = guard(this.dataSource);

	/** Where the application keeps its data. */
	abstract DataSource dataSource();

	/** Name of the script that creates the table. */
	abstract String platform();

	@BeforeEach
	void createTable() {
		this.jdbc.execute("DROP TABLE IF EXISTS leasehold_fence");
		new ResourceDatabasePopulator(new ClassPathResource(
				"io/leasehold/transaction/migration/%s/R__leasehold_fence.sql".formatted(platform())))
			.execute(this.dataSource);
	}

	@AfterEach
	void dropTable() {
		this.jdbc.execute("DROP TABLE leasehold_fence");
	}

	/** Another owner inserts the row when this one has found none. */
	@ParameterizedTest
	@CsvSource({ "SELECT, 3", "SELECT, 5", "INSERT, 3", "INSERT, 5" })
	@Fault(96)
	void greaterTokenStaysIfAnotherOwnerInsertsTheRowFirst(String statement, long other) {
		announceAfter(statement, other, true);
		assertThat(tokens()).containsExactly(5L);
	}

	@ParameterizedTest
	@CsvSource({ "SELECT", "INSERT" })
	@Fault(96)
	void lowerTokenIsRefusedIfAnotherOwnerInsertsTheRowFirst(String statement) {
		assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> announceAfter(statement, 9, true))
			.withMessageContaining("9");
		assertThat(tokens()).containsExactly(9L);
	}

	/**
	 * A token that was announced in a transaction would be unseen until its commit: it is
	 * there before the body.
	 */
	@Test
	@Fault(96)
	void announcementCommitsWhateverThePoolsAutoCommit() {
		guard(observed(false, (sql) -> {
		})).open(BelievedLock.of(7)).close();
		assertThat(tokens()).containsExactly(7L);
	}

	@Test
	void greatestOfManyFirstTokensStays() throws Exception {
		List<Integer> tokens = new ArrayList<>(IntStream.rangeClosed(1, 32).boxed().toList());
		Collections.shuffle(tokens);
		ExecutorService threads = Executors.newFixedThreadPool(4);
		try {
			List<Future<?>> all = new ArrayList<>();
			tokens.forEach((token) -> all.add(threads.submit(() -> announceUnlessStale(this.guard, token))));
			for (Future<?> one : all) {
				one.get();
			}
		}
		finally {
			threads.shutdown();
		}
		assertThat(tokens()).containsExactly(32L);
	}

	/** On MySQL and MariaDB, each transaction has locked the gap for the other's row. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@Fault(96)
	void firstAnnouncementsAtTheSameMomentDoNotFail(boolean autoCommit) {
		CyclicBarrier both = new CyclicBarrier(2);
		Set<Thread> met = ConcurrentHashMap.newKeySet();
		JdbcFencingGuard meeting = guard(observed(autoCommit, (sql) -> {
			if (sql.startsWith("INSERT") && met.add(Thread.currentThread())) {
				await(both);
			}
		}));
		List<CompletableFuture<Void>> owners = Stream.of(5L, 7L)
			.map((token) -> CompletableFuture.runAsync(() -> announceUnlessStale(meeting, token),
					(task) -> new Thread(task).start()))
			.toList();
		owners.forEach(CompletableFuture::join);
		assertThat(met).hasSize(2);
		assertThat(tokens()).containsExactly(7L);
	}

	/** As each method does that is called under a lock of its caller. */
	@Test
	@Fault(96)
	void tokenThatIsAnnouncedAgainNeedsNoRepetition() {
		List<String> statements = new ArrayList<>();
		JdbcFencingGuard counted = guard(observed(true, statements::add));
		counted.open(BelievedLock.of(5)).close();
		for (int i = 0; i < 20; i++) {
			counted.open(BelievedLock.of(5)).close();
		}
		assertThat(statements).hasSizeLessThan(50);
		assertThat(tokens()).containsExactly(5L);
	}

	/** The connection belongs to the application's pool. */
	@Test
	void statementsLeaveTheQueryTimeoutOfTheConnectionAsItIs() throws SQLException {
		try (Connection connection = this.dataSource.getConnection();
				Statement statement = connection.createStatement()) {
			int before = statement.getQueryTimeout();
			Fence fence = Fence.allOf(BelievedLock.of(5), "test").get(0);
			FenceTable table = new FenceTable(Duration.ofSeconds(7));
			table.announce(fence, connection);
			table.compare(fence, connection);
			assertThat(statement.getQueryTimeout()).isEqualTo(before);
		}
	}

	private static void await(CyclicBarrier barrier) {
		try {
			barrier.await(1, TimeUnit.MINUTES);
		}
		catch (Exception ex) {
			throw new IllegalStateException("The other owner has not come", ex);
		}
	}

	/**
	 * Announce token 5, and that of another owner before a statement of this one is sent
	 * for the first time.
	 */
	void announceAfter(String statement, long other, boolean autoCommit) {
		List<Long> others = new ArrayList<>(List.of(other));
		guard(observed(autoCommit, (sql) -> {
			if (sql.startsWith(statement) && !others.isEmpty()) {
				this.guard.open(BelievedLock.of(others.remove(0))).close();
			}
		})).open(BelievedLock.of(5)).close();
		assertThat(others).isEmpty();
	}

	private static void announceUnlessStale(JdbcFencingGuard guard, long token) {
		try {
			guard.open(BelievedLock.of(token)).close();
		}
		catch (StaleFencingTokenException ex) {
			assertThat(ex.getToken()).isEqualTo(token);
		}
	}

	List<Long> tokens() {
		return this.jdbc.queryForList("SELECT token FROM leasehold_fence", Long.class);
	}

	static JdbcFencingGuard guard(DataSource dataSource) {
		return new JdbcFencingGuard(dataSource, "test", Duration.ofDays(7));
	}

	/** Return connections that report each statement before it is prepared. */
	DataSource observed(boolean autoCommit, Statements statements) {
		return new DelegatingDataSource(this.dataSource) {

			@Override
			public Connection getConnection() throws SQLException {
				Connection connection = super.getConnection();
				connection.setAutoCommit(autoCommit);
				return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(),
						new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
							if (method.getName().equals("prepareStatement")) {
								statements.prepare((String) arguments[0]);
							}
							try {
								return method.invoke(connection, arguments);
							}
							catch (InvocationTargetException ex) {
								throw ex.getTargetException();
							}
						});
			}

		};
	}

	interface Statements {

		void prepare(String sql) throws SQLException;

	}

}
