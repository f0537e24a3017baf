package io.leasehold.engine.redlock;

import java.util.ArrayList;
import java.util.List;

import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.LockEngineException;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.Ports;
import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Servers that are not independent masters.
 */
class RedlockStartIntegrationTests {

	private final List<Integer> ports = RedlockTestMasters.shared().ports();

	@Test
	void masterWithReplicasAndReplicaAreRefused() {
		try (RedisTestServer master = RedisTestServer.start();
				RedisTestServer replica = RedisTestServer.start("replicaof 127.0.0.1 " + master.port())) {
			await().ignoreExceptions()
				.untilAsserted(() -> assertThatIllegalStateException()
					.isThrownBy(() -> check(this.ports.get(0), this.ports.get(1), replica.port()))
					.withMessage("127.0.0.1:%d cannot be used: UNSUITABLE The server is a replica; "
							+ "Redlock needs independent masters without replicas", replica.port()));
			await().untilAsserted(() -> assertThatIllegalStateException()
				.isThrownBy(() -> check(this.ports.get(0), this.ports.get(1), master.port()))
				.withMessageContaining("127.0.0.1:%d cannot be used: UNSUITABLE The server has replicas",
						master.port()));
		}
	}

	@Test
	void nodeOfAClusterIsRefused() {
		try (RedisTestServer node = RedisTestServer.start("cluster-enabled yes",
				"cluster-config-file nodes-%d.conf".formatted(Ports.free()))) {
			assertThatIllegalStateException().isThrownBy(() -> check(this.ports.get(0), this.ports.get(1), node.port()))
				.withMessageContaining("127.0.0.1:%d cannot be used: UNSUITABLE The server is a node of a cluster",
						node.port());
		}
	}

	@Test
	void sameServerAtTwoAddressesIsRefused() throws Exception {
		try (FaultProxy proxy = FaultProxy.to(this.ports.get(0))) {
			assertThatIllegalStateException()
				.isThrownBy(() -> check(this.ports.get(0), this.ports.get(1), proxy.port()))
				.withMessageContaining("are the same server");
		}
	}

	/** As a proxy does that leads to another master after a failure. */
	@Fault(191)
	@Test
	void serverThatAppearsAtASecondAddressCountsOnce() {
		try (RedlockCluster cluster = new RedlockCluster(RedlockTestMasters.shared())) {
			RedlockCluster.Process process = cluster.process(3);
			FaultProxy moved = process.network().get(2);
			moved.redirect(this.ports.get(0));
			moved.reset();
			process.cut(1);
			await().untilAsserted(
					() -> assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> process.tryAcquire("k"))
						.withMessageContaining("only 1 of 3 masters responded")
						.withMessageContaining("127.0.0.1:%d and 127.0.0.1:%d are the same server",
								process.network().get(0).port(), moved.port()));
			await().untilAsserted(() -> assertThat(cluster.holding("k")).isZero());
			moved.redirect(this.ports.get(2));
			await().ignoreExceptions().until(() -> process.tryAcquire("k") instanceof AcquisitionOutcome.Granted);
			assertThat(cluster.holding("k")).isEqualTo(2);
		}
	}

	/** It is checked when it is reachable. */
	@Test
	void masterThatIsDownIsNotRefused() {
		check(this.ports.get(0), this.ports.get(1), Ports.free());
		assertThat(this.ports).hasSize(3);
	}

	@Test
	void numberOfMastersIsOddAndAddressesDiffer() {
		assertThatIllegalArgumentException().isThrownBy(() -> check(1, 2))
			.withMessageStartingWith(
					"leasehold.redlock.nodes must name 3, 5 or another odd number of masters, but names 2");
		assertThatIllegalArgumentException().isThrownBy(() -> check(1));
		assertThatIllegalArgumentException().isThrownBy(() -> check(1, 2, 3, 4));
		assertThatIllegalArgumentException().isThrownBy(() -> check(1, 2, 1))
			.withMessageStartingWith("leasehold.redlock.nodes must name different masters");
	}

	private static void check(Integer... ports) {
		List<Integer> list = new ArrayList<>(List.of(ports));
		try (RedlockLockEngine engine = RedlockOpener.open(list,
				new LettuceConnector(LettuceTransport.PLAIN, RedlockOpener.COMMAND_TIMEOUT),
				RedlockOpener.settings("start"), MonotonicClock.SYSTEM)) {
			engine.checkMasters();
		}
	}

}
