package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.ZooKeeperTestServer;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Claims;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.leasehold.engine.zookeeper.ZooKeeperEngines.eventually;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.granted;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.renew;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Requests of {@link ZooKeeperLockEngine} without a response.
 */
@Tag("full")
class ZooKeeperLostResponsesIntegrationTests extends ZooKeeperFaultsFixture {

	@Test
	void operatorsSeeNoRemainingTimeThatIsUnknown() {
		ZooKeeperLockEngine engine = this.engines.engine(this.engines.client(this.engines.server().getConnectString()));
		granted(engine, this.engines.claim(KEY));
		assertThat(engine.inspect(KEY)).singleElement().extracting(Holder::remaining).isNull();
	}

	@Test
	void missingPermissionIsReportedWithItsPath() throws Exception {
		CuratorFramework client = this.engines.client(this.engines.server().getConnectString());
		client.create()
			.creatingParentsIfNeeded()
			.withMode(CreateMode.CONTAINER)
			.withACL(anyone(ZooDefs.Perms.READ | ZooDefs.Perms.ADMIN))
			.forPath(CONTAINER);
		ZooKeeperLockEngine engine = this.engines.engine(client);
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> engine.tryAcquire(this.engines.claim(KEY)))
			.withMessageContaining("NOAUTH at '" + CONTAINER + "/");
		client.setACL().withACL(anyone(ZooDefs.Perms.READ | ZooDefs.Perms.CREATE)).forPath(CONTAINER);
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> engine.tryAcquire(this.engines.claim(KEY)))
			.withMessageContaining("NOAUTH at '" + CONTAINER + "'");
	}

	private static List<ACL> anyone(int permissions) {
		return List.of(new ACL(permissions, new Id("world", "anyone")));
	}

	/** Without a server nothing is known, and that is not a no. */
	@Fault(29)
	@Test
	void renewalAndAcquisitionWithoutAServerAreUnknown() throws Exception {
		TestingServer server = this.engines.server();
		ZooKeeperLockEngine engine = this.engines
			.engine(this.engines.client(server.getConnectString(), ZooKeeperEngines.LONG_SESSION));
		Claim claim = this.engines.claim(KEY);
		Granted granted = granted(engine, claim);
		server.stop();
		eventually().untilAsserted(() -> assertThat(renew(engine, claim, granted))
			.isInstanceOfSatisfying(RenewalOutcome.Unknown.class, (outcome) -> assertThat(outcome.cause())
				.hasMessageStartingWith("ZooKeeper could not renew lock 'order:42': ")));
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> engine.tryAcquire(this.engines.claim(KEY)))
			.withMessageContaining("ZooKeeper could not acquire lock 'order:42'");
		server.restart();
		eventually().until(() -> renew(engine, claim, granted) instanceof RenewalOutcome.Renewed);
		assertThat(granted(engine, claim).number()).isEqualTo(granted.number());
		assertThat(engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
	}

	/** A node whose creation had no response is removed, and blocks no other claim. */
	@Fault({ 34, 104 })
	@Test
	void nodeWhoseCreationGotNoResponseDoesNotStay() throws Exception {
		TestingServer server = this.engines.server();
		FaultProxy proxy = this.engines.proxy(server);
		ZooKeeperLockEngine engine = this.engines
			.engine(this.engines.client(proxy, ZooKeeperTestServer.SESSION_MILLIS));
		CuratorFramework operator = this.engines.client(server.getConnectString());
		ZooKeeperLockEngine other = this.engines.engine(operator);
		this.engines.useOnce(engine, KEY);
		proxy.replies().drop();
		Claim claim = this.engines.claim(KEY);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim));
		eventually().until(() -> !other.inspect(KEY).isEmpty());
		proxy.reset();
		proxy.heal();
		eventually().ignoreException(LockEngineException.class)
			.until(() -> engine.release(claim) instanceof ReleaseOutcome.NotOwner);
		// Curator may send the creation again after that
		Claim next = Claims.waiting(this.engines.claim(KEY));
		eventually().until(() -> other.tryAcquire(next) instanceof Granted);
		eventually().until(() -> nodes(operator).size() == 1);
	}

	/** The same if the caller was interrupted while its node was created. */
	@Fault({ 34, 60 })
	@Test
	void interruptedAcquisitionLeavesNoNode() throws Exception {
		TestingServer server = this.engines.server();
		FaultProxy proxy = this.engines.proxy(server);
		ZooKeeperLockEngine engine = this.engines.engine(this.engines.client(proxy, ZooKeeperEngines.LONG_SESSION));
		ZooKeeperLockEngine other = this.engines.engine(this.engines.client(server.getConnectString()));
		this.engines.useOnce(engine, KEY);
		LockService service = this.engines.service(engine);
		proxy.replies().drop();
		CompletableFuture<Boolean> flag = new CompletableFuture<>();
		Thread caller = new Thread(() -> {
			assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> service.acquire("order:42"));
			flag.complete(Thread.currentThread().isInterrupted());
		});
		caller.start();
		eventually().until(() -> !other.inspect(KEY).isEmpty());
		caller.interrupt();
		assertThat(flag.get(1, TimeUnit.MINUTES)).isTrue();
		proxy.reset();
		proxy.heal();
		eventually().until(() -> other.inspect(KEY).isEmpty());
		eventually().until(() -> engine.liveClaims() == 0);
	}

	/**
	 * A lost response to a release is no loss, and the key is free long before the lease
	 * is over.
	 */
	@Fault(13)
	@Test
	void releaseWithoutAResponseIsRepeatedUntilTheNodeIsGone() throws Exception {
		TestingServer server = this.engines.server();
		FaultProxy proxy = this.engines.proxy(server);
		ZooKeeperLockEngine engine = this.engines.engine(this.engines.client(proxy, ZooKeeperEngines.LONG_SESSION));
		ZooKeeperLockEngine other = this.engines.engine(this.engines.client(server.getConnectString()));
		HeldLock held = this.engines.service(engine).acquire("order:42");
		proxy.refuse();
		proxy.reset();
		eventually().until(() -> !held.isValid());
		held.close();
		assertThat(other.inspect(KEY)).isNotEmpty();
		Pace healed = Pace.begin();
		proxy.heal();
		eventually().until(() -> other.inspect(KEY).isEmpty());
		assertThat(healed.elapsed()).isLessThan(healed.slack(Duration.ofSeconds(5)));
	}

	/**
	 * The engine removes the node when the lease has ended. A release that comes before
	 * the response to the removal finds another owner, perhaps, and never says that it
	 * released the lock.
	 */
	@Fault(17)
	@Test
	void releaseDuringTheRemovalOfAnExpiredNodeIsNotTheOwners() throws Exception {
		TestingServer server = this.engines.server();
		FaultProxy proxy = this.engines.proxy(server);
		ZooKeeperLockEngine engine = this.engines.engine(this.engines.client(proxy, ZooKeeperEngines.LONG_SESSION));
		ZooKeeperLockEngine other = this.engines.engine(this.engines.client(server.getConnectString()));
		Claim claim = this.engines.claim(KEY, Duration.ofSeconds(4));
		granted(engine, claim);
		proxy.replies().hold();
		eventually().until(() -> other.inspect(KEY).isEmpty());
		FutureTask<ReleaseOutcome> release = new FutureTask<>(() -> engine.release(claim));
		Thread releasing = new Thread(release);
		releasing.start();
		eventually().until(() -> releasing.getState() == Thread.State.TIMED_WAITING || release.isDone());
		proxy.heal();
		assertThat(release.get()).isInstanceOf(ReleaseOutcome.NotOwner.class);
	}

	/** The retry finds the grant, whatever was created twice. */
	@Fault({ 11, 34 })
	@ParameterizedTest
	@ValueSource(strings = { "x", "s", "1" })
	void claimIsGrantedThoughTheResponseToItsFirstRequestWasLost(String access) throws Exception {
		TestingServer server = this.engines.server();
		FaultProxy proxy = this.engines.proxy(server);
		ZooKeeperLockEngine engine = this.engines
			.engine(this.engines.client(proxy, ZooKeeperTestServer.SESSION_MILLIS));
		this.engines.useOnce(engine, KEY);
		proxy.replies().drop();
		Claim claim = Claims.waiting(this.engines.claim(KEY, access));
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim));
		proxy.reset();
		proxy.heal();
		eventually().ignoreException(LockEngineException.class)
			.until(() -> engine.tryAcquire(claim) instanceof Granted);
		assertThat(engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		ZooKeeperLockEngine other = this.engines.engine(this.engines.client(server.getConnectString()));
		eventually().until(() -> other.inspect(KEY).isEmpty());
	}

	/**
	 * Curator sends a request again whose response was lost, so a claim may have two
	 * nodes. It is not kept waiting by its own one, and leaves none.
	 */
	@Fault({ 11, 34 })
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void claimWhoseNodeWasCreatedTwiceIsGrantedAndLeavesNone(boolean firstUse) throws Exception {
		TestingServer server = this.engines.server();
		FaultProxy proxy = this.engines.proxy(server);
		CuratorFramework operator = this.engines.client(server.getConnectString());
		CuratorFramework client = this.engines.client(proxy, ZooKeeperEngines.LONG_SESSION);
		ZooKeeperLockEngine engine = this.engines.engine(client, Duration.ofSeconds(1), Duration.ofSeconds(20));
		this.engines.useOnce(engine, firstUse ? new LockKey("order:41") : KEY);
		proxy.replies().drop();
		Claim claim = this.engines.claim(KEY);
		CompletableFuture<Granted> granted = CompletableFuture.supplyAsync(() -> granted(engine, claim));
		eventually().until(() -> !nodes(operator).isEmpty());
		List<String> first = nodes(operator);
		proxy.heal();
		server.restart();
		granted.get(1, TimeUnit.MINUTES);
		eventually().untilAsserted(() -> assertThat(nodes(operator)).hasSize(1).doesNotContainAnyElementsOf(first));
		assertThat(engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(nodes(operator)).isEmpty();
	}

	/** The same if the claim is not requested again. */
	@Fault({ 11, 34 })
	@Test
	void claimWhoseNodeWasCreatedTwiceIsReleasedAltogether() throws Exception {
		TestingServer server = this.engines.server();
		FaultProxy proxy = this.engines.proxy(server);
		CuratorFramework operator = this.engines.client(server.getConnectString());
		ZooKeeperLockEngine engine = this.engines.engine(this.engines.client(proxy, ZooKeeperEngines.LONG_SESSION));
		this.engines.useOnce(engine, KEY);
		proxy.replies().drop();
		Claim claim = this.engines.claim(KEY);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim));
		proxy.heal();
		proxy.reset();
		eventually().until(() -> nodes(operator).size() == 2);
		eventually().ignoreException(LockEngineException.class)
			.until(() -> engine.release(claim) instanceof ReleaseOutcome.NotOwner);
		assertThat(nodes(operator)).isEmpty();
	}

	private static List<String> nodes(CuratorFramework operator) throws Exception {
		return (operator.checkExists().forPath(CONTAINER) != null) ? operator.getChildren().forPath(CONTAINER)
				: List.of();
	}

	/** I8: nothing is kept of what is over. */
	@Test
	void claimsThatAreOverAreForgotten() throws Exception {
		ZooKeeperLockEngine engine = this.engines.engine(this.engines.client(this.engines.server().getConnectString()));
		Claim claim = this.engines.claim(KEY);
		granted(engine, claim);
		engine.tryAcquire(this.engines.claim(KEY));
		engine.release(claim);
		assertThat(engine.liveClaims()).isZero();
	}

}
