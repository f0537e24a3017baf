package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.test.contract.FakeClock;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A database whose clock is set while locks are held. That of this process is true.
 */
abstract class ServerClockJumpTests {

	private static final Duration CALL = Duration.ofSeconds(4);

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final FakeClock clock = new FakeClock(Duration.ZERO);

	private JdbcConnections connections;

	private StatementLog statements;

	private TestService one;

	private TestService other;

	/**
	 * Start a server of its own.
	 * @param environment variables of its environment
	 * @return the URL of its database, with user and password
	 */
	abstract String start(Map<String, String> environment) throws Exception;

	abstract void stop() throws Exception;

	abstract String platform();

	@BeforeEach
	void open() throws Exception {
		this.connections = JdbcConnections.open(start(this.clock.environment()), null, null, null, 8, CALL);
		this.connections.awaitFirst();
		new ResourceDatabasePopulator(new ClassPathResource(LockTableScript.location(platform())))
			.execute(this.connections.dataSource());
		this.statements = new StatementLog(this.connections.dataSource());
		this.one = new TestService(engine(), CALL.multipliedBy(3));
		this.other = new TestService(engine(), CALL.multipliedBy(3));
	}

	@AfterEach
	void close() throws Exception {
		this.one.close();
		this.other.close();
		this.connections.close();
		stop();
		this.clock.close();
	}

	/**
	 * A clock that is set forwards ends leases early, and their holders are notified. One
	 * that is set back makes them longer: waiters time out as usual and do not poll more
	 * often, a release makes its key available at once, and tokens still grow.
	 */
	@Test
	@Fault(44)
	void leasesEndEarlyOrLateAndTokensGrowWhereverTheClockIsSetTo() {
		HeldLock former = this.one.locks().acquire("a");
		JdbcLockEngine engine = engine();
		Claim silent = new Claim(new LockKey("silent"), Member.of("shop").newOwner(), Duration.ofMinutes(10),
				Duration.ZERO, false, System.nanoTime());
		long number = ((AcquisitionOutcome.Granted) engine.tryAcquire(silent)).number();
		this.clock.set(Duration.ofHours(1));
		HeldLock next = this.other.locks().acquire("a");
		assertThat(next.fencingToken()).isGreaterThan(former.fencingToken());
		assertThat(engine.renew(List.of(new Renewal(silent, number, silent.lease())))).as("nobody comes back")
			.hasOnlyElementsOfType(RenewalOutcome.NotOwner.class);
		assertThat(engine.inspect(silent.key())).isEmpty();
		await().atMost(PATIENCE).until(() -> !former.isValid());
		await().untilAsserted(
				() -> assertThat(this.one.events(LockEvent.HoldLost.class)).extracting(LockEvent.HoldLost::cause)
					.containsExactly(LossCause.NOT_OWNER));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(former::close);
		this.clock.set(Duration.ofHours(-1));
		assertThat(next.isValid()).isTrue();
		LockOptions second = this.one.locks().defaults().toBuilder().waitTime(Duration.ofSeconds(1)).build();
		this.statements.clear();
		assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> this.one.locks().acquire("a", second));
		assertThat(this.statements.executed()).as("polls").hasSizeLessThan(200);
		next.close();
		try (HeldLock last = this.one.locks().acquire("a")) {
			assertThat(last.fencingToken()).isGreaterThan(next.fencingToken());
			assertThat(engine.inspect(new LockKey("a"))).extracting(Holder::remaining)
				.allMatch((rest) -> rest.compareTo(CALL.multipliedBy(3)) <= 0);
		}
	}

	private JdbcLockEngine engine() {
		return new JdbcLockEngine(JdbcConnections.of(this.statements),
				new JdbcSettings("clock", JdbcSettings.DEFAULT_TABLE, CALL, Duration.ofMillis(5),
						Duration.ofMillis(100), Duration.ofDays(7), true),
				MonotonicClock.SYSTEM);
	}

}
