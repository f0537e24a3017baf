package io.leasehold.engine.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.HeldKeys;
import io.leasehold.engine.Holder;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.Pace;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The engine on a healthy server: costs, handoff, messages, residue.
 */
class RedisLockEngineIntegrationTests extends RedisLockEngineFixture {

	@Test
	void uncontendedLockCostsOneCommandToAcquireAndOneToRelease() throws Exception {
		cycle();
		String lock = this.engines.keys("k").lock();
		try (CommandLog log = CommandLog.start(RedisTestServer.shared().port(), lock)) {
			cycle();
			assertThat(log.commands(this.engines.server())).containsExactly("EVALSHA", "EVALSHA");
		}
	}

	private void cycle() {
		Claim claim = this.a.waiting("k");
		granted(this.a, claim);
		released(this.a, claim);
	}

	/**
	 * No message can come to a claim that never waited, so nothing is kept of it until
	 * its release.
	 */
	@Test
	void claimThatWasGrantedAtOnceIsForgotten() {
		Claim claim = this.a.waiting("k");
		long number = granted(this.a, claim).number();
		assertThat(this.a.engine().liveClaims()).isZero();
		assertThat(granted(this.a, claim).number()).isEqualTo(number);
		released(this.a, claim);
	}

	@Test
	void manyHoldsAreRenewedByFewCommandsInOneRoundTrip() throws Exception {
		List<Renewal> renewals = new ArrayList<>();
		for (int i = 0; i < 1100; i++) {
			Claim claim = this.a.claim("k" + i, LONG, false);
			renewals.add(new Renewal(claim, granted(this.a, claim).number(), LONG.multipliedBy(2)));
		}
		this.engines.server().del(this.engines.keys("k700").lock());
		renew(this.a, renewals.get(0).claim(), 1, RedisEngines.LEASE);
		try (CommandLog log = CommandLog.start(RedisTestServer.shared().port(), this.engines.namespace())) {
			List<RenewalOutcome> outcomes = this.a.engine().renew(renewals);
			assertThat(Collections.frequency(log.commands(this.engines.server()), "EVALSHA")).isEqualTo(3);
			assertThat(outcomes).hasSize(1100).element(700).isInstanceOf(RenewalOutcome.NotOwner.class);
			assertThat(outcomes).filteredOn(RenewalOutcome.Renewed.class::isInstance).hasSize(1099);
		}
		assertThat(leaseLeft("k1099")).isGreaterThan(LONG.toMillis());
		renewals.forEach((renewal) -> this.a.engine().release(renewal.claim()));
	}

	@Test
	void formerOwnerCanNeitherRenewNorRelease() {
		Claim former = this.a.claim("k");
		long number = granted(this.a, former).number();
		this.engines.server().del(this.engines.keys("k").lock());
		Claim next = this.b.claim("k");
		long later = granted(this.b, next).number();
		assertThat(later).isGreaterThan(number);
		assertThat(renew(this.a, former, number, RedisEngines.LEASE)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(this.a.engine().release(former)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(renew(this.b, next, later, RedisEngines.LEASE)).isInstanceOf(RenewalOutcome.Renewed.class);
		released(this.b, next);
	}

	@Test
	void busyClaimThatDoesNotWaitLeavesNothingBehind() {
		Claim first = this.a.claim("k");
		granted(this.a, first);
		busy(this.b, this.b.claim("k"));
		assertThat(this.b.engine().liveClaims()).isZero();
		assertThat(this.engines.residue()).containsExactly(this.engines.keys("k").lock());
		released(this.a, first);
	}

	@Test
	void secondReleaseFindsNothing() {
		Claim claim = this.a.claim("k");
		granted(this.a, claim);
		released(this.a, claim);
		assertThat(this.a.engine().release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
	}

	@Test
	void operatorsSeeTheHolder() {
		Claim claim = this.a.claim("k", LONG, false);
		Instant before = Instant.now().minusMillis(1);
		Pace pace = Pace.begin();
		long number = granted(this.a, claim).number();
		Holder holder = this.a.engine().inspect(claim.key()).get(0);
		Duration left = LONG.minus(pace.elapsed()).minusMillis(2);
		assertThat(holder.application()).isEqualTo("test");
		assertThat(holder.number()).isEqualTo(number);
		assertThat(holder.since()).isBetween(before, Instant.now());
		assertThat(holder.remaining()).isBetween(left, LONG);
		released(this.a, claim);
		assertThat(this.a.engine().inspect(claim.key())).isEmpty();
	}

	@Test
	void valueOfForeignMakeIsShownAsUnknown() {
		this.engines.server().setex(this.engines.keys("k").lock(), 60, "someone");
		assertThat(this.a.engine().inspect(new LockKey("k")).get(0).application()).isEqualTo("unknown");
		busy(this.a, this.a.claim("k"));
		this.engines.server().del(this.engines.keys("k").lock());
	}

	/** Each visited lock costs a script, even without a waiting claim. */
	@Test
	void pageOfAwaitedKeysVisitsAboutAsManyLocksAsItsLimit() {
		List<Claim> claims = new ArrayList<>();
		for (int i = 0; i < 500; i++) {
			claims.add(this.a.claim("held" + i, LONG, false));
			granted(this.a, claims.get(i));
		}
		HeldKeys.Page page = this.a.engine().heldKeys().listAwaited(null, 10);
		assertThat(page.keys()).isEmpty();
		assertThat(page.next()).isNotNull();
		claims.forEach((claim) -> released(this.a, claim));
	}

	/** The first key of a step loads the script. */
	@Test
	void keysOfForeignMakeAreNotListed() {
		List<String> foreign = new ArrayList<>();
		for (String key : List.of("k1", "k2", "k3", "k4")) {
			foreign.add(this.engines.keys(key).lock());
			this.engines.server().lpush(foreign.get(foreign.size() - 1), "x");
			foreign.add(this.engines.keys("other-" + key).holders());
			this.engines.server().setex(foreign.get(foreign.size() - 1), 60, "x");
		}
		Claim claim = this.a.claim("k5");
		granted(this.a, claim);
		List<String> listed = new ArrayList<>();
		String next = null;
		do {
			HeldKeys.Page page = this.a.engine().heldKeys().list("", next, 500);
			page.keys().forEach((held) -> listed.add(held.key().value()));
			next = page.next();
		}
		while (next != null);
		assertThat(listed).containsExactly("k5");
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> this.a.engine().inspect(new LockKey("k1")))
			.withMessageContaining("WRONGTYPE");
		released(this.a, claim);
		this.engines.server().del(foreign.toArray(String[]::new));
	}

	@Test
	void hostileKeysAreLocksOfTheirOwn() {
		List<Claim> claims = List.of(this.a.claim("}"), this.a.claim("{a}"), this.a.claim("%7Ba%7D"),
				this.a.claim("a\r\nSET x y"), this.a.claim("a:fence"), this.a.claim("a"), this.a.claim("*"),
				this.a.claim("'\""), this.a.claim("a b"), this.a.claim("🍣".repeat(128)));
		claims.forEach((claim) -> granted(this.a, claim));
		claims.forEach((claim) -> busy(this.b, this.b.claim(claim.key().value())));
		claims.forEach((claim) -> released(this.a, claim));
	}

	@Test
	void hostileKeyIsHandedOn() throws Exception {
		String key = "a b\n{}%:*'\"🍣";
		Claim first = this.a.claim(key);
		granted(this.a, first);
		Claim second = waits(this.b, key);
		released(this.a, first);
		pushed();
		released(this.b, second);
	}

	@Test
	void interruptedThreadAcquiresAndReleasesAndKeepsItsFlag() {
		Claim claim = this.a.claim("k");
		Thread.currentThread().interrupt();
		granted(this.a, claim);
		released(this.a, claim);
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void closedEngineRefusesAndLeavesNoThread() {
		this.engines.server();
		Set<Thread> before = threads();
		TestMember c = this.engines.member();
		Claim claim = c.waiting("k");
		granted(c, claim);
		released(c, claim);
		c.engine().close();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> c.engine().tryAcquire(c.claim("k")))
			.withMessageContaining("closed");
		Awaitility.await().untilAsserted(() -> assertThat(before).containsAll(threads()));
	}

	@Test
	void engineTellsWhatItIs() {
		assertThat(this.a.engine().name()).isEqualTo("redis");
		assertThat(this.a.engine().capabilities()).containsExactlyInAnyOrder(Capability.values());
		assertThat(this.a.engine().minLease()).isEqualTo(this.engines.settings().commandTimeout().multipliedBy(2));
	}

	private static Set<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().matches("(lettuce|leasehold-redis).*"))
			.collect(Collectors.toSet());
	}

}
