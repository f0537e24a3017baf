package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.Attempt;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.server.PostgresTestServer;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A database that crashes and comes back.
 */
class PostgresRestartIntegrationTests {

	private static final Duration CALL = Duration.ofSeconds(1);

	private final Member member = Member.of("shop");

	@Test
	void lockIsKeptOverACrashOfTheDatabaseThatIsShorterThanItsLease() throws Exception {
		try (PostgresTestServer server = PostgresTestServer.start(); JdbcLockEngine engine = engine(server.url())) {
			Claim held = claim(Duration.ofMinutes(2));
			long number = ((Attempt.Granted) engine.tryAcquire(held)).number();
			server.stopImmediately();
			assertThat(renew(engine, held, number)).isInstanceOf(RenewalOutcome.Unknown.class);
			server.startAgain();
			await().atMost(Duration.ofSeconds(30))
				.until(() -> renew(engine, held, number), RenewalOutcome.Renewed.class::isInstance);
			assertThat(engine.inspect(held.key())).extracting(Holder::number).containsExactly(number);
			assertThat(engine.tryAcquire(claim(Duration.ofMinutes(2)))).isInstanceOf(Attempt.Busy.class);
			assertThat(engine.release(held)).isEqualTo(ReleaseOutcome.RELEASED);
			assertThat(engine.tryAcquire(claim(Duration.ofMinutes(2)))).isInstanceOfSatisfying(Attempt.Granted.class,
					(granted) -> assertThat(granted.number()).isGreaterThan(number));
		}
	}

	private static JdbcLockEngine engine(String url) {
		JdbcConnections connections = JdbcConnections.open(url, null, null, null, 4, CALL);
		new ResourceDatabasePopulator(new ClassPathResource(LockTableScript.location("postgresql")))
			.execute(connections.dataSource());
		return new JdbcLockEngine(connections, new JdbcSettings("restart", JdbcSettings.DEFAULT_TABLE, CALL,
				Duration.ofMillis(5), Duration.ofMillis(100), Duration.ofDays(7), true), MonotonicClock.SYSTEM);
	}

	private static RenewalOutcome renew(JdbcLockEngine engine, Claim claim, long number) {
		return engine.renew(List.of(new Renewal(claim, number, claim.lease()))).get(0);
	}

	private Claim claim(Duration lease) {
		return new Claim(new LockKey("order:42"), this.member.newOwner(), lease, Duration.ZERO, false,
				System.nanoTime());
	}

}
