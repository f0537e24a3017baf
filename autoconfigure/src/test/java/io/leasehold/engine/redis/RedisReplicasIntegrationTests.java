package io.leasehold.engine.redis;

import io.leasehold.LockEngineException;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.Fault;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * Grants that count only when a replica has them.
 */
@Tag("full")
class RedisReplicasIntegrationTests {

	private final RedisTestServer master = RedisTestServer.start("repl-diskless-sync-delay 0");

	/** Between master and replica. */
	private final FaultProxy network = FaultProxy.to(this.master.port());

	private final RedisTestServer replica = RedisTestServer.start("replicaof 127.0.0.1 " + this.network.port());

	private final RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", this.replica.port()));

	private final RedisCommands<String, String> operator = this.client.connect().sync();

	private final RedisEngines engines = new RedisEngines(this.master.port());

	private final TestMember a = member();

	private final TestMember b = member();

	private TestMember member() {
		return this.engines.member(new RedisStandaloneConfiguration("127.0.0.1", this.master.port()),
				RedisEngines.patientSettings(this.engines.namespace(), 1));
	}

	@AfterEach
	void stop() throws IOException {
		this.engines.close();
		this.client.shutdown();
		this.network.close();
		this.replica.close();
		this.master.close();
	}

	@Test
	void grantIsAtTheReplicaWhenItIsGiven() {
		awaitReplica();
		Claim claim = this.a.claim("k");
		soon(this.a, claim);
		assertThat(this.operator.get(this.engines.keys("k").lock())).contains(claim.owner().token());
		assertThat(this.a.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	/**
	 * A grant that does not get to the replica is an error and is released. What was
	 * asked of the replicas is asked on the connection that wrote the grant: on any other
	 * one they have all there is.
	 */
	@Fault({ 20, 22 })
	@Test
	void grantThatNoReplicaHasIsUnavailableAndReleased() {
		awaitReplica();
		Claim before = this.a.claim("before", Duration.ofSeconds(60), false);
		soon(this.a, before);
		this.network.blackHole();
		Claim claim = this.a.claim("k");
		for (int i = 0; i < 2; i++) { // the second finds its own grant
			assertThat(catchThrowableOfType(LockEngineException.class, () -> this.a.engine().tryAcquire(claim)))
				.hasMessageContaining("NOREPLICAS The grant reached 0 of the 1 replicas")
				.matches(LockEngineException::isRetryable);
		}
		assertThat(this.engines.server().info("replication")).contains("state=online");
		assertThat(this.a.renew(before, number("before"))).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.a.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.a.engine().release(before)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.engines.residue()).isEmpty();
	}

	@Test
	void grantThatIsHandedOnIsConfirmed() throws Exception {
		awaitReplica();
		BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
		Claim first = this.a.claim("k");
		soon(this.a, first);
		RedisEngines.warmUp(this.b);
		Claim second = this.b.waiting("k");
		await().ignoreExceptions().until(() -> this.b.engine().tryAcquire(second) instanceof AcquisitionOutcome.Busy);
		this.b.engine().subscribe(second, signals::add);
		this.a.engine().release(first);
		assertThat(signals.poll(1, TimeUnit.MINUTES)).isEqualTo(new Signal.Retry());
		assertThat(this.b.engine().tryAcquire(second)).isInstanceOf(AcquisitionOutcome.Granted.class);
		assertThat(this.operator.get(this.engines.keys("k").lock())).contains(second.owner().token());
		assertThat(this.b.engine().release(second)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	private void awaitReplica() {
		await().until(() -> this.engines.server().info("replication").contains("state=online"));
	}

	private static void soon(TestMember member, Claim claim) {
		await().ignoreExceptions().until(() -> member.engine().tryAcquire(claim) instanceof AcquisitionOutcome.Granted);
	}

	private long number(String key) {
		return Long.parseLong(this.engines.server().get(this.engines.keys(key).number()));
	}

}
