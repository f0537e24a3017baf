package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.concurrent.Callable;

import io.leasehold.engine.Attempt;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.RedisTestSentinels;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A master that sentinels name, and its failover. Numbers in comments are rows of the
 * fault catalogue.
 */
class RedisSentinelIntegrationTests {

	/**
	 * After the sentinels have named another master; the rest is for a loaded machine.
	 */
	private static final Duration SOON = Duration.ofSeconds(3);

	private final RedisTestSentinels servers = RedisTestSentinels.start();

	private final RedisEngines engines = new RedisEngines(this.servers.master().port(), RedisTestSentinels.PASSWORD);

	private final TestMember a = this.engines.warm(master());

	private final TestMember b = this.engines.warm(master());

	@AfterEach
	void stop() {
		this.engines.close();
		this.servers.close();
	}

	@Test
	void lockThatTheReplicaHasOutlivesItsMaster() {
		Claim first = this.a.claim("k", Duration.ofSeconds(60), false);
		long fence = this.a.granted(first);
		Claim second = this.b.waiting("k");
		assertThat(this.b.engine().tryAcquire(second)).isInstanceOf(Attempt.Busy.class);
		this.servers.stopSentinel();
		this.servers.master().close(); // hands over what the replica has not got yet
		this.servers.awaitFailover();
		soon(() -> this.a.renew(first, fence) instanceof RenewalOutcome.Renewed);
		soon(() -> this.a.engine().release(first) instanceof ReleaseOutcome.Released);
		soon(() -> this.b.engine().tryAcquire(second) instanceof Attempt.Granted granted && granted.number() > fence);
		assertThat(this.b.engine().release(second)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test // 20, 21
	void lockThatTheReplicaHasNotIsLostAndTheNextTokenIsGreater() {
		this.servers.operator(this.servers.replica()).replicaof("127.0.0.1", 1);
		Claim first = this.a.claim("k", Duration.ofSeconds(60), false);
		long fence = this.a.granted(first);
		this.servers.master().close();
		this.servers.awaitFailover();
		Claim second = this.b.claim("k");
		soon(() -> this.b.engine().tryAcquire(second) instanceof Attempt.Granted granted && granted.number() > fence);
		soon(() -> this.a.renew(first, fence) instanceof RenewalOutcome.NotOwner);
		assertThat(this.a.engine().release(first)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(this.b.engine().release(second)).isEqualTo(ReleaseOutcome.RELEASED);
	}

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

	@Test
	void jedisFindsTheNextMasterToo() {
		TestMember jedis = this.engines.byJedis(master());
		Claim claim = jedis.claim("k", Duration.ofSeconds(60), false);
		soon(() -> jedis.engine().tryAcquire(claim) instanceof Attempt.Granted);
		this.servers.master().close();
		this.servers.awaitFailover();
		soon(() -> jedis.engine().release(claim) instanceof ReleaseOutcome.Released);
	}

	private RedisSentinelConfiguration master() {
		RedisSentinelConfiguration master = RedisOpener.master(RedisTestSentinels.MASTER, this.servers.sentinelPorts());
		master.setSentinelPassword(RedisTestSentinels.SENTINEL_PASSWORD);
		master.setPassword(RedisTestSentinels.PASSWORD);
		return master;
	}

	private static void soon(Callable<Boolean> condition) {
		await().atMost(SOON).ignoreExceptions().until(condition);
	}

}
