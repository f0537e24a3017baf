package io.leasehold.engine.memcached;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

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
import io.leasehold.engine.cas.CasSettings;
import io.leasehold.server.MemcachedTestServer;
import io.leasehold.test.contract.Claims;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests of the engine on {@link MemcachedStore}, as its server counts them.
 */
class MemcachedRequestsIntegrationTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private final MemcachedTestServer server = MemcachedTestServer.start();

	private final MemcachedConsole console = new MemcachedConsole(this.server.port());

	/** With one poll interval: a mark is written again only if it is too short. */
	private final CasLockEngine engine = new CasLockEngine(MemcachedStore.NAME,
			MemcachedStore.connect(List.of(this.server.address()), TIMEOUT),
			new CasSettings("requests", TIMEOUT, TIMEOUT, TIMEOUT, Duration.ofDays(1)), MonotonicClock.SYSTEM);

	private final Member member = Member.of("test");

	private Map<String, Integer> before = counts();

	@BeforeEach
	void lockIsFreeAndWasUsed() {
		Claim claim = claim();
		granted(claim);
		release(claim);
		this.before = counts();
	}

	@AfterEach
	void close() {
		this.engine.close();
		this.server.close();
	}

	@Test
	void freeLockIsAReadAndAWriteAndItsReleaseTheSame() {
		Claim claim = claim();
		granted(claim);
		assertRequests(1, 1);
		release(claim);
		assertRequests(2, 2);
	}

	@Test
	void renewalIsAReadAndAWrite() {
		Claim claim = claim();
		long number = granted(claim).number();
		this.before = counts();
		assertThat(this.engine.renew(List.of(new Renewal(claim, number, claim.lease()))))
			.hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertRequests(1, 1);
	}

	@Test
	void waiterIsAWriteForItsMarkAndAReadForEachPoll() {
		granted(claim());
		this.before = counts();
		Claim waiting = Claims.waiting(claim());
		for (int polls = 1; polls <= 3; polls++) {
			assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
			assertRequests(polls, 1);
		}
	}

	@Test
	void claimThatDoesNotWaitIsARead() {
		granted(claim());
		this.before = counts();
		assertThat(this.engine.tryAcquire(claim())).isInstanceOf(Busy.class);
		assertRequests(1, 0);
	}

	private void assertRequests(int reads, int writes) {
		Map<String, Integer> now = counts();
		assertThat(now.get("cmd_get") - this.before.get("cmd_get")).as("reads").isEqualTo(reads);
		assertThat(now.get("cmd_set") - this.before.get("cmd_set")).as("writes").isEqualTo(writes);
	}

	private Map<String, Integer> counts() {
		return this.console.send("stats", "END")
			.stream()
			.map((line) -> line.split(" "))
			.filter((words) -> words[1].startsWith("cmd_"))
			.collect(Collectors.toMap((words) -> words[1], (words) -> Integer.valueOf(words[2])));
	}

	private Claim claim() {
		return new Claim(new LockKey("order:42"), this.member.newOwner(), Duration.ofMinutes(1), Duration.ZERO, false,
				System.nanoTime());
	}

	private Granted granted(Claim claim) {
		AcquisitionOutcome outcome = this.engine.tryAcquire(claim);
		assertThat(outcome).isInstanceOf(Granted.class);
		return (Granted) outcome;
	}

	private void release(Claim claim) {
		assertThat(this.engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
	}

}
