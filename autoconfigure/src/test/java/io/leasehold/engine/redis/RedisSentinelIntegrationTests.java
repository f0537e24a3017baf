package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.leasehold.HeldLock;
import io.leasehold.LockLostException;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.FaultProxy;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A master that sentinels name, and its failover.
 */
@Tag("full")
class RedisSentinelIntegrationTests extends RedisSentinelFixture {

	/**
	 * After the sentinels have named another master; the rest is for a loaded machine.
	 */
	private static final Duration SOON = Duration.ofSeconds(6);

	private static final Duration LEASE = Duration.ofSeconds(9);

	private final TestMember a = this.engines.warm(master());

	private final TestMember b = this.engines.warm(master());

	@Test
	void lockThatTheReplicaHasOutlivesItsMaster() {
		Claim first = this.a.claim("k", Duration.ofSeconds(60), false);
		long number = this.a.granted(first);
		Claim second = this.b.waiting("k");
		assertThat(this.b.engine().tryAcquire(second)).isInstanceOf(AcquisitionOutcome.Busy.class);
		this.servers.stopSentinel();
		this.servers.master().close(); // hands over what the replica has not got yet
		this.servers.awaitFailover();
		soon(() -> this.a.renew(first, number) instanceof RenewalOutcome.Renewed);
		soon(() -> this.a.engine().release(first) instanceof ReleaseOutcome.Released);
		soon(() -> this.b.engine().tryAcquire(second) instanceof AcquisitionOutcome.Granted granted
				&& granted.number() > number);
		assertThat(this.b.engine().release(second)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	/**
	 * The master dies before its replica has the lock: another process is granted it by
	 * the next master, with a greater token, and the former holder is notified by its
	 * next renewal.
	 */
	@Fault({ 20, 21 })
	@Test
	void lockThatTheReplicaHasNotIsReportedLostAndTheNextTokenIsGreater() throws Exception {
		try (FaultProxy network = FaultProxy.to(this.servers.master().port())) {
			this.servers.replicateThrough(network.port());
			LockService former = service(this.a);
			network.blackHole();
			HeldLock held = former.acquire("k", former.defaults().toBuilder().lease(LEASE).build());
			CompletableFuture<LockLostException> notified = new CompletableFuture<>();
			held.onLost(notified::complete);
			this.servers.killMaster();
			this.servers.awaitFailover();
			LockService other = service(this.b);
			try (HeldLock next = other.acquire("k")) {
				assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
				assertThat(notified.get(1, TimeUnit.MINUTES)).isNotNull();
				assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
			}
		}
	}

	/**
	 * A master that was deposed goes on answering: it is left as soon as the sentinels
	 * name another one.
	 */
	@Fault(26)
	@Test
	void masterThatWasDeposedIsLeft() {
		RedisCommands<String, String> next = this.servers.operator(this.servers.replica());
		this.servers.failover();
		this.servers.awaitFailover();
		soon(() -> {
			Claim claim = this.a.claim("k");
			this.a.granted(claim);
			boolean there = next.exists(this.engines.keys("k").lock()) == 1;
			this.a.engine().release(claim);
			return there;
		});
	}

	private LockService service(TestMember member) {
		return this.engines.service(member, (event) -> {
		});
	}

	private static void soon(Callable<Boolean> condition) {
		Pace named = Pace.begin();
		await().ignoreExceptions().until(condition);
		assertThat(named.elapsed()).isLessThan(named.slack(SOON));
	}

}
