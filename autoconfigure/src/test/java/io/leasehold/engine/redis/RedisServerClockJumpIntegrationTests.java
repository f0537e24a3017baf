package io.leasehold.engine.redis;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.Claim;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.Ports;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.FakeClock;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A server whose clock jumps. Needs libfaketime, and a {@code redis-server} that can be
 * made to use it: that of the other tests is linked statically.
 */
@Tag("full")
class RedisServerClockJumpIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(6);

	private final FakeClock clock = new FakeClock(Duration.ZERO);

	private final int port = Ports.free();

	private final Process server = start();

	private final RedisEngines engines = await().ignoreExceptions()
		.until(() -> new RedisEngines(this.port), (connected) -> true);

	private final TestMember member = this.engines.member();

	private final LockService service = this.engines.service(this.member, (event) -> {
	});

	private final LockService other = this.engines.service(this.engines.member(), (event) -> {
	});

	RedisServerClockJumpIntegrationTests() throws IOException {
	}

	private Process start() throws IOException {
		ProcessBuilder builder = new ProcessBuilder("redis-server", "--bind", "127.0.0.1", "--port",
				Integer.toString(this.port), "--save", "", "--appendonly", "no")
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD);
		builder.environment().putAll(this.clock.environment());
		// Its allocator asks for the time before there is one
		builder.environment().merge("LD_PRELOAD", ":libc.so.6", String::concat);
		return builder.start();
	}

	@AfterEach
	void stop() {
		this.engines.close();
		this.server.destroyForcibly();
		this.clock.close();
	}

	/**
	 * The server's clock goes forward by more than the lease: the holder is notified by
	 * its next renewal, which takes the lock neither back nor from the next holder, whose
	 * token is greater.
	 */
	@Fault(7)
	@Test
	void lockThatEndedEarlyIsReportedLostAndNotRestored() throws Exception {
		LockOptions options = this.service.defaults().toBuilder().lease(LEASE).build();
		HeldLock awaited = this.service.acquire("awaited", options);
		HeldLock alone = this.service.acquire("alone", options);
		CompletableFuture<HeldLock> waiting = this.other.acquireAsync("awaited", options);
		List<CompletableFuture<LockLostException>> notified = List.of(notified(awaited), notified(alone));
		await().until(() -> this.engines.server().exists(this.engines.keys("awaited").queue()) == 1);
		this.clock.set(Duration.ofMinutes(1));
		try (HeldLock next = waiting.get(1, TimeUnit.MINUTES)) {
			for (CompletableFuture<LockLostException> loss : notified) {
				assertThat(loss.get(1, TimeUnit.MINUTES).getLossCause()).isEqualTo(LossCause.NOT_OWNER);
			}
			assertThat(next.fencingToken()).isGreaterThan(awaited.fencingToken());
			assertThat(this.engines.server().exists(this.engines.keys("alone").lock())).isZero();
		}
		assertThatExceptionOfType(LockLostException.class).isThrownBy(awaited::close);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(alone::close);
	}

	private static CompletableFuture<LockLostException> notified(HeldLock held) {
		CompletableFuture<LockLostException> notified = new CompletableFuture<>();
		held.onLost(notified::complete);
		return notified;
	}

	/**
	 * The server's clock goes back by two minutes, and with it the end of a silent
	 * owner's lease: those who wait give up in time, without asking all the while, and
	 * the token of the next holder is greater all the same.
	 */
	@Fault({ 8, 21 })
	@Test
	void leaseThatBecameLongIsWaitedForInMeasure() {
		Claim silent = this.member.claim("k", Duration.ofSeconds(20), false);
		long number = this.member.granted(silent);
		this.clock.set(Duration.ofMinutes(-2));
		long scripts = this.engines.scriptsRun();
		Duration waitTime = Duration.ofSeconds(4);
		Pace requested = Pace.begin();
		assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> this.other.acquire("k", this.other.defaults().toBuilder().waitTime(waitTime).build()));
		Duration waited = requested.elapsed();
		assertThat(waited).isBetween(waitTime, waitTime.plus(requested.slack(Duration.ofSeconds(3))));
		assertThat(this.engines.scriptsRun() - scripts).isLessThan(15);
		assertThat(this.engines.server().pttl(this.engines.keys("k").lock())).isGreaterThan(60_000);
		assertThat(this.member.engine().forceRelease(silent.key())).hasSize(1);
		try (HeldLock next = this.other.acquire("k")) {
			assertThat(next.fencingToken() / 64).isGreaterThan(number);
		}
	}

}
