package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.engine.Attempt.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.ZooKeeperTestServer;
import io.leasehold.service.LockService;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.leasehold.engine.zookeeper.ZooKeeperEngines.eventually;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.granted;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.renew;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What becomes of locks when sessions end and servers fail.
 */
@Timeout(90)
class ZooKeeperLockEngineFaultsIntegrationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private final ZooKeeperEngines engines = new ZooKeeperEngines();

	@AfterEach
	void close() throws Exception {
		this.engines.close();
	}

	/** FAULTS rows 30 and 32: the old session's node may be there for a while. */
	@Test
	void operatorsAreNotToldARemainingTimeThatNobodyKnows() {
		ZooKeeperLockEngine engine = this.engines.engine(this.engines.client(this.engines.server().getConnectString()));
		granted(engine, this.engines.claim(KEY));
		assertThat(engine.inspect(KEY)).singleElement().extracting(Holder::remaining).isNull();
	}

	@Test
	void lockOfAFormerSessionIsLostAndNotTakenForTheNewOnes() throws Exception {
		TestingServer server = this.engines.server();
		CuratorFramework client = this.engines.client(server.getConnectString());
		ZooKeeperLockEngine engine = this.engines.engine(client);
		Claim claim = this.engines.claim(KEY);
		Granted granted = granted(engine, claim);
		long session = client.getZookeeperClient().getZooKeeper().getSessionId();
		client.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
		eventually().until(() -> client.getZookeeperClient().isConnected()
				&& client.getZookeeperClient().getZooKeeper().getSessionId() != session);
		eventually().until(() -> renew(engine, claim, granted) instanceof RenewalOutcome.NotOwner);
		Claim next = this.engines.claim(KEY).waiting();
		eventually().until(() -> engine.tryAcquire(next) instanceof Granted);
		assertThat(granted(engine, next).number()).isGreaterThan(granted.number());
		assertThat(engine.release(claim)).isNotInstanceOf(ReleaseOutcome.Unknown.class);
		assertThat(renew(engine, next, granted(engine, next))).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	/** FAULTS row 29. */
	@Test
	void lockIsInDoubtFromTheBreakUntilItsSessionComesBack() throws Exception {
		FaultProxy proxy = this.engines.proxy(this.engines.server());
		LockService service = this.engines
			.service(this.engines.engine(this.engines.client(proxy, ZooKeeperEngines.LONG_SESSION)));
		HeldLock held = service.acquire("order:42");
		assertThat(held.isValid()).isTrue();
		proxy.refuse();
		proxy.reset();
		eventually().atMost(Duration.ofSeconds(2)).until(() -> !held.isValid());
		assertThat(held.remaining()).isPositive();
		proxy.heal();
		eventually().until(held::isValid);
		held.close();
		assertThat(this.engines.events).noneMatch(LockEvent.HoldLost.class::isInstance);
	}

	/** FAULTS row 31: without any renewal. */
	@ParameterizedTest
	@ValueSource(strings = { "x", "s", "2" })
	void doubtEndsOnlyForNodesThatAreStillThere(String access) throws Exception {
		TestingServer server = this.engines.server();
		FaultProxy proxy = this.engines.proxy(server);
		ZooKeeperLockEngine engine = this.engines.engine(this.engines.client(proxy, ZooKeeperEngines.LONG_SESSION));
		ZooKeeperLockEngine other = this.engines.engine(this.engines.client(server.getConnectString()));
		Claim kept = this.engines.claim(KEY, access);
		Claim removed = this.engines.claim(new LockKey("order:43"), access);
		granted(engine, kept);
		Granted granted = granted(engine, removed);
		assertThat(engine.inDoubt(kept)).isFalse();
		proxy.refuse();
		proxy.reset();
		eventually().until(() -> engine.inDoubt(kept) && engine.inDoubt(removed));
		assertThat(other.forceRelease(removed.key())).isNotEmpty();
		proxy.heal();
		eventually().until(() -> !engine.inDoubt(kept));
		assertThat(renew(engine, removed, granted)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(engine.inDoubt(removed)).isTrue();
	}

	/** FAULTS row 29: nothing is known, and that is not a no. */
	@Test
	void renewalAndAcquisitionWithoutAServerAreUnknown() throws Exception {
		TestingServer server = this.engines.server();
		ZooKeeperLockEngine engine = this.engines
			.engine(this.engines.client(server.getConnectString(), ZooKeeperEngines.LONG_SESSION));
		Claim claim = this.engines.claim(KEY);
		Granted granted = granted(engine, claim);
		server.stop();
		eventually().until(() -> renew(engine, claim, granted) instanceof RenewalOutcome.Unknown);
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> engine.tryAcquire(this.engines.claim(KEY)))
			.withMessageContaining("ZooKeeper could not acquire lock 'order:42'");
		server.restart();
		eventually().until(() -> renew(engine, claim, granted) instanceof RenewalOutcome.Renewed);
		assertThat(granted(engine, claim).number()).isEqualTo(granted.number());
		assertThat(engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
	}

	/** FAULTS row 30: told before anybody else can have the lock. */
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

	/** I3: nobody believes in a lock longer than in its session. */
	@Test
	void longLeaseIsBelievedInForThreeQuartersOfTheSession() throws Exception {
		ZooKeeperLockEngine engine = this.engines.engine(this.engines.client(this.engines.server().getConnectString()));
		Claim claim = this.engines.claim(KEY);
		Granted granted = granted(engine, claim);
		long session = Duration.ofMillis(ZooKeeperTestServer.SESSION_MILLIS).toNanos() * 3 / 4;
		assertThat(granted.validUntil() - System.nanoTime()).isLessThan(session);
		assertThat(renew(engine, claim, granted)).isInstanceOfSatisfying(RenewalOutcome.Renewed.class,
				(renewed) -> assertThat(renewed.validUntil() - System.nanoTime()).isPositive().isLessThan(session));
	}

	/** FAULTS row 34. */
	@Test
	void nodeWhoseCreationWasNotAnsweredDoesNotStay() throws Exception {
		TestingServer server = this.engines.server();
		FaultProxy proxy = this.engines.proxy(server);
		ZooKeeperLockEngine engine = this.engines
			.engine(this.engines.client(proxy, ZooKeeperTestServer.SESSION_MILLIS));
		ZooKeeperLockEngine other = this.engines.engine(this.engines.client(server.getConnectString()));
		this.engines.useOnce(engine, KEY);
		proxy.replies().drop();
		Claim claim = this.engines.claim(KEY);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim));
		eventually().until(() -> !other.inspect(KEY).isEmpty());
		proxy.reset();
		proxy.heal();
		eventually().ignoreException(LockEngineException.class)
			.until(() -> engine.release(claim) instanceof ReleaseOutcome.NotOwner);
		assertThat(other.inspect(KEY)).isEmpty();
		granted(other, this.engines.claim(KEY));
	}

	/** FAULTS rows 34 and 60. */
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
		assertThat(flag.get(5, TimeUnit.SECONDS)).isTrue();
		proxy.reset();
		proxy.heal();
		eventually().until(() -> other.inspect(KEY).isEmpty());
		eventually().until(() -> engine.liveClaims() == 0);
	}

	/** FAULTS row 13: long before the session or the lease is over. */
	@Test
	void releaseThatWasNotAnsweredIsRepeatedUntilTheNodeIsGone() throws Exception {
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
		proxy.heal();
		eventually().atMost(Duration.ofSeconds(5)).until(() -> other.inspect(KEY).isEmpty());
	}

	/** FAULTS rows 11 and 34: the retry finds the grant, whatever was created twice. */
	@ParameterizedTest
	@ValueSource(strings = { "x", "s", "1" })
	void claimIsGrantedThoughTheAnswerToItsFirstRequestWasLost(String access) throws Exception {
		TestingServer server = this.engines.server();
		FaultProxy proxy = this.engines.proxy(server);
		ZooKeeperLockEngine engine = this.engines
			.engine(this.engines.client(proxy, ZooKeeperTestServer.SESSION_MILLIS));
		this.engines.useOnce(engine, KEY);
		proxy.replies().drop();
		Claim claim = this.engines.claim(KEY, access).waiting();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim));
		proxy.reset();
		proxy.heal();
		eventually().ignoreException(LockEngineException.class)
			.until(() -> engine.tryAcquire(claim) instanceof Granted);
		assertThat(engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		ZooKeeperLockEngine other = this.engines.engine(this.engines.client(server.getConnectString()));
		assertThat(other.inspect(KEY)).isEmpty();
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
