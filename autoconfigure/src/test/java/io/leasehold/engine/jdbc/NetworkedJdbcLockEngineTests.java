package io.leasehold.engine.jdbc;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

import io.leasehold.LockEngineException;
import io.leasehold.engine.Access;
import io.leasehold.engine.Attempt;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.server.FaultProxy;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What the engine does on every database behind a network.
 */
abstract class NetworkedJdbcLockEngineTests extends JdbcLockFormsTests {

	static final Duration CALL = Duration.ofSeconds(1);

	/** One bound for the connection and one for the answer, and a slow machine. */
	private static final Duration BOUND = CALL.multipliedBy(2).plusSeconds(1);

	abstract int port();

	abstract String url(int port);

	/** Statement that changes the time zone of new sessions. */
	abstract String setTimeZone();

	abstract String resetTimeZone();

	@Override
	final String url() {
		return url(port());
	}

	@Test
	void swallowedAnswersAreBoundedFailuresThatMayPass() throws IOException {
		try (FaultProxy proxy = FaultProxy.to(port()); JdbcLockEngine remote = remote(proxy.port())) {
			Claim held = claim("held");
			long number = ((Attempt.Granted) remote.tryAcquire(held)).number();
			proxy.blackHole();
			bounded(() -> assertThatExceptionOfType(LockEngineException.class)
				.isThrownBy(() -> remote.tryAcquire(claim("a")))
				.withMessageContaining("lock 'a'")
				.matches(LockEngineException::isRetryable));
			bounded(() -> assertThat(renew(remote, held, number)).isInstanceOf(RenewalOutcome.Unknown.class));
			bounded(() -> assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> remote.release(held)));
			bounded(() -> assertThatExceptionOfType(LockEngineException.class)
				.isThrownBy(() -> remote.inspect(held.key())));
			proxy.heal();
			assertThat(this.engine.inspect(held.key())).isNotEmpty();
		}
	}

	@Test
	void renewalsGoOnOnceTheNetworkIsBack() throws IOException {
		try (FaultProxy proxy = FaultProxy.to(port()); JdbcLockEngine remote = remote(proxy.port())) {
			Claim held = claim("held");
			long number = ((Attempt.Granted) remote.tryAcquire(held)).number();
			proxy.blackHole();
			assertThat(renew(remote, held, number)).isInstanceOf(RenewalOutcome.Unknown.class);
			proxy.reset();
			proxy.heal();
			await().atMost(Duration.ofSeconds(20))
				.until(() -> renew(remote, held, number), RenewalOutcome.Renewed.class::isInstance);
		}
	}

	@Test
	void grantWhoseAnswerWasLostIsFoundAgain() throws IOException {
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
			Attempt again = await().ignoreExceptions()
				.atMost(Duration.ofSeconds(20))
				.until(() -> remote.tryAcquire(claim), Attempt.Granted.class::isInstance);
			assertThat(((Attempt.Granted) again).number()).isEqualTo(number);
			assertThat(remote.release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
			assertThat(this.engine.inspect(claim.key())).isEmpty();
		}
	}

	@Test
	void brokenConnectionsAreReplaced() throws IOException {
		try (FaultProxy proxy = FaultProxy.to(port()); JdbcLockEngine remote = remote(proxy.port())) {
			Claim claim = claim("a");
			long number = ((Attempt.Granted) remote.tryAcquire(claim)).number();
			proxy.reset();
			await().atMost(Duration.ofSeconds(20))
				.until(() -> renew(remote, claim, number), RenewalOutcome.Renewed.class::isInstance);
			assertThat(remote.release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
		}
	}

	@Test
	void databaseThatDoesNotAnswerYetDoesNotStopTheStart() throws IOException {
		try (FaultProxy proxy = FaultProxy.to(port())) {
			proxy.refuse();
			try (JdbcLockEngine remote = remote(proxy.port())) {
				bounded(remote::start);
				bounded(() -> assertThatExceptionOfType(LockEngineException.class)
					.isThrownBy(() -> remote.tryAcquire(claim("a")))
					.matches(LockEngineException::isRetryable));
			}
		}
	}

	@Test
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

	/** FAULTS row 49. */
	final void assertAllPrivilegesAreNeeded(String user, String url) throws SQLException {
		for (String table : List.of("leasehold_lock", "leasehold_lock_holder")) {
			for (String some : List.of("SELECT", "SELECT, INSERT", "SELECT, INSERT, UPDATE")) {
				execute("GRANT %s ON %s TO %s".formatted(some, table, user));
				try (JdbcLockEngine poor = engineOf(url)) {
					assertThatExceptionOfType(LockTableException.class).as("%s on %s", some, table)
						.isThrownBy(poor::start)
						.withMessageContaining("may not use table 'leasehold_lock' or 'leasehold_lock_holder'. "
								+ "Grant SELECT, INSERT, UPDATE and DELETE")
						.matches((ex) -> ex.getProblem() == LockTableException.Problem.FORBIDDEN && !ex.isRetryable());
				}
			}
			execute("GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO %s".formatted(table, user));
		}
		try (JdbcLockEngine rich = engineOf(url)) {
			rich.start();
			for (Access access : List.of(Access.EXCLUSIVE, Access.SHARED)) {
				Claim claim = claim(user, access);
				assertThat(rich.tryAcquire(claim)).isInstanceOf(Attempt.Granted.class);
				assertThat(rich.release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
			}
		}
	}

	private JdbcLockEngine engineOf(String url) {
		return new JdbcLockEngine(connect(url, 4, CALL), settings(CALL), MonotonicClock.SYSTEM);
	}

	final JdbcLockEngine remote(int port) {
		return engineOf(url(port));
	}

	static RenewalOutcome renew(JdbcLockEngine engine, Claim claim, long number) {
		return renew(engine, claim, number, LEASE);
	}

	static RenewalOutcome renew(JdbcLockEngine engine, Claim claim, long number, Duration lease) {
		return engine.renew(List.of(new Renewal(claim, number, lease))).get(0);
	}

	private static void bounded(Runnable call) {
		long start = System.nanoTime();
		call.run();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(BOUND);
	}

}
