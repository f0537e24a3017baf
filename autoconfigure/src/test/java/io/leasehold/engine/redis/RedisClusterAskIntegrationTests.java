package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.RedisTestCluster;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Parallel;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Renewals of a lock whose slot is on the move, by many threads that share connections,
 * and nodes that do not know their names.
 */
@Tag("full")
class RedisClusterAskIntegrationTests {

	private static final int ROUNDS = 300;

	private static RedisTestCluster cluster;

	private final RedisEngines engines = RedisEngines.patient(cluster.ports().get(0));

	@BeforeAll
	static void start() {
		cluster = RedisTestCluster.start();
	}

	@AfterAll
	static void stop() {
		cluster.close();
	}

	@AfterEach
	void close() {
		this.engines.close();
	}

	/**
	 * A server takes ASKING for the next command of the connection: another thread's
	 * command in between would leave the redirected one unasked, and refused.
	 */
	@Fault(134)
	@Test
	void nothingComesBetweenAskingAndItsCommand() throws Exception {
		TestMember member = this.engines.warm(RedisOpener.clusterAt(cluster.ports()));
		String key = keyOn(1);
		Claim moving = member.claim(key);
		long number = member.granted(moving);
		Claim other = member.claim(keyOn(2));
		long otherNumber = member.granted(other);
		cluster.beginToMove(lock(key), 1, 2);
		cluster.operator(1).migrate("127.0.0.1", cluster.ports().get(2), lock(key), 0, 30_000);
		long refusals = refusals(2);
		List<Callable<Void>> callers = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			callers.add(() -> renews(member, moving, number));
			callers.add(() -> renews(member, other, otherNumber));
		}
		Parallel.run(callers);
		assertThat(refusals(2) - refusals).as("requests that came unasked").isZero();
		cluster.finishMove(lock(key), 1, 2);
		assertThat(member.engine().release(moving)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(member.engine().release(other)).isEqualTo(ReleaseOutcome.RELEASED);
		cluster.beginToMove(lock(key), 2, 1);
		cluster.finishMove(lock(key), 2, 1);
	}

	/**
	 * Nodes that should be named by their host names, but have none, name themselves '?'.
	 */
	@Fault(24)
	@Test
	void nodesWithoutHostNamesAreReachedByTheirAddresses() {
		nameNodesBy("hostname");
		try {
			TestMember member = this.engines.warm(RedisOpener.clusterAt(cluster.ports()));
			for (int master = 0; master < 3; master++) {
				Claim claim = member.claim(keyOn(master));
				member.granted(claim);
				assertThat(member.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
			}
			String key = keyOn(1);
			Claim claim = member.claim(key, Duration.ofMinutes(2), false);
			long number = member.granted(claim);
			cluster.beginToMove(lock(key), 1, 2);
			cluster.finishMove(lock(key), 1, 2);
			await().until(() -> member.renew(claim, number) instanceof RenewalOutcome.Renewed);
			assertThat(member.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
			cluster.beginToMove(lock(key), 2, 1);
			cluster.finishMove(lock(key), 2, 1);
		}
		finally {
			nameNodesBy("ip");
		}
	}

	private static void nameNodesBy(String type) {
		IntStream.rangeClosed(0, 3)
			.forEach((node) -> cluster.operator(node).configSet("cluster-preferred-endpoint-type", type));
	}

	private static Void renews(TestMember member, Claim claim, long number) {
		for (int i = 0; i < ROUNDS; i++) {
			assertThat(member.renew(claim, number)).isInstanceOf(RenewalOutcome.Renewed.class);
		}
		return null;
	}

	/** How often a server has sent a request to another one for good. */
	private static long refusals(int master) {
		return cluster.operator(master)
			.info("errorstats")
			.lines()
			.filter((line) -> line.startsWith("errorstat_MOVED:"))
			.mapToLong((line) -> Long.parseLong(line.replaceAll(".*count=(\\d+).*", "$1")))
			.sum();
	}

	/** The first key of a series whose lock is on the given master. */
	private String keyOn(int master) {
		return IntStream.iterate(0, (i) -> i + 1)
			.mapToObj((i) -> "key:" + i)
			.filter((key) -> cluster.masterOf(lock(key)) == master)
			.findFirst()
			.orElseThrow();
	}

	private String lock(String key) {
		return this.engines.keys(key).lock();
	}

}
