package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Attempt;
import io.leasehold.engine.Attempt.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.test.FaultProxy;
import io.leasehold.test.ZooKeeperTestServer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What becomes of locks when sessions end and servers fail.
 */
@Timeout(90)
class ZooKeeperLockEngineFaultsIntegrationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private final List<AutoCloseable> opened = new ArrayList<>();

	private final Member member = Member.of("faults");

	@AfterEach
	void close() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	/** FAULTS rows 30 and 32: the old session's node may be there for a while. */
	@Test
	void lockOfAFormerSessionIsLostAndNotTakenForTheNewOnes() throws Exception {
		TestingServer server = server();
		CuratorFramework client = client(server.getConnectString());
		ZooKeeperLockEngine engine = engine(client);
		Claim claim = claim();
		Granted granted = granted(engine, claim);
		long session = client.getZookeeperClient().getZooKeeper().getSessionId();
		client.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
		eventually().until(() -> client.getZookeeperClient().isConnected()
				&& client.getZookeeperClient().getZooKeeper().getSessionId() != session);
		eventually().until(() -> renew(engine, claim, granted) instanceof RenewalOutcome.NotOwner);
		Claim next = claim().waiting();
		eventually().until(() -> engine.tryAcquire(next) instanceof Granted);
		assertThat(granted(engine, next).number()).isGreaterThan(granted.number());
		assertThat(engine.release(claim)).isNotInstanceOf(ReleaseOutcome.Unknown.class);
		assertThat(renew(engine, next, granted(engine, next))).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	/** FAULTS rows 29 and 31. */
	@Test
	void lockIsInDoubtWithoutAServerAndHeldAgainInTheSameSession() throws Exception {
		TestingServer server = server();
		ZooKeeperLockEngine engine = engine(open(ZooKeeperTestServer.connect(server.getConnectString(), 20_000)));
		Claim claim = claim();
		Granted granted = granted(engine, claim);
		server.stop();
		eventually().until(() -> renew(engine, claim, granted) instanceof RenewalOutcome.Unknown);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim()))
			.withMessageContaining("ZooKeeper could not acquire lock 'order:42'");
		server.restart();
		eventually().until(() -> renew(engine, claim, granted) instanceof RenewalOutcome.Renewed);
		assertThat(granted(engine, claim).number()).isEqualTo(granted.number());
		assertThat(engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
	}

	/** I3: nobody believes in a lock longer than in its session. */
	@Test
	void longLeaseIsBelievedInForThreeQuartersOfTheSession() throws Exception {
		ZooKeeperLockEngine engine = engine(client(server().getConnectString()));
		Claim claim = claim();
		Granted granted = granted(engine, claim);
		long session = Duration.ofMillis(ZooKeeperTestServer.SESSION_MILLIS).toNanos() * 3 / 4;
		assertThat(granted.validUntil() - System.nanoTime()).isLessThan(session);
		assertThat(renew(engine, claim, granted)).isInstanceOfSatisfying(RenewalOutcome.Renewed.class,
				(renewed) -> assertThat(renewed.validUntil() - System.nanoTime()).isPositive().isLessThan(session));
	}

	/** FAULTS row 33. */
	@Test
	void lockSurvivesTheLossOfTheLeader() throws Exception {
		List<InstanceSpec> specs = List.of(ZooKeeperTestServer.spec(), ZooKeeperTestServer.spec(),
				ZooKeeperTestServer.spec());
		TestingCluster cluster = open(new TestingCluster(specs));
		cluster.start();
		ZooKeeperLockEngine engine = engine(client(cluster.getConnectString()));
		Claim claim = claim();
		eventually().ignoreException(LockEngineException.class)
			.until(() -> engine.tryAcquire(claim) instanceof Granted);
		Granted granted = granted(engine, claim);
		InstanceSpec leader = specs.stream().filter(ZooKeeperLockEngineFaultsIntegrationTests::leads).findAny().get();
		cluster.killServer(leader);
		eventually().until(() -> renew(engine, claim, granted) instanceof RenewalOutcome.Renewed);
		ZooKeeperLockEngine other = engine(client(cluster.getConnectString()));
		eventually().ignoreException(LockEngineException.class)
			.until(() -> other.tryAcquire(claim()) instanceof Attempt.Busy);
		assertThat(engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(granted(other, claim()).number()).isGreaterThan(granted.number());
	}

	/** FAULTS row 34. */
	@Test
	void nodeWhoseCreationWasNotAnsweredDoesNotStay() throws Exception {
		TestingServer server = server();
		FaultProxy proxy = open(FaultProxy.to(server.getPort()));
		ZooKeeperLockEngine engine = engine(client("127.0.0.1:" + proxy.port()));
		ZooKeeperLockEngine other = engine(client(server.getConnectString()));
		useOnce(engine);
		proxy.replies().drop();
		Claim claim = claim();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim));
		eventually().until(() -> other.inspect(KEY).isPresent());
		proxy.reset();
		proxy.heal();
		eventually().ignoreException(LockEngineException.class)
			.until(() -> engine.release(claim) instanceof ReleaseOutcome.NotOwner);
		assertThat(other.inspect(KEY)).isEmpty();
		granted(other, claim());
	}

	/** FAULTS rows 11 and 34: the retry finds the grant, whatever was created twice. */
	@Test
	void claimIsGrantedThoughTheAnswerToItsFirstRequestWasLost() throws Exception {
		TestingServer server = server();
		FaultProxy proxy = open(FaultProxy.to(server.getPort()));
		ZooKeeperLockEngine engine = engine(client("127.0.0.1:" + proxy.port()));
		useOnce(engine);
		proxy.replies().drop();
		Claim claim = claim().waiting();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim));
		proxy.reset();
		proxy.heal();
		eventually().ignoreException(LockEngineException.class)
			.until(() -> engine.tryAcquire(claim) instanceof Granted);
		assertThat(engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		ZooKeeperLockEngine other = engine(client(server.getConnectString()));
		assertThat(other.inspect(KEY)).isEmpty();
	}

	/** I8: nothing is kept of what is over. */
	@Test
	void claimsThatAreOverAreForgotten() throws Exception {
		ZooKeeperLockEngine engine = engine(client(server().getConnectString()));
		Claim claim = claim();
		granted(engine, claim);
		engine.tryAcquire(claim());
		engine.release(claim);
		assertThat(engine.liveClaims()).isZero();
	}

	private static boolean leads(InstanceSpec spec) {
		try {
			return FourLetterWordMain.send4LetterWord("127.0.0.1", spec.getPort(), "srvr").contains("Mode: leader");
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Connects, and makes the containers. */
	private void useOnce(ZooKeeperLockEngine engine) {
		Claim claim = claim();
		granted(engine, claim);
		engine.release(claim);
	}

	private TestingServer server() {
		return open(ZooKeeperTestServer.start());
	}

	private CuratorFramework client(String connectString) {
		return open(ZooKeeperTestServer.connect(connectString));
	}

	private ZooKeeperLockEngine engine(CuratorFramework client) {
		return open(ZooKeeperLockEngine.using(client,
				new ZooKeeperSettings("faults", "/leasehold", Duration.ofMillis(900), Duration.ofSeconds(1)),
				MonotonicClock.SYSTEM));
	}

	private <T extends AutoCloseable> T open(T resource) {
		this.opened.add(resource);
		return resource;
	}

	private Claim claim() {
		return new Claim(KEY, this.member.newOwner(), Duration.ofSeconds(60), Duration.ZERO, false, System.nanoTime());
	}

	private static Granted granted(ZooKeeperLockEngine engine, Claim claim) {
		Attempt attempt = engine.tryAcquire(claim);
		assertThat(attempt).isInstanceOf(Granted.class);
		return (Granted) attempt;
	}

	private static RenewalOutcome renew(ZooKeeperLockEngine engine, Claim claim, Granted granted) {
		return engine.renew(List.of(new Renewal(claim, granted.number(), claim.lease()))).get(0);
	}

	private static ConditionFactory eventually() {
		return Awaitility.await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(20));
	}

}
