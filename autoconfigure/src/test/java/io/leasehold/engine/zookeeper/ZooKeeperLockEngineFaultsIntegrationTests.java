package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.ZooKeeperTestServer;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Claims;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import io.leasehold.transaction.CommitGuard;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.SimpleTransactionStatus;

import static io.leasehold.engine.zookeeper.ZooKeeperEngines.eventually;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.granted;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.renew;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What becomes of locks when sessions end and servers fail.
 */
@Tag("full")
class ZooKeeperLockEngineFaultsIntegrationTests extends ZooKeeperFaultsFixture {

	/** Nothing is sent without a connection, which could be carried out much later. */
	@Test
	void brokenConnectionIsReportedWithItsAddress() {
		FaultProxy proxy = this.engines.proxy(this.engines.server());
		ZooKeeperLockEngine engine = this.engines.engine(this.engines.client(proxy, ZooKeeperEngines.LONG_SESSION));
		this.engines.useOnce(engine, KEY);
		proxy.refuse();
		proxy.reset();
		eventually().untilAsserted(() -> assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> engine.tryAcquire(this.engines.claim(KEY)))
			.withMessageContaining("no connection to '127.0.0.1:%d' within the call timeout", proxy.port()));
		proxy.heal();
		LockKey other = new LockKey("order:43"); // the first one may have a node already
		eventually().ignoreException(LockEngineException.class)
			.untilAsserted(() -> this.engines.useOnce(engine, other));
	}

	/**
	 * Each session publishes its own events, in a separate thread. Listeners are notified
	 * in no order, so many of them make that thread wait, most likely before it notifies
	 * the engine. The next session may begin before any of them is notified of the end.
	 */
	@Test
	void endOfASessionThatIsReportedAfterTheNextBeganDoesNotEndThat() throws Exception {
		TestingServer server = this.engines.server();
		CuratorFramework client = this.engines.client(server.getConnectString());
		ZooKeeperLockEngine engine = this.engines.engine(client);
		long former = client.getZookeeperClient().getInstanceIndex();
		CountDownLatch begun = new CountDownLatch(100);
		CountDownLatch notified = new CountDownLatch(100);
		for (int i = 0; i < 100; i++) {
			client.getCuratorListenable().addListener((source, event) -> {
				if (reports(event, KeeperState.Expired)) {
					begun.await();
					notified.countDown();
				}
				else if (reports(event, KeeperState.SyncConnected)
						&& client.getZookeeperClient().getInstanceIndex() > former) {
					begun.countDown();
				}
			});
		}
		this.engines.useOnce(engine, KEY);
		endSession(client, server);
		assertThat(notified.await(1, TimeUnit.MINUTES)).isTrue();
		this.engines.useOnce(engine, KEY);
	}

	private static boolean reports(CuratorEvent event, KeeperState state) {
		return event.getType() == CuratorEventType.WATCHED && event.getWatchedEvent().getState() == state;
	}

	/** A node that a former session left for a while is not taken for the new one's. */
	@Fault(32)
	@Test
	void lockOfAFormerSessionIsLostAndNotTakenForTheNewOnes() throws Exception {
		FaultProxy proxy = this.engines.proxy(this.engines.server());
		CuratorFramework client = this.engines.client(proxy, 2 * ZooKeeperTestServer.SESSION_MILLIS);
		ZooKeeperLockEngine engine = this.engines.engine(client);
		Claim claim = this.engines.claim(KEY);
		Granted granted = granted(engine, claim);
		replaceSession(client, proxy);
		eventually().until(() -> renew(engine, claim, granted) instanceof RenewalOutcome.NotOwner);
		Claim next = Claims.waiting(this.engines.claim(KEY));
		eventually().ignoreException(LockEngineException.class).until(() -> engine.tryAcquire(next) instanceof Granted);
		assertThat(granted(engine, next).number()).isGreaterThan(granted.number());
		assertThat(engine.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(renew(engine, next, granted(engine, next))).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	/**
	 * A waiting claim that is requested again finds its node that a former session left:
	 * it removes that, and waits by a new one only.
	 */
	@Fault(32)
	@Test
	void claimThatIsRequestedAgainInANewSessionHasANodeOfThat() throws Exception {
		TestingServer server = this.engines.server();
		ZooKeeperLockEngine other = this.engines.engine(this.engines.client(server.getConnectString()));
		Claim held = this.engines.claim(KEY);
		granted(other, held);
		FaultProxy proxy = this.engines.proxy(server);
		CuratorFramework client = this.engines.client(proxy, ZooKeeperEngines.LONG_SESSION);
		ZooKeeperLockEngine engine = this.engines.engine(client);
		Claim claim = Claims.waiting(this.engines.claim(KEY));
		assertThat(engine.tryAcquire(claim)).isInstanceOf(Busy.class);
		replaceSession(client, proxy);
		assertThat(client.getChildren().forPath(CONTAINER)).as("left by the former session").hasSize(2);
		Pace replaced = Pace.begin();
		eventually().ignoreException(LockEngineException.class).until(() -> engine.tryAcquire(claim) instanceof Busy);
		other.release(held);
		eventually().ignoreException(LockEngineException.class)
			.until(() -> engine.tryAcquire(claim) instanceof Granted);
		assertThat(replaced.elapsed()).as("the former session lasts longer")
			.isLessThan(replaced.slack(Duration.ofSeconds(15)));
		assertThat(client.getChildren().forPath(CONTAINER)).singleElement()
			.satisfies((node) -> assertThat(client.checkExists().forPath(CONTAINER + "/" + node).getEphemeralOwner())
				.isEqualTo(session(client)));
	}

	/**
	 * A lock is in doubt as soon as its connection breaks, and nothing is committed under
	 * it, until its session has come back.
	 */
	@Fault({ 29, 31 })
	@Test
	@SuppressWarnings("try")
	void lockIsInDoubtFromTheBreakUntilItsSessionComesBack() throws Exception {
		FaultProxy proxy = this.engines.proxy(this.engines.server());
		LockService service = this.engines
			.service(this.engines.engine(this.engines.client(proxy, ZooKeeperEngines.LONG_SESSION)));
		HeldLock held = service.acquire("order:42");
		assertThat(held.isValid()).isTrue();
		proxy.refuse();
		proxy.reset();
		eventually().until(() -> !held.isValid());
		CommitGuard guard = new CommitGuard(new DataSourceTransactionManager(), true);
		try (HeldLockScope scope = HeldLockScope.open(held)) {
			assertThatExceptionOfType(LockEngineException.class)
				.isThrownBy(() -> guard.beforeCommit(new SimpleTransactionStatus()))
				.withMessageContaining("in doubt");
			assertThat(held.remaining()).isPositive();
			proxy.heal();
			eventually().until(held::isValid);
			guard.beforeCommit(new SimpleTransactionStatus());
		}
		held.close();
		assertThat(this.engines.events).noneMatch(LockEvent.HoldLost.class::isInstance);
	}

	/**
	 * When the session comes back, only those locks are held again whose nodes are still
	 * there and its own, before any renewal.
	 */
	@Fault(31)
	@ParameterizedTest
	@ValueSource(strings = { "x", "s", "2" })
	void doubtEndsOnlyForNodesThatAreStillThere(String access) throws Exception {
		TestingServer server = this.engines.server();
		FaultProxy proxy = this.engines.proxy(server);
		ZooKeeperLockEngine engine = this.engines.engine(this.engines.client(proxy, ZooKeeperEngines.LONG_SESSION));
		ZooKeeperLockEngine other = this.engines.engine(this.engines.client(server.getConnectString()));
		Claim kept = this.engines.claim(KEY, access);
		Claim removed = this.engines.claim(new LockKey("order:43"), access);
		Claim replaced = this.engines.claim(new LockKey("order:44"), access);
		granted(engine, replaced);
		Granted granted = granted(engine, removed);
		granted(engine, kept);
		assertThat(engine.inDoubt(kept)).isFalse();
		proxy.refuse();
		proxy.reset();
		eventually().until(() -> engine.inDoubt(kept) && engine.inDoubt(removed) && engine.inDoubt(replaced));
		assertThat(other.forceRelease(removed.key())).isNotEmpty();
		replaceNode(this.engines.client(server.getConnectString()), "/leasehold/faults/order:44");
		proxy.heal();
		eventually().until(() -> !engine.inDoubt(kept));
		assertThat(renew(engine, removed, granted)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(engine.inDoubt(removed)).isTrue();
		assertThat(engine.inDoubt(replaced)).isTrue();
	}

	/** Make the node of a key anew, as another session's. */
	private static void replaceNode(CuratorFramework operator, String container) throws Exception {
		String node = container + "/" + operator.getChildren().forPath(container).get(0);
		operator.delete().forPath(node);
		operator.create().withMode(CreateMode.EPHEMERAL).forPath(node);
	}

	/** The holder is notified before another process can acquire the lock. */
	@Fault(30)
	@Test
	void lockOfASilentSessionIsLostBeforeItIsFree() throws Exception {
		TestingServer server = this.engines.server();
		FaultProxy proxy = this.engines.proxy(server);
		LockService service = this.engines
			.service(this.engines.engine(this.engines.client(proxy, ZooKeeperTestServer.SESSION_MILLIS)));
		LockService other = this.engines.service(this.engines.engine(this.engines.client(server.getConnectString())));
		HeldLock held = service.acquire("order:42");
		proxy.blackHole();
		HeldLock next = other.acquire("order:42");
		assertThat(held.isValid()).isFalse();
		assertThat(held.remaining()).isZero();
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
		eventually().until(() -> this.engines.events.stream().anyMatch(LockEvent.HoldLost.class::isInstance));
		proxy.heal();
		assertThat(next.isValid()).isTrue();
		next.close();
	}

	/** The holder of a lock is notified that others ended its session. */
	@Fault(30)
	@Test
	void lockOfASessionThatWasEndedIsLostAndReported() throws Exception {
		TestingServer server = this.engines.server();
		CuratorFramework client = this.engines.client(server.getConnectString());
		HeldLock held = this.engines.service(this.engines.engine(client)).acquire("order:42");
		endSession(client, server);
		eventually().until(() -> this.engines.events.stream().anyMatch(LockEvent.HoldLost.class::isInstance));
		assertThat(held.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
	}

	/**
	 * A machine that was suspended for longer than its session, with a clock that stood
	 * still, sends its release through a closed connection: its holder is notified,
	 * although the response to that request was lost.
	 */
	@Fault({ 6, 30 })
	@Test
	void releaseInASessionThatHasEndedUnnoticedTellsOfTheLoss() throws Exception {
		TestingServer server = this.engines.server();
		FaultProxy proxy = this.engines.proxy(server);
		CuratorFramework client = this.engines.client(proxy, ZooKeeperEngines.LONG_SESSION);
		HeldLock held = this.engines.service(this.engines.engine(client, Duration.ofSeconds(1), Duration.ofSeconds(10)))
			.acquire("order:42");
		LockService other = this.engines.service(
				this.engines.engine(this.engines.client(server.getConnectString(), ZooKeeperEngines.LONG_SESSION)));
		proxy.blackHole();
		endSession(client, server); // by which the ensemble follows a silent process
		HeldLock next = other.acquire("order:42");
		assertThat(held.isValid()).as("as far as is known there").isTrue();
		CompletableFuture<Void> closed = CompletableFuture.runAsync(held::close);
		eventually().until(() -> !held.isValid());
		proxy.reset();
		proxy.heal();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> closed.get(1, TimeUnit.MINUTES))
			.withCauseInstanceOf(LockLostException.class);
		assertThat(next.isValid()).isTrue();
		next.close();
	}

	/** I3: no lock is valid for longer than its session. */
	@Test
	void longLeaseIsBelievedInForThreeQuartersOfTheSession() throws Exception {
		ZooKeeperLockEngine engine = this.engines
			.engine(this.engines.client(this.engines.server().getConnectString(), ZooKeeperEngines.LONG_SESSION));
		Claim claim = this.engines.claim(KEY);
		Granted granted = granted(engine, claim);
		long session = Duration.ofMillis(ZooKeeperEngines.LONG_SESSION).toNanos() * 3 / 4;
		assertThat(granted.validUntil() - System.nanoTime()).isLessThan(session);
		assertThat(renew(engine, claim, granted)).isInstanceOfSatisfying(RenewalOutcome.Renewed.class,
				(renewed) -> assertThat(renewed.validUntil() - System.nanoTime()).isPositive().isLessThan(session));
	}

	/**
	 * Have the client begin a new session, while the server still keeps the former one.
	 */
	private static void replaceSession(CuratorFramework client, FaultProxy proxy) throws Exception {
		long former = session(client);
		proxy.refuse();
		proxy.reset();
		eventually().until(() -> !client.getZookeeperClient().isConnected());
		client.getZookeeperClient().reset();
		proxy.heal();
		eventually().until(client.getZookeeperClient()::isConnected);
		assertThat(session(client)).isNotEqualTo(former);
	}

	private static long session(CuratorFramework client) throws Exception {
		return client.getZookeeperClient().getZooKeeper().getSessionId();
	}

	/** End a client's session at the server, behind its back. */
	@SuppressWarnings("try")
	private static void endSession(CuratorFramework client, TestingServer server) throws Exception {
		ZooKeeper handle = client.getZookeeperClient().getZooKeeper();
		try (ZooKeeper same = new ZooKeeper(server.getConnectString(), handle.getSessionTimeout(), (event) -> {
		}, handle.getSessionId(), handle.getSessionPasswd())) {
			eventually().until(() -> same.getState().isConnected());
		}
	}

}
