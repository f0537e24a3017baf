package io.leasehold.engine.jdbc;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.server.FaultProxy;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.support.JdbcUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What the engine does on every database behind a network.
 */
abstract class NetworkedJdbcLockEngineTests extends CrowdedJdbcLockEngineTests {

	static final Duration CALL = Duration.ofSeconds(3);

	/** One bound for the connection and one for the response. */
	private static final Duration BOUND = CALL.multipliedBy(2);

	abstract int port();

	abstract String url(int port);

	/** Statement that changes the time zone of new sessions. */
	abstract String setTimeZone();

	abstract String resetTimeZone();

	/** Create a user that may do with the tables what the engine does. */
	abstract String newOrdinaryUser() throws SQLException;

	/** Let ordinary users change nothing any more. */
	abstract void makeReadOnly() throws SQLException;

	abstract void makeWritable() throws SQLException;

	@Override
	final String url() {
		return url(port());
	}

	/**
	 * Every call on a connection that the network turns into a black hole ends in time,
	 * whatever pool it comes from, and may be repeated.
	 */
	@Test
	@Fault(35)
	void lostResponsesAreBoundedFailuresThatMayPass() throws Exception {
		try (FaultProxy proxy = FaultProxy.to(port()); JdbcConnections own = connect(url(proxy.port()), 7, CALL)) {
			assertCallsAreBounded(proxy, own.dataSource());
		}
		try (FaultProxy proxy = FaultProxy.to(port()); HikariDataSource foreign = new HikariDataSource()) {
			foreign.setJdbcUrl(url(proxy.port()));
			assertCallsAreBounded(proxy, foreign);
		}
	}

	private void assertCallsAreBounded(FaultProxy proxy, DataSource source) throws Exception {
		Claim held = claim("held");
		long number = granted(held).number();
		Claim shared = shared("shared");
		long sharedNumber = granted(shared).number();
		JdbcLockEngine remote = new JdbcLockEngine(JdbcConnections.of(source), settings(CALL), MonotonicClock.SYSTEM);
		remote.start();
		connectAll(source, 7);
		proxy.blackHole();
		List<CompletableFuture<?>> calls = List.of(bounded(() -> remote.tryAcquire(claim("a"))),
				bounded(() -> remote.tryAcquire(shared("b"))), bounded(() -> remote.release(held)),
				bounded(() -> remote.release(shared)), bounded(() -> remote.inspect(held.key())));
		CompletableFuture<?> renewal = later(() -> timed(() -> renew(remote, held, number)));
		assertThat(timed(() -> renew(remote, shared, sharedNumber))).isInstanceOf(RenewalOutcome.Unknown.class);
		assertThat(renewal.get()).isInstanceOf(RenewalOutcome.Unknown.class);
		for (CompletableFuture<?> call : calls) {
			call.get();
		}
		proxy.heal();
		this.engine.forceRelease(held.key());
		this.engine.forceRelease(shared.key());
	}

	private static void connectAll(DataSource source, int connections) {
		await().ignoreExceptions().until(() -> {
			Deque<Connection> all = new ArrayDeque<>();
			try {
				while (all.size() < connections) {
					all.push(source.getConnection());
				}
				return true;
			}
			finally {
				all.forEach(JdbcUtils::closeConnection);
			}
		});
	}

	private static CompletableFuture<?> bounded(Callable<?> call) {
		return later(() -> timed(() -> assertThatExceptionOfType(LockEngineException.class).isThrownBy(call::call)
			.matches(LockEngineException::isRetryable)));
	}

	private static <T> T timed(Callable<T> call) throws Exception {
		Pace start = Pace.begin();
		T result = call.call();
		assertThat(start.elapsed()).isLessThan(BOUND.plus(start.slack(Duration.ofSeconds(1))));
		return result;
	}

	/** A thread that waits for a lock does not wait for the network. */
	@Test
	@Fault(36)
	void waiterIsInterruptedWhileItsPollIsInABlackHole() throws Exception {
		Duration longCall = Duration.ofMinutes(1);
		Claim held = claim("a");
		granted(held);
		AtomicBoolean flagged = new AtomicBoolean();
		CountDownLatch swallowed = new CountDownLatch(1);
		try (FaultProxy proxy = FaultProxy.to(port());
				JdbcConnections connections = connect(url(proxy.port()), 4, longCall)) {
			StatementLog polls = new StatementLog(connections.dataSource());
			JdbcLockEngine remote = new JdbcLockEngine(JdbcConnections.of(polls), settings(longCall),
					MonotonicClock.SYSTEM);
			try (TestService service = new TestService(remote, Duration.ofMinutes(2))) {
				Thread waiter = new Thread(() -> {
					assertThatExceptionOfType(LockInterruptedException.class)
						.isThrownBy(() -> service.locks().acquire("a"));
					flagged.set(Thread.currentThread().isInterrupted());
				});
				waiter.start();
				await().until(() -> !service.events(LockEvent.WaitStarted.class).isEmpty());
				polls.before("UPDATE leasehold_lock", () -> {
					proxy.blackHole();
					swallowed.countDown();
				});
				swallowed.await();
				waiter.interrupt();
				waiter.join(longCall.dividedBy(2).toMillis());
				assertThat(flagged).isTrue();
				proxy.heal();
				release(held);
				await().untilAsserted(() -> assertThat(this.engine.inspect(held.key())).isEmpty());
				grantedAtLast(claim("a")); // the poll may arrive only now
			}
		}
	}

	/** A row that was inserted without the inserter's knowledge is freed by its token. */
	@Test
	@Fault(37)
	void insertWhoseResponseWasLostLeavesNoOrphan() throws IOException {
		Duration longLease = Duration.ofMinutes(10);
		LockKey key = new LockKey("new");
		try (FaultProxy proxy = FaultProxy.to(port());
				JdbcConnections connections = connect(url(proxy.port()), 4, CALL)) {
			StatementLog log = new StatementLog(connections.dataSource());
			JdbcLockEngine remote = new JdbcLockEngine(JdbcConnections.of(log), settings(CALL), MonotonicClock.SYSTEM);
			try (TestService service = new TestService(remote, longLease)) {
				LockOptions once = service.locks().defaults().toBuilder().waitTime(Duration.ZERO).build();
				log.before("INTO leasehold_lock", proxy.replies()::drop);
				assertThatExceptionOfType(LockEngineException.class)
					.isThrownBy(() -> service.locks().acquire("new", once));
				await().until(() -> !this.engine.inspect(key).isEmpty());
				proxy.reset();
				proxy.heal();
				await().atMost(longLease.dividedBy(10)).until(() -> this.engine.inspect(key).isEmpty());
			}
		}
	}

	/**
	 * A database that becomes read-only, as after a change of its role or of the routing
	 * to it, fails calls without waiting, and its locks are reported as lost.
	 */
	@Test
	@Fault(47)
	void databaseThatBecomesReadOnlyFailsFastAndItsLocksAreLost() throws SQLException {
		Duration call = Duration.ofMillis(750);
		String url = url().replaceFirst("user=\\w+", "user=" + newOrdinaryUser());
		try (TestService service = new TestService(engineOf(url, call), call.multipliedBy(2))) {
			HeldLock held = service.locks().acquire("held");
			makeReadOnly();
			try {
				await().untilAsserted(() -> assertThatExceptionOfType(LockEngineException.class)
					.isThrownBy(() -> service.locks().acquire("a").close())
					.withMessageContaining("lock 'a': it is read-only")
					.matches((ex) -> !ex.isRetryable()));
				await().until(() -> !service.events(LockEvent.HoldLost.class).isEmpty());
				assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
					.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(LossCause.EXPIRED));
			}
			finally {
				makeWritable();
			}
			await().ignoreExceptions().untilAsserted(() -> {
				try (HeldLock next = service.locks().acquire("held")) {
					assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
				}
			});
		}
	}

	/** What can happen to a database while locks are used. */
	enum Disturbance {

		/** The user loses a privilege. */
		PRIVILEGE(true),

		/** All connections break, and new ones are refused. */
		LOGIN(true),

		/** All changes are refused, as by a replica. */
		READ_ONLY(true),

		/** The rows are gone, as after a restart without the data. */
		EMPTIED(false),

		/** Another session has locked the row of one key. */
		ROW(false);

		private final boolean refuses;

		Disturbance(boolean refuses) {
			this.refuses = refuses;
		}

	}

	/**
	 * Whatever happens to the database: no second owner, few requests meanwhile, and
	 * nothing left afterwards.
	 */
	@ParameterizedTest
	@EnumSource
	@Fault({ 47, 49, 182 })
	void disturbanceLetsNobodyInSendsFewRequestsAndLeavesNothing(Disturbance disturbance) throws Exception {
		Duration call = Duration.ofSeconds(1);
		String user = newOrdinaryUser();
		AtomicInteger requests = new AtomicInteger();
		try (FaultProxy proxy = FaultProxy.to(port());
				TestService service = new TestService(
						engineOf(url(proxy.port()).replaceFirst("user=\\w+", "user=" + user), call),
						call.multipliedBy(3))) {
			proxy.requests().beforeEach(requests::incrementAndGet);
			LockOptions once = service.locks().defaults().toBuilder().waitTime(Duration.ZERO).build();
			HeldLock held = service.locks().acquire("held");
			try (Connection other = connection()) {
				begin(disturbance, user, other, proxy);
				try {
					if (disturbance.refuses) {
						await().until(() -> !uses(service, "key", once));
					}
					// Without a connection, each call waits for the call timeout
					int calls = (disturbance == Disturbance.LOGIN) ? 2 : 100;
					IntStream.range(0, calls).forEach((i) -> uses(service, "key " + i, once));
					requests.set(0);
					assertNoOverlap(held, disturbance);
					assertThat(requests).as("requests within a second").hasValueLessThan(60);
				}
				finally {
					end(disturbance, user, other);
				}
			}
			await().ignoreExceptions().untilAsserted(() -> service.locks().acquire("afterwards").close());
			closeQuietly(held);
		}
		await().untilAsserted(() -> assertThat(number(
				"SELECT COUNT(*) FROM leasehold_lock WHERE namespace = '%s' AND owner IS NOT NULL AND expires_at > %d"
					.formatted(this.namespace, databaseClock())))
			.isZero());
	}

	private static void closeQuietly(HeldLock held) {
		try {
			held.close();
		}
		catch (LockLostException ex) {
			assertThat(ex.getKey()).isEqualTo("held");
		}
	}

	private static boolean uses(TestService service, String key, LockOptions once) {
		try {
			service.locks().acquire(key, once).close();
			return true;
		}
		catch (LockException ex) {
			assertThat(ex).hasMessageContaining(key);
			return false;
		}
	}

	/** Another process tries to acquire the key for a second. */
	private void assertNoOverlap(HeldLock held, Disturbance disturbance) {
		long end = System.nanoTime() + Duration.ofSeconds(1).toNanos();
		while (System.nanoTime() - end < 0) {
			Claim other = claim("held");
			if (disturbance == Disturbance.EMPTIED) {
				await().untilAsserted(() -> assertThat(held.isValid()).isFalse());
			}
			else if (grants(other)) {
				assertThat(held.isValid()).as("two owners").isFalse();
				this.engine.release(other);
			}
			LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
		}
	}

	private boolean grants(Claim claim) {
		try {
			return this.engine.tryAcquire(claim) instanceof AcquisitionOutcome.Granted;
		}
		catch (LockEngineException ex) {
			return false;
		}
	}

	private void begin(Disturbance disturbance, String user, Connection other, FaultProxy proxy) throws SQLException {
		switch (disturbance) {
			case PRIVILEGE -> {
				execute(revokeUpdates(user));
				proxy.reset(); // sessions of MySQL keep privileges on a database
			}
			case LOGIN -> {
				execute(refuseLogin(user));
				proxy.reset();
			}
			case READ_ONLY -> makeReadOnly();
			case EMPTIED -> execute("DELETE FROM leasehold_lock WHERE namespace = '%s'".formatted(this.namespace));
			case ROW -> {
				other.setAutoCommit(false);
				try (Statement statement = other.createStatement()) {
					statement
						.execute("SELECT * FROM leasehold_lock WHERE namespace = '%s' AND lock_key = 'held' FOR UPDATE"
							.formatted(this.namespace));
				}
			}
		}
	}

	private void end(Disturbance disturbance, String user, Connection other) throws SQLException {
		switch (disturbance) {
			case PRIVILEGE -> execute(revokeUpdates(user).replace("REVOKE", "GRANT").replace(" FROM ", " TO "));
			case LOGIN -> execute(allowLogin(user));
			case READ_ONLY -> makeWritable();
			case EMPTIED -> {
			}
			case ROW -> {
				other.rollback();
				other.setAutoCommit(true);
			}
		}
	}

	abstract String revokeUpdates(String user);

	abstract String refuseLogin(String user);

	abstract String allowLogin(String user);

	@Test
	void renewalsGoOnOnceTheNetworkIsBack() throws IOException {
		try (FaultProxy proxy = FaultProxy.to(port()); JdbcLockEngine remote = remote(proxy.port())) {
			Claim held = claim("held");
			long number = ((AcquisitionOutcome.Granted) remote.tryAcquire(held)).number();
			proxy.blackHole();
			assertThat(renew(remote, held, number)).isInstanceOf(RenewalOutcome.Unknown.class);
			proxy.reset();
			proxy.heal();
			await().until(() -> renew(remote, held, number), RenewalOutcome.Renewed.class::isInstance);
		}
	}

	@Test
	@Fault(37)
	void grantWhoseResponseWasLostIsFoundAgain() throws IOException {
		try (FaultProxy proxy = FaultProxy.to(port()); JdbcLockEngine remote = remote(proxy.port())) {
			Claim first = claim("a");
			remote.tryAcquire(first);
			remote.release(first);
			Claim claim = claim("a");
			proxy.replies().drop();
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> remote.tryAcquire(claim));
			long number = this.engine.inspect(claim.key()).get(0).number();
			proxy.reset();
			proxy.heal();
			AcquisitionOutcome again = await().ignoreExceptions()
				.until(() -> remote.tryAcquire(claim), AcquisitionOutcome.Granted.class::isInstance);
			assertThat(((AcquisitionOutcome.Granted) again).number()).isEqualTo(number);
			LateJdbcRequestsTests.releasedAtLast(remote, claim);
			assertThat(this.engine.inspect(claim.key())).isEmpty();
		}
	}

	@Test
	void brokenConnectionsAreReplaced() throws IOException {
		try (FaultProxy proxy = FaultProxy.to(port()); JdbcLockEngine remote = remote(proxy.port())) {
			Claim claim = claim("a");
			long number = ((AcquisitionOutcome.Granted) remote.tryAcquire(claim)).number();
			proxy.reset();
			await().until(() -> renew(remote, claim, number), RenewalOutcome.Renewed.class::isInstance);
			// The pool may have another broken connection
			LateJdbcRequestsTests.releasedAtLast(remote, claim);
			assertThat(this.engine.inspect(claim.key())).isEmpty();
		}
	}

	@Test
	void databaseThatDoesNotRespondYetDoesNotFailStartup() throws Exception {
		try (FaultProxy proxy = FaultProxy.to(port())) {
			proxy.refuse();
			try (JdbcLockEngine remote = remote(proxy.port())) {
				timed(Executors.callable(remote::start));
				bounded(() -> remote.tryAcquire(claim("a"))).get();
			}
		}
	}

	/** Leases are the same for sessions of every time zone. */
	@Test
	@Fault(45)
	void timeZoneOfTheSessionDoesNotMatter() throws SQLException {
		Claim claim = claim("a", Duration.ofMinutes(5), Duration.ZERO);
		granted(claim);
		execute(setTimeZone());
		try {
			assertSameTimesElsewhere(claim);
		}
		finally {
			execute(resetTimeZone());
		}
	}

	static String newUser() {
		return "u" + UUID.randomUUID().toString().substring(0, 8);
	}

	@Test
	void lossIsReportedAfterAReleaseThatTheDatabaseUndid() {
		for (Access access : List.of(Access.EXCLUSIVE, Access.SHARED)) {
			Claim claim = claim("a", access);
			granted(claim);
			this.engine.forceRelease(claim.key());
			this.statements.before("UPDATE leasehold_lock",
					() -> JdbcLockFaultsTests.<RuntimeException>fail(new SQLException("deadlock", "40001")));
			assertThat(this.engine.release(claim)).as("%s", access).isInstanceOf(ReleaseOutcome.NotOwner.class);
		}
	}

	final void assertAllPrivilegesAreNeeded(String user, String url) throws SQLException {
		for (String table : List.of("leasehold_lock", "leasehold_lock_holder")) {
			for (String some : List.of("SELECT", "SELECT, INSERT", "SELECT, INSERT, UPDATE")) {
				execute("GRANT %s ON %s TO %s".formatted(some, table, user));
				try (JdbcLockEngine poor = engineOf(url, CALL)) {
					assertThatExceptionOfType(LockTableException.class).as("%s on %s", some, table)
						.isThrownBy(poor::start)
						.withMessageContaining("lacks privileges on table 'leasehold_lock' or 'leasehold_lock_holder'. "
								+ "Grant SELECT, INSERT, UPDATE and DELETE")
						.matches((ex) -> ex.getProblem() == LockTableException.Problem.FORBIDDEN && !ex.isRetryable());
				}
			}
			execute("GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %s".formatted(table, user));
		}
		try (JdbcLockEngine rich = engineOf(url, CALL)) {
			rich.start();
			for (Access access : List.of(Access.EXCLUSIVE, Access.SHARED)) {
				Claim claim = claim(user, access);
				assertThat(rich.tryAcquire(claim)).isInstanceOf(AcquisitionOutcome.Granted.class);
				assertThat(rich.release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
			}
		}
	}

	final JdbcLockEngine engineOf(String url, Duration call) {
		JdbcConnections opened = connect(url, 4, call);
		opened.awaitFirst();
		return new JdbcLockEngine(opened, settings(call), MonotonicClock.SYSTEM);
	}

	final JdbcLockEngine remote(int port) {
		return engineOf(url(port), CALL);
	}

}
