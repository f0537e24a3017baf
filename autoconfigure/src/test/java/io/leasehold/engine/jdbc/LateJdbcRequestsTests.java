package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.leasehold.LockEngineException;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.server.FaultProxy;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Acquisitions that the database executes after their callers gave up.
 */
abstract class LateJdbcRequestsTests extends NetworkedJdbcLockEngineTests {

	/** Query for how many sessions a user has. */
	abstract String sessionsOf(String user);

	/** A request that arrives after the release of its claim does not lock the key. */
	@Test
	@Fault(105)
	void acquisitionThatArrivesAfterItsReleaseIsRefused() throws Exception {
		String user = newOrdinaryUser();
		Claim used = claim("used");
		use(used);
		Claim unused = claim("unused");
		List<FaultProxy.Valve> stranded = new ArrayList<>();
		try (FaultProxy proxy = FaultProxy.to(port())) {
			JdbcConnections connections = connect(url(proxy.port()).replaceFirst("user=\\w+", "user=" + user), 4, CALL);
			StatementLog statements = new StatementLog(connections.dataSource());
			try (JdbcLockEngine remote = new JdbcLockEngine(JdbcConnections.of(statements), settings(CALL),
					MonotonicClock.SYSTEM)) {
				remote.start();
				statements.before("UPDATE leasehold_lock SET", () -> stranded.add(proxy.strandRequests()));
				assertUnknown(() -> remote.tryAcquire(used));
				statements.before("INTO leasehold_lock", () -> stranded.add(proxy.strandRequests()));
				assertUnknown(() -> remote.tryAcquire(unused));
				for (Claim claim : List.of(used, unused)) {
					assertThat(releasedAtLast(remote, claim)).isNotInstanceOf(ReleaseOutcome.Released.class);
				}
			}
			connections.close();
			await("sessions with a late request").ignoreExceptions().until(() -> number(sessionsOf(user)) >= 2);
			stranded.forEach(FaultProxy.Valve::open);
			await().ignoreExceptions().until(() -> number(sessionsOf(user)) == 0);
		}
		for (Claim claim : List.of(used, unused)) {
			assertThat(this.engine.inspect(claim.key())).isEmpty();
			granted(claim(claim.key().value()));
		}
	}

	/**
	 * A process that stands still in the middle of a renewal does not keep others from
	 * renewing.
	 */
	@Test
	@Fault(108)
	void transactionOfAProcessThatStandsStillIsEndedByTheDatabase() throws Exception {
		Claim healthy = shared("a");
		long healthyNumber = granted(healthy).number();
		Claim frozen = shared("a");
		CountDownLatch reached = new CountDownLatch(1);
		CountDownLatch thawed = new CountDownLatch(1);
		// The other process waits when the database ends the transaction after that time
		Duration call = Duration.ofSeconds(5);
		JdbcLockEngine slow = engine(settings(Duration.ofSeconds(40)));
		try (JdbcConnections connections = connect(url(), 2, call)) {
			StatementLog statements = new StatementLog(connections.dataSource());
			JdbcLockEngine remote = new JdbcLockEngine(JdbcConnections.of(statements), settings(call),
					MonotonicClock.SYSTEM);
			long number = ((AcquisitionOutcome.Granted) remote.tryAcquire(frozen)).number();
			statements.before("UPDATE leasehold_lock_holder", () -> {
				reached.countDown();
				awaitUninterruptibly(thawed);
			});
			CompletableFuture<RenewalOutcome> renewal = later(() -> renew(remote, frozen, number));
			reached.await();
			later(() -> renew(slow, healthy, healthyNumber));
			await().until(() -> number(waitingSessions()) == 1);
			await().atMost(LEASE)
				.until(() -> renew(healthy, healthyNumber, LEASE), RenewalOutcome.Renewed.class::isInstance);
			thawed.countDown();
			assertThat(renewal.join()).isInstanceOf(RenewalOutcome.Unknown.class);
			await().until(() -> renew(remote, frozen, number), RenewalOutcome.Renewed.class::isInstance);
		}
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static void assertUnknown(Runnable call) {
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(call::run)
			.matches(LockEngineException::isRetryable);
	}

}
