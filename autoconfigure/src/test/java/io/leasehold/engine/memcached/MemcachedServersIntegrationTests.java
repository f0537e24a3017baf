package io.leasehold.engine.memcached;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.cas.CasLockEngine;
import io.leasehold.engine.cas.CompareAndSetStore.Entry;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.MemcachedTestServer;
import io.leasehold.test.contract.Fault;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Two memcached servers, of which one stops, hangs or is restarted.
 */
class MemcachedServersIntegrationTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private static final Duration CALL_TIMEOUT = Duration.ofSeconds(5);

	private static final int LOCKS = 60;

	private final MemcachedTestServer first = MemcachedTestServer.start();

	private final MemcachedTestServer second = MemcachedTestServer.start();

	private final FaultProxy network = FaultProxy.to(this.first.port());

	private final List<String> servers = List.of("127.0.0.1:" + this.network.port(), this.second.address());

	private final Member member = Member.of("servers");

	private final List<AutoCloseable> opened = new ArrayList<>();

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable one : this.opened) {
			one.close();
		}
		this.network.close();
		this.first.close();
		this.second.close();
	}

	/** The other server has no entry of it, and would grant it a second time. */
	@Fault(187)
	@Test
	void keyOfAStoppedServerIsUnavailableAndMovesToNoOtherServer() {
		CasLockEngine holder = engine();
		CasLockEngine other = engine();
		Map<Claim, Granted> held = acquire(holder);
		List<Claim> onFirst = heldOn(this.first, held);
		assertThat(onFirst).isNotEmpty().hasSizeLessThan(LOCKS);
		this.first.kill();
		eventually().until(() -> onFirst.stream().allMatch((claim) -> isUnavailable(other, claim.key())));
		for (Claim claim : held.keySet()) {
			if (onFirst.contains(claim)) {
				assertThatExceptionOfType(LockEngineException.class)
					.isThrownBy(() -> other.tryAcquire(claim(claim.key())));
				assertThat(renew(holder, claim, held.get(claim))).isInstanceOf(RenewalOutcome.Unknown.class);
			}
			else {
				assertThat(other.tryAcquire(claim(claim.key()))).isInstanceOf(Busy.class);
				assertThat(renew(holder, claim, held.get(claim))).isInstanceOf(RenewalOutcome.Renewed.class);
			}
		}
		assertThat(heldOn(this.second, held)).hasSize(LOCKS - onFirst.size());
	}

	private static boolean isUnavailable(CasLockEngine engine, LockKey key) {
		try {
			engine.inspect(key);
			return false;
		}
		catch (LockEngineException ex) {
			return true;
		}
	}

	@Fault(186)
	@Test
	void serverThatHangsDoesNotDelayTheRenewalsOfTheOther() {
		CasLockEngine holder = engine();
		Map<Claim, Granted> held = acquire(holder);
		List<Claim> onFirst = heldOn(this.first, held);
		this.network.blackHole();
		List<Claim> claims = new ArrayList<>(held.keySet());
		List<RenewalOutcome> outcomes = holder
			.renew(claims.stream().map((claim) -> new Renewal(claim, held.get(claim).number(), LEASE)).toList());
		for (int i = 0; i < claims.size(); i++) {
			assertThat(outcomes.get(i)).as("lock on the server that hangs: %s", onFirst.contains(claims.get(i)))
				.isInstanceOf(
						onFirst.contains(claims.get(i)) ? RenewalOutcome.Unknown.class : RenewalOutcome.Renewed.class);
		}
		this.network.heal();
		eventually().until(() -> onFirst.stream()
			.allMatch((claim) -> renew(holder, claim, held.get(claim)) instanceof RenewalOutcome.Renewed));
	}

	/** Versions begin again, so the next owner's entry comes to the same one. */
	@Fault(188)
	@Test
	void versionFromBeforeARestartReplacesNothing() throws Exception {
		MemcachedStore former = store(this.second.address());
		assertThat(former.create("order:42", "former", LEASE)).isTrue();
		Entry remembered = former.read("order:42");
		MemcachedConsole console = new MemcachedConsole(this.second.port());
		String before = console.send("gets order:42", "END").get(0);
		this.second.kill();
		this.second.startAgain();
		MemcachedStore next = store(this.second.address());
		eventually().ignoreExceptions().until(() -> next.create("order:42", "owned!", LEASE));
		assertThat(console.send("gets order:42", "END").get(0)).as("version of the new entry").isEqualTo(before);
		eventually().ignoreExceptions().until(() -> former.read("order:42") != null);
		assertThat(former.replace("order:42", remembered, "again", LEASE)).isFalse();
		assertThat(next.read("order:42").value()).isEqualTo("owned!");
	}

	private Map<Claim, Granted> acquire(CasLockEngine engine) {
		Map<Claim, Granted> held = new LinkedHashMap<>();
		for (int i = 0; i < LOCKS; i++) {
			Claim claim = claim(new LockKey("order:" + i));
			held.put(claim, (Granted) engine.tryAcquire(claim));
		}
		return held;
	}

	/** Return the claims whose entries a server has. */
	private static List<Claim> heldOn(MemcachedTestServer server, Map<Claim, Granted> held) {
		List<String> entries = new MemcachedConsole(server.port()).keys();
		return held.keySet()
			.stream()
			.filter((claim) -> entries.contains(MemcachedEngines.entry("servers", claim.key())))
			.toList();
	}

	private CasLockEngine engine() {
		CasLockEngine engine = MemcachedEngines.open("servers", this.servers, CALL_TIMEOUT, MonotonicClock.SYSTEM);
		this.opened.add(engine);
		return engine;
	}

	private MemcachedStore store(String server) {
		MemcachedStore store = MemcachedStore.connect(List.of(server), CALL_TIMEOUT);
		this.opened.add(store);
		return store;
	}

	private Claim claim(LockKey key) {
		return new Claim(key, this.member.newOwner(), LEASE, Duration.ZERO, false, System.nanoTime());
	}

	private static RenewalOutcome renew(CasLockEngine engine, Claim claim, Granted granted) {
		return engine.renew(List.of(new Renewal(claim, granted.number(), LEASE))).get(0);
	}

	private static ConditionFactory eventually() {
		return Awaitility.await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(20));
	}

}
