package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.List;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A database that crashes and comes back.
 */
abstract class DatabaseRestartTests {

	static final Duration CALL = Duration.ofSeconds(5);

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final Member member = Member.of("shop");

	/** URL of a server of its own, with user and password. */
	abstract String url();

	abstract String platform();

	/** End the server as a crash does. */
	abstract void crash() throws Exception;

	abstract void startAgain() throws Exception;

	/** Locks whose lease is longer survive a crash, and the others are reported. */
	@Test
	@Fault(46)
	void locksWhoseLeasesOutlastACrashAreKeptAndTheOthersAreLost() throws Exception {
		JdbcLockEngine engine = engine();
		try (TestService service = new TestService(engine, CALL.multipliedBy(2))) {
			HeldLock lost = service.locks().acquire("lost");
			Claim kept = claim();
			long number = ((AcquisitionOutcome.Granted) engine.tryAcquire(kept)).number();
			crash();
			assertThat(renew(engine, kept, number)).isInstanceOf(RenewalOutcome.Unknown.class);
			await().atMost(PATIENCE).until(() -> !lost.isValid());
			startAgain();
			await().atMost(PATIENCE).until(() -> renew(engine, kept, number), RenewalOutcome.Renewed.class::isInstance);
			assertThat(engine.inspect(kept.key())).extracting(Holder::number).containsExactly(number);
			assertThat(engine.tryAcquire(claim())).isInstanceOf(AcquisitionOutcome.Busy.class);
			assertThat(engine.release(kept)).isEqualTo(ReleaseOutcome.RELEASED);
			assertThat(engine.tryAcquire(claim())).isInstanceOfSatisfying(AcquisitionOutcome.Granted.class,
					(granted) -> assertThat(granted.number()).isGreaterThan(number));
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::close)
				.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(LossCause.EXPIRED));
			try (HeldLock next = service.locks().acquire("lost")) {
				assertThat(next.fencingToken()).isGreaterThan(lost.fencingToken());
			}
		}
	}

	final JdbcLockEngine engine() {
		JdbcConnections connections = JdbcConnections.open(url(), null, null, null, 4, CALL);
		connections.awaitFirst();
		new ResourceDatabasePopulator(new ClassPathResource(LockTableScript.location(platform())))
			.execute(connections.dataSource());
		return new JdbcLockEngine(connections, new JdbcSettings("restart", JdbcSettings.DEFAULT_TABLE, CALL,
				Duration.ofMillis(5), Duration.ofMillis(100), Duration.ofDays(7), true), MonotonicClock.SYSTEM);
	}

	private static RenewalOutcome renew(JdbcLockEngine engine, Claim claim, long number) {
		return engine.renew(List.of(new Renewal(claim, number, claim.lease()))).get(0);
	}

	private Claim claim() {
		return new Claim(new LockKey("kept"), this.member.newOwner(), Duration.ofMinutes(5), Duration.ZERO, false,
				System.nanoTime());
	}

}
