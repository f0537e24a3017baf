package io.leasehold.engine.redlock;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.LockKey;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.server.Ports;
import io.leasehold.service.LockService;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.test.contract.FakeClock;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import io.leasehold.test.contract.TestSettings;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Three masters whose clocks jump. Needs libfaketime, and a {@code redis-server} that can
 * be made to use it: that of the other tests is linked statically.
 */
@Tag("full")
class RedlockServerClockJumpIntegrationTests {

	private static final String NAMESPACE = "clocks";

	private static final Duration LEASE = Duration.ofSeconds(6);

	private static final Duration COMMAND_TIMEOUT = LEASE.dividedBy(2);

	private final List<FakeClock> clocks = Stream.generate(() -> new FakeClock(Duration.ZERO)).limit(3).toList();

	private final List<Integer> ports = List.of(Ports.free(), Ports.free(), Ports.free());

	private final List<Process> servers = List.of(start(0), start(1), start(2));

	private final RedisClient client = RedisClient.create();

	private final List<RedisCommands<String, String>> operators = this.ports.stream().map(this::operator).toList();

	private final RedlockLockEngine engine = connect();

	private final RedlockLockEngine otherEngine = connect();

	private final LockService service = service(this.engine);

	private final LockService other = service(this.otherEngine);

	private Process start(int index) {
		ProcessBuilder builder = new ProcessBuilder("redis-server", "--bind", "127.0.0.1", "--port",
				Integer.toString(this.ports.get(index)), "--save", "", "--appendonly", "no")
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD);
		builder.environment().putAll(this.clocks.get(index).environment());
		// Its allocator asks for the time before there is one
		builder.environment().merge("LD_PRELOAD", ":libc.so.6", String::concat);
		try {
			return builder.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Wait until a server has started. */
	private RedisCommands<String, String> operator(int port) {
		return await().ignoreExceptions()
			.until(() -> this.client.connect(RedisURI.create("127.0.0.1", port)).sync(), (connected) -> true);
	}

	private RedlockLockEngine connect() {
		return RedlockOpener.warm(Member.of("test"),
				RedlockOpener.open(this.ports, new LettuceConnector(LettuceTransport.PLAIN, COMMAND_TIMEOUT),
						RedlockOpener.settings(NAMESPACE, Duration.ZERO, COMMAND_TIMEOUT), MonotonicClock.SYSTEM));
	}

	private static LockService service(RedlockLockEngine engine) {
		LockOptions defaults = new LockOptions("test", RedlockLockEngine.NAME, LEASE, Duration.ofSeconds(30),
				Duration.ZERO, LockOptions.UNLIMITED);
		return new LockService(TestSettings.of(defaults), List.of(engine), Member.of("test"), MonotonicClock.SYSTEM,
				List.of(), ReleaseTiming.IMMEDIATE);
	}

	@AfterEach
	void stop() {
		this.service.close();
		this.other.close();
		this.engine.close();
		this.otherEngine.close();
		this.client.shutdown();
		this.servers.forEach(Process::destroyForcibly);
		this.clocks.forEach(FakeClock::close);
	}

	/**
	 * One clock goes forward: the majority of the others keeps the lock. If the lock were
	 * at a bare majority only, that clock would decide.
	 */
	@Fault(27)
	@Test
	void clockOfAMinorityDoesNotMatter() {
		String record = LockNames.of(NAMESPACE, new LockKey("k")).lock();
		try (HeldLock held = this.service.acquire("k")) {
			await().until(() -> this.operators.stream().allMatch((operator) -> operator.exists(record) == 1));
			this.clocks.get(1).set(Duration.ofHours(1));
			LockOptions options = this.other.defaults().toBuilder().waitTime(LEASE).build();
			assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> this.other.acquire("k", options));
			assertThat(held.isValid()).isTrue();
		}
		this.other.acquire("k").close();
	}

	/**
	 * The clocks of a majority go forward by more than the lease: the next renewal
	 * reports the loss, and the token of the next holder is greater.
	 */
	@Fault(7)
	@Test
	void lockThatEndedEarlyAtAMajorityIsReportedLostAndNotRestored() throws Exception {
		HeldLock held = this.service.acquire("k");
		CompletableFuture<LockLostException> notified = new CompletableFuture<>();
		held.onLost(notified::complete);
		this.clocks.get(0).set(Duration.ofMinutes(1));
		this.clocks.get(2).set(Duration.ofMinutes(1));
		try (HeldLock next = this.other.acquire("k")) {
			assertThat(notified.get(1, TimeUnit.MINUTES).getLossCause()).isEqualTo(LossCause.NOT_OWNER);
			assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		}
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
	}

	/** All clocks go back by two minutes, and with them the end of the lease. */
	@Fault(8)
	@Test
	void leaseThatBecameLongIsWaitedForInMeasure() {
		HeldLock held = this.service.acquire("k");
		this.clocks.forEach((clock) -> clock.set(Duration.ofMinutes(-2)));
		Duration waitTime = Duration.ofSeconds(2);
		Pace requested = Pace.begin();
		assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> this.other.acquire("k", this.other.defaults().toBuilder().waitTime(waitTime).build()));
		assertThat(requested.elapsed()).isBetween(waitTime, waitTime.plus(requested.slack(Duration.ofSeconds(3))));
		held.close();
		try (HeldLock next = this.other.acquire("k")) {
			assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		}
	}

}
