package io.leasehold.engine.memcached;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.cas.CasLockEngine;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.MemcachedTestServer;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Faults of memcached: a restart, an eviction, and a network that does not respond.
 */
@Tag("full")
class MemcachedFaultsIntegrationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final Duration LEASE = Duration.ofMinutes(1);

	private static final Duration CALL_TIMEOUT = Duration.ofSeconds(5);

	/** Small, so that it evicts. */
	private final MemcachedTestServer server = MemcachedTestServer.start("-m", "4");

	private final FaultProxy proxy = FaultProxy.to(this.server.port());

	private final Member member = Member.of("faults");

	private final CasLockEngine engine = MemcachedEngines.open("faults", "127.0.0.1:" + this.proxy.port(), CALL_TIMEOUT,
			MonotonicClock.SYSTEM);

	private final CasLockEngine other = MemcachedEngines.open("faults", this.server.address(), CALL_TIMEOUT,
			MonotonicClock.SYSTEM);

	@AfterEach
	void close() throws IOException {
		this.engine.close();
		this.other.close();
		this.proxy.close();
		this.server.close();
	}

	@Fault(52)
	@Test
	void restartIsReportedAtTheNextRenewal() {
		Claim claim = claim();
		Granted granted = granted(this.engine, claim);
		this.server.kill();
		assertThat(renew(claim, granted)).isInstanceOf(RenewalOutcome.Unknown.class);
		this.server.startAgain();
		assertThat(awaitDefinite(claim, granted)).isInstanceOf(RenewalOutcome.NotOwner.class);
		Claim next = claim();
		assertThat(granted(this.engine, next).number()).isGreaterThan(granted.number());
		assertThat(this.engine.release(claim)).isNotInstanceOf(ReleaseOutcome.Released.class);
		assertThat(this.engine.release(next)).isInstanceOf(ReleaseOutcome.Released.class);
	}

	/**
	 * The server evicts entries that were not read for long, also those of held locks.
	 */
	@Fault(52)
	@Test
	void evictionIsReportedAtTheNextRenewal() {
		Claim claim = claim();
		Granted granted = granted(this.engine, claim);
		MemcachedConsole console = new MemcachedConsole(this.server.port());
		String entry = MemcachedEngines.entry("faults", KEY);
		try (MemcachedStore store = MemcachedStore.connect(List.of(this.server.address()), Duration.ofSeconds(5))) {
			String filler = "x".repeat(console.send("get " + entry, "END").stream().mapToInt(String::length).sum());
			Awaitility.await().atMost(Duration.ofMinutes(1)).pollDelay(Duration.ZERO).until(() -> {
				for (int i = 0; i < 2000; i++) {
					store.create("filler:" + System.nanoTime(), filler, LEASE);
				}
				return !console.keys().contains(entry);
			});
		}
		assertThat(renew(claim, granted)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(granted(this.other, claim()).number()).isGreaterThan(granted.number());
	}

	@Test
	void serverThatDoesNotRespondIsUnavailableAndNotBusy() {
		Claim claim = claim();
		Granted granted = granted(this.engine, claim);
		this.proxy.blackHole();
		Pace start = Pace.begin();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.engine.tryAcquire(claim()))
			.withMessageContaining("Could not acquire lock 'order:42' on engine 'memcached'")
			.matches(LockEngineException::isRetryable);
		assertThat(renew(claim, granted)).isInstanceOf(RenewalOutcome.Unknown.class);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.engine.inspect(KEY));
		assertThat(start.elapsed()).isLessThan(start.slack(CALL_TIMEOUT.multipliedBy(5)));
		this.proxy.heal();
		assertThat(awaitDefinite(claim, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.other.tryAcquire(claim())).isInstanceOf(Busy.class);
	}

	/** The response to a write is lost with its connection. */
	@Test
	void acquisitionWhoseResponseWasLostIsUndoneByItsRelease() {
		Claim first = claim();
		granted(this.engine, first);
		this.engine.release(first);
		Claim claim = claim();
		this.proxy.replies().drop();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.engine.tryAcquire(claim));
		this.proxy.replies().open();
		this.proxy.reset();
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.ignoreException(LockEngineException.class)
			.until(() -> this.engine.release(claim) != null);
		Claim next = claim();
		assertThat(granted(this.other, next).number()).isPositive();
		assertThat(this.other.release(next)).isInstanceOf(ReleaseOutcome.Released.class);
	}

	/** A connection that broke is opened again in the background. */
	private RenewalOutcome awaitDefinite(Claim claim, Granted granted) {
		return Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> renew(claim, granted), (outcome) -> !(outcome instanceof RenewalOutcome.Unknown));
	}

	private Claim claim() {
		return new Claim(KEY, this.member.newOwner(), LEASE, Duration.ZERO, false, System.nanoTime());
	}

	private static Granted granted(CasLockEngine engine, Claim claim) {
		AcquisitionOutcome outcome = engine.tryAcquire(claim);
		assertThat(outcome).isInstanceOf(Granted.class);
		return (Granted) outcome;
	}

	private RenewalOutcome renew(Claim claim, Granted granted) {
		return this.engine.renew(List.of(new Renewal(claim, granted.number(), LEASE))).get(0);
	}

}
