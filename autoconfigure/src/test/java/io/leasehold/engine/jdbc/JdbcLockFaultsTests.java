package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.IsolationLevelDataSourceAdapter;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What the engine does when other sessions, transactions of its callers or an earlier
 * state of the database stand in its way.
 */
abstract class JdbcLockFaultsTests extends JdbcLockEngineFixture {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final String CHANGE_ROWS = "UPDATE leasehold_lock SET version = version + 1 WHERE namespace = '%s'";

	private static final String CHANGE_ROW = CHANGE_ROWS + " AND lock_key = '%s'";

	/** Query for how many sessions wait for rows that others have locked. */
	abstract String waitingSessions();

	/** Statement that changes the time zone of its session, with a place for the zone. */
	abstract String setTimeZoneOfSession();

	/**
	 * Statement that sets up the session of an operator: others find its deadlocks, and
	 * nothing ends its transaction.
	 */
	String setUpOperator() {
		return "SELECT 1";
	}

	/**
	 * Locks of a caller with an open transaction are no part of it: they stay when it
	 * rolls back, they can be had after it has failed, and a busy one does not fail it.
	 */
	@Test
	@Fault(38)
	void transactionOfTheCallerAndTheLocksInItDoNotTouchEachOther() throws SQLException {
		execute("CREATE TABLE IF NOT EXISTS sale (id VARCHAR(50) PRIMARY KEY)");
		Claim busy = claim("busy");
		granted(busy);
		try (JdbcConnections application = connect(url(), 3, Duration.ofSeconds(5))) {
			DataSource source = application.dataSource();
			JdbcTemplate sales = new JdbcTemplate(source);
			TransactionTemplate transactions = new TransactionTemplate(new DataSourceTransactionManager(source));
			JdbcLockEngine inside = engine(JdbcConnections.of(new TransactionAwareDataSourceProxy(source)));
			Claim claim = claim("a");
			transactions.executeWithoutResult((transaction) -> {
				sell(sales);
				assertThat(inside.tryAcquire(claim)).isInstanceOf(AcquisitionOutcome.Granted.class);
				assertThatExceptionOfType(DuplicateKeyException.class).isThrownBy(() -> sell(sales));
				Claim afterwards = claim("afterwards");
				long number = ((AcquisitionOutcome.Granted) inside.tryAcquire(afterwards)).number();
				assertThat(renew(inside, afterwards, number)).isInstanceOf(RenewalOutcome.Renewed.class);
				assertThat(inside.release(afterwards)).isEqualTo(ReleaseOutcome.RELEASED);
				transaction.setRollbackOnly();
			});
			busy(claim("a"));
			transactions.executeWithoutResult((transaction) -> {
				busy(inside, claim("busy"));
				assertThat(inside.release(claim("busy"))).isInstanceOf(ReleaseOutcome.NotOwner.class);
				sell(sales);
				assertThat(inside.release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
			});
			assertThat(number("SELECT COUNT(*) FROM sale WHERE id = '%s'".formatted(this.namespace))).isOne();
		}
	}

	private void sell(JdbcTemplate sales) {
		sales.update("INSERT INTO sale (id) VALUES (?)", this.namespace);
	}

	/**
	 * A row that another session has locked for longer than a call may take fails the
	 * call in time and leaves nothing behind. The request is repeated: to acquire within
	 * the wait time, to renew, and to release after the holder has continued.
	 */
	@Test
	@Fault(39)
	void rowsThatAreLockedForLongerThanACallAreAskedForAgain() throws Exception {
		Duration call = Duration.ofSeconds(4);
		use(claim("wanted"), claim("tried"));
		JdbcLockEngine apart = new JdbcLockEngine(connect(url(), 4, call), settings(call), MonotonicClock.SYSTEM);
		try (TestService service = new TestService(apart, LEASE)) {
			Claim renewed = claim("renewed");
			long number = granted(renewed).number();
			HeldLock ended = service.locks().acquire("ended");
			CompletableFuture<HeldLock> wanted;
			try (Operator operator = new Operator()) {
				operator.run(CHANGE_ROWS.formatted(this.namespace));
				wanted = service.locks().acquireAsync("wanted");
				Pace start = Pace.begin();
				CompletableFuture<AcquisitionOutcome> tried = later(() -> apart.tryAcquire(claim("tried")));
				CompletableFuture<RenewalOutcome> unknown = later(() -> renew(apart, renewed, number));
				ended.close();
				assertThat(unknown.join()).isInstanceOf(RenewalOutcome.Unknown.class);
				assertThatExceptionOfType(CompletionException.class).isThrownBy(tried::join)
					.havingCause()
					.isInstanceOfSatisfying(LockEngineException.class, (ex) -> assertThat(ex.isRetryable()).isTrue());
				assertThat(start.elapsed()).isLessThan(call.plus(start.slack(call.multipliedBy(3))));
				assertThat(wanted).isNotDone();
				assertThat(this.engine.inspect(new LockKey("ended"))).isNotEmpty();
			}
			wanted.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
			await().atMost(PATIENCE)
				.until(() -> renew(apart, renewed, number), RenewalOutcome.Renewed.class::isInstance);
			await().atMost(PATIENCE).until(() -> this.engine.inspect(new LockKey("ended")).isEmpty());
			granted(claim("tried"));
		}
	}

	/** A call that loses a deadlock is repeated, whatever it is for. */
	@Test
	@Fault(39)
	void deadlocksAreRepeated() throws Exception {
		granted(shared("acquired"));
		expireHolders();
		Claim renewed = shared("renewed");
		long number = granted(renewed).number();
		// Its wait for a row does not end before the database looks for deadlocks
		JdbcLockEngine slow = engine(settings(PATIENCE));
		assertThat(crossed("acquired", "DELETE FROM leasehold_lock_holder", () -> granted(slow, claim("acquired"))))
			.isNotNull();
		assertThat(crossed("renewed", "UPDATE leasehold_lock_holder", () -> renew(slow, renewed, number)))
			.isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(crossed("renewed", "UPDATE leasehold_lock_holder", () -> slow.release(renewed)))
			.isEqualTo(ReleaseOutcome.RELEASED);
	}

	/**
	 * Make a call that locks a key's row and is about to lock a holder, while another
	 * session has locked the holder and is about to lock the row.
	 */
	private <T> T crossed(String key, String statement, Callable<T> call) throws Exception {
		use(claim("heavy 1"), claim("heavy 2"), claim("heavy 3"));
		this.statements.clear();
		try (Operator operator = new Operator()) {
			operator.run("UPDATE leasehold_lock SET version = version + 1 WHERE lock_key LIKE 'heavy %'");
			operator.run("UPDATE leasehold_lock_holder SET lock_delay = lock_delay + 1 WHERE lock_id = "
					+ "(SELECT id FROM leasehold_lock WHERE namespace = '%s' AND lock_key = '%s')"
						.formatted(this.namespace, key));
			CompletableFuture<Void> crossing = new CompletableFuture<>();
			this.statements.before(statement, () -> {
				later(() -> {
					operator.run(CHANGE_ROW.formatted(this.namespace, key));
					operator.commit();
					return crossing.complete(null);
				}).exceptionally(crossing::completeExceptionally);
				await().until(() -> number(waitingSessions()) == 1);
			});
			T result = call.call();
			crossing.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			// The repeated call may meet the other session again
			assertThat(this.statements.failures()).as("of the engine's call")
				.isNotEmpty()
				.allSatisfy((failure) -> assertThat(failure.getSQLState()).startsWith("40"));
			return result;
		}
	}

	/** A session whose snapshot was overtaken by another's change asks again. */
	@Test
	@Fault(39)
	void changesSinceTheSnapshotOfASessionAreNoFailure() throws Exception {
		askAgain(isolated(Connection.TRANSACTION_REPEATABLE_READ), Access.EXCLUSIVE);
		askAgain(isolated(Connection.TRANSACTION_SERIALIZABLE), Access.SHARED);
	}

	private void askAgain(JdbcLockEngine isolated, Access access) throws Exception {
		Claim wanted = claim("wanted " + access, access);
		use(wanted);
		Claim renewed = claim("renewed " + access, access);
		long number = granted(renewed).number();
		Claim released = claim("released " + access, access);
		granted(released);
		CompletableFuture<AcquisitionOutcome> acquisition;
		CompletableFuture<RenewalOutcome> renewal;
		CompletableFuture<ReleaseOutcome> release;
		try (Operator operator = new Operator()) {
			operator.run(CHANGE_ROWS.formatted(this.namespace));
			acquisition = later(() -> isolated.tryAcquire(wanted));
			renewal = later(() -> renew(isolated, renewed, number));
			release = later(() -> isolated.release(released));
			await().until(() -> number(waitingSessions()) == 3);
			operator.commit();
		}
		assertThat(acquisition.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
			.isInstanceOf(AcquisitionOutcome.Granted.class);
		assertThat(renewal.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(release.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	/**
	 * Threads whose transactions have taken all connections of the application wait for
	 * each other's lock, and all get it. Those whose transactions begin within the lock
	 * wait for it without a connection.
	 */
	@Test
	@Fault({ 40, 41 })
	void transactionsThatHoldAllConnectionsOfTheApplicationGetTheirLocks() throws Exception {
		int threads = 4;
		try (JdbcConnections application = connect(url(), threads, Duration.ofSeconds(5));
				TestService service = new TestService(this.engine, LEASE)) {
			JdbcTemplate jdbc = new JdbcTemplate(application.dataSource());
			TransactionTemplate transactions = new TransactionTemplate(
					new DataSourceTransactionManager(application.dataSource()));
			CyclicBarrier begun = new CyclicBarrier(threads);
			inParallel(threads, () -> transactions.execute((transaction) -> {
				jdbc.queryForObject("SELECT 1", Integer.class);
				meet(begun);
				try (HeldLock held = service.locks().acquire("hot")) {
					assertThat(held.isValid()).isTrue();
				}
				return null;
			}));
			transactions.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
			HikariPoolMXBean pool = ((HikariDataSource) application.dataSource()).getHikariPoolMXBean();
			inParallel(threads, () -> {
				meet(begun);
				try (HeldLock held = service.locks().acquire("hot")) {
					return transactions.execute((transaction) -> {
						assertThat(held.isValid()).isTrue();
						assertThat(pool.getActiveConnections()).isOne();
						return null;
					});
				}
			});
		}
	}

	private static void meet(CyclicBarrier barrier) {
		try {
			barrier.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * The time is that of the statement and not of its transaction: who has waited for
	 * the row until the own lease was over has lost it.
	 */
	@Test
	@Fault(43)
	void renewalThatWaitedUntilItsLeaseWasOverRevivesNothing() throws Exception {
		Claim late = claim("a", Access.SHARED, Duration.ofSeconds(3), Duration.ZERO, Duration.ZERO);
		JdbcLockEngine slow = engine(settings(PATIENCE));
		long number = granted(slow, late).number();
		CompletableFuture<RenewalOutcome> renewal;
		try (Operator operator = new Operator()) {
			operator.run(CHANGE_ROWS.formatted(this.namespace));
			renewal = later(() -> renew(slow, late, number));
			await().until(() -> number(waitingSessions()) == 1);
			await().until(() -> this.engine.inspect(late.key()).isEmpty());
		}
		assertThat(renewal.get(30, TimeUnit.SECONDS)).isInstanceOf(RenewalOutcome.NotOwner.class);
		granted(claim("a"));
	}

	/**
	 * No time zone of the session that changes meanwhile, as at the end of summer time,
	 * makes a lease longer or shorter.
	 */
	@Test
	@Fault(45)
	void timeZoneOfTheSessionMayChangeWhileALockIsHeld() throws SQLException {
		try (Connection connection = connection(); Statement session = connection.createStatement()) {
			JdbcLockEngine one = engine(JdbcConnections.of(new SingleConnectionDataSource(connection, true)));
			session.execute(setTimeZoneOfSession().formatted("+02:00"));
			Claim claim = claim("a");
			long number = ((AcquisitionOutcome.Granted) one.tryAcquire(claim)).number();
			for (String zone : List.of("+01:00", "+13:00", "-11:00", "+02:00")) {
				session.execute(setTimeZoneOfSession().formatted(zone));
				assertThat(renew(one, claim, number)).as(zone).isInstanceOf(RenewalOutcome.Renewed.class);
				assertThat(remaining("a")).as(zone).isBetween(LEASE.minusSeconds(20), LEASE);
				assertThat(one.tryAcquire(claim("a"))).as(zone).isInstanceOf(AcquisitionOutcome.Busy.class);
				assertThat(one.inspect(claim.key()).get(0).remaining()).as(zone)
					.isBetween(LEASE.minusSeconds(20), LEASE);
			}
			assertThat(one.release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
		}
	}

	/**
	 * A database that went back to an earlier state, as a lagging replica does, reports
	 * grants that it lost as lost, and assigns greater numbers.
	 */
	@Test
	@Fault(47)
	void databaseThatForgotAGrantTellsItsHolderAndGoesOnWithGreaterNumbers() throws SQLException {
		for (Access access : List.of(Access.EXCLUSIVE, Access.SHARED)) {
			String key = "key " + access.code();
			use(claim(key, access));
			execute("CREATE TABLE IF NOT EXISTS earlier AS SELECT * FROM leasehold_lock WHERE 1 = 0");
			execute("INSERT INTO earlier SELECT * FROM leasehold_lock WHERE namespace = '" + this.namespace + "'");
			Claim forgotten = claim(key, access);
			long number = granted(forgotten).number();
			execute("DELETE FROM leasehold_lock WHERE namespace = '" + this.namespace + "'");
			execute("INSERT INTO leasehold_lock SELECT * FROM earlier WHERE namespace = '" + this.namespace + "'");
			execute("DROP TABLE earlier");
			assertThat(renew(forgotten, number, LEASE)).isInstanceOf(RenewalOutcome.NotOwner.class);
			assertThat(this.engine.release(forgotten)).isInstanceOf(ReleaseOutcome.NotOwner.class);
			assertThat(granted(claim(key, access)).number()).isGreaterThan(number);
		}
	}

	/**
	 * The release of a claim of which a request may still arrive frees the row at once,
	 * and is repeated until no request can arrive any more.
	 */
	@Test
	@Fault(105)
	void releaseOfAHeldClaimWithALateRequestFreesItsRowAtOnce() {
		JdbcLockEngine brief = engine(settings(Duration.ofSeconds(3)));
		List<Claim> claims = List.of(claim("a"), shared("b"));
		for (Claim claim : claims) {
			this.statements.before("UPDATE leasehold_lock SET", () -> {
				throw new IllegalStateException("the response was lost");
			});
			assertThatIllegalStateException().isThrownBy(() -> brief.tryAcquire(claim));
			granted(claim);
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> brief.release(claim))
				.withMessageContaining("may still arrive");
			assertThat(this.engine.inspect(claim.key())).isEmpty();
		}
		for (Claim claim : claims) {
			assertThat(releasedAtLast(brief, claim)).as("release of %s", claim.access())
				.isInstanceOf(ReleaseOutcome.NotOwner.class);
		}
	}

	@Test
	void failedInsertionIsNoBusyKey() {
		this.statements.before("INTO leasehold_lock",
				() -> JdbcLockFaultsTests.<RuntimeException>fail(new SQLException("no space left", "53100")));
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.engine.tryAcquire(claim("a")))
			.withMessageStartingWith("The database %s:".formatted(platform()))
			.withMessageEndingWith("no space left");
	}

	/** No release is reported of a claim whose request was lost before it arrived. */
	@Test
	void releaseOfAClaimWithoutAGrantFindsNoneOnceNoRequestCanArrive() {
		JdbcLockEngine brief = engine(settings(Duration.ofSeconds(3)));
		List<Claim> claims = List.of(claim("a"), shared("b"));
		for (Claim claim : claims) {
			this.statements.before("UPDATE leasehold_lock SET", () -> {
				throw new IllegalStateException("the request was lost");
			});
			assertThatIllegalStateException().isThrownBy(() -> brief.tryAcquire(claim));
		}
		for (Claim claim : claims) {
			assertThat(releasedAtLast(brief, claim)).as("release of %s", claim.access())
				.isInstanceOf(ReleaseOutcome.NotOwner.class);
		}
	}

	/**
	 * A release whose reply is lost may have freed the row, so that the repeated one
	 * finds nothing. The service reports no loss then.
	 */
	@Test
	@Fault(13)
	void releaseAfterALostReplyIsRepeated() {
		for (Access access : List.of(Access.EXCLUSIVE, Access.SHARED)) {
			Claim claim = claim("released " + access, access);
			granted(claim);
			JdbcLockEngine direct = engine(settings(Duration.ofSeconds(5)));
			this.statements.before("leasehold_lock", () -> {
				assertThat(direct.release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
				JdbcLockFaultsTests
					.<RuntimeException>fail(new SQLNonTransientConnectionException("the reply was lost", "08006"));
			});
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.engine.release(claim));
			assertThat(this.engine.inspect(claim.key())).isEmpty();
			assertThat(this.engine.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		}
	}

	@SuppressWarnings("unchecked")
	static <T extends Throwable> void fail(Throwable failure) throws T {
		throw (T) failure;
	}

	/**
	 * A release that was never sent, as without a connection or any time left for it,
	 * does not make the loss of a lock doubtful.
	 */
	@Test
	void lossIsReportedAfterAReleaseThatWasNeverSent() {
		Duration call = Duration.ofSeconds(4);
		AtomicReference<Callable<?>> trouble = new AtomicReference<>(() -> null);
		JdbcLockEngine remote = new JdbcLockEngine(JdbcConnections.of(new DelegatingDataSource(this.statements) {

			@Override
			public Connection getConnection() throws SQLException {
				try {
					trouble.getAndSet(() -> null).call();
				}
				catch (Exception ex) {
					throw new SQLTransientConnectionException(ex);
				}
				return super.getConnection();
			}

		}), settings(call), MonotonicClock.SYSTEM);
		List<Callable<?>> troubles = List.of(() -> {
			throw new IllegalStateException("no connection");
		}, () -> {
			Pace start = Pace.begin();
			await().until(() -> start.elapsed().compareTo(call) > 0);
			return null;
		});
		for (Callable<?> one : troubles) {
			for (Access access : List.of(Access.EXCLUSIVE, Access.SHARED)) {
				Claim claim = claim("a", access);
				granted(claim);
				this.engine.forceRelease(claim.key());
				assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> {
					trouble.set(one);
					remote.release(claim);
				});
				assertThat(remote.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
			}
		}
	}

	/**
	 * Release a claim as often as it takes. An earlier request may have been carried out
	 * without a response, which leaves nothing to release for the last one.
	 */
	static ReleaseOutcome releasedAtLast(JdbcLockEngine engine, Claim claim) {
		return await().atMost(PATIENCE)
			.ignoreExceptionsInstanceOf(LockEngineException.class)
			.until(() -> engine.release(claim), (outcome) -> true);
	}

	/** Leave the rows of keys that were used before. */
	final void use(Claim... claims) {
		for (Claim claim : claims) {
			granted(claim);
			release(claim);
		}
	}

	private JdbcLockEngine engine(JdbcConnections connections) {
		return new JdbcLockEngine(connections, settings(Duration.ofSeconds(5)), MonotonicClock.SYSTEM);
	}

	/** An engine whose data source's sessions have this isolation. */
	private JdbcLockEngine isolated(int isolation) {
		IsolationLevelDataSourceAdapter source = new IsolationLevelDataSourceAdapter();
		source.setTargetDataSource(this.statements);
		source.setIsolationLevel(isolation);
		return new JdbcLockEngine(JdbcConnections.of(source), settings(PATIENCE), MonotonicClock.SYSTEM);
	}

	static <T> CompletableFuture<T> later(Callable<T> call) {
		return CompletableFuture.supplyAsync(() -> {
			try {
				return call.call();
			}
			catch (RuntimeException ex) {
				throw ex;
			}
			catch (Exception ex) {
				throw new CompletionException(ex);
			}
		}, (task) -> new Thread(task, "later").start());
	}

	/** Session whose transaction keeps rows locked until its end. */
	final class Operator implements AutoCloseable {

		private final Connection connection = connection();

		private final Statement statement = this.connection.createStatement();

		Operator() throws SQLException {
			this.connection.setAutoCommit(false);
			run(setUpOperator());
		}

		void run(String sql) throws SQLException {
			this.statement.execute(sql);
		}

		void commit() throws SQLException {
			this.connection.commit();
		}

		@Override
		public void close() throws SQLException {
			this.connection.rollback();
			this.connection.close();
		}

	}

}
