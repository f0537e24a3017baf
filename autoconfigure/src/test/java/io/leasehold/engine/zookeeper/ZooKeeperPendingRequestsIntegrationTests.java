package io.leasehold.engine.zookeeper;

import java.io.IOException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.ZooKeeperTestServer;
import io.leasehold.test.contract.Claims;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.AsyncCallback.MultiCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.leasehold.engine.zookeeper.ZooKeeperEngines.eventually;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.granted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Requests whose responses are late or lost: nothing is kept of their claims for ever,
 * and no release is taken for a loss.
 */
@Tag("full")
class ZooKeeperPendingRequestsIntegrationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private final ZooKeeperEngines engines = new ZooKeeperEngines();

	private final TestingServer server = this.engines.server();

	private volatile boolean losesCreations;

	private volatile boolean losesRemovals;

	private final Queue<Runnable> lostRemovals = new ConcurrentLinkedQueue<>();

	@AfterEach
	void close() throws Exception {
		this.engines.close();
	}

	/** The first attempt has released the lock, though its caller does not know. */
	@Test
	void releaseWithAResponseBetweenTwoAttemptsIsNoLoss() throws Exception {
		FaultProxy proxy = this.engines.proxy(this.server);
		CuratorFramework client = this.engines.client(proxy, ZooKeeperEngines.LONG_SESSION);
		ZooKeeperLockEngine engine = this.engines.engine(client);
		Claim claim = this.engines.claim(KEY);
		granted(engine, claim);
		proxy.replies().hold();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.release(claim));
		CountDownLatch responded = new CountDownLatch(1);
		client.checkExists().inBackground((source, event) -> responded.countDown()).forPath("/");
		proxy.heal();
		assertThat(responded.await(1, TimeUnit.MINUTES)).isTrue();
		assertThat(engine.release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(engine.liveClaims()).isZero();
	}

	/** Without a retry, it is forgotten after its lease. */
	@Test
	void claimOfALateResponseIsForgotten() throws Exception {
		FaultProxy proxy = this.engines.proxy(this.server);
		ZooKeeperLockEngine engine = this.engines.engine(this.engines.client(proxy, ZooKeeperEngines.LONG_SESSION));
		Claim claim = this.engines.claim(KEY, Duration.ofSeconds(8));
		granted(engine, claim);
		proxy.replies().hold();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.release(claim));
		proxy.heal();
		eventually().until(() -> engine.liveClaims() == 0);
	}

	/** However long an outage lasts: the store has nothing of them. */
	@Test
	void claimsThatNeverReachedTheServerAreForgotten() throws Exception {
		FaultProxy proxy = this.engines.proxy(this.server);
		proxy.blackHole();
		CuratorFramework client = this.engines
			.open(ZooKeeperTestServer.connect("127.0.0.1:" + proxy.port(), ZooKeeperEngines.LONG_SESSION));
		ZooKeeperLockEngine engine = this.engines.engine(client, Duration.ofSeconds(1), Duration.ofMillis(50));
		for (int i = 0; i < 10; i++) {
			Claim claim = this.engines.claim(KEY);
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim));
			assertThat(engine.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		}
		assertThat(engine.liveClaims()).isZero();
	}

	/** ZooKeeper's client may lose a response when its session ends. */
	@Test
	void claimWhoseRemovalGetsNoResponseIsForgottenAfterItsSession() throws Exception {
		CuratorFramework client = forgetful();
		ZooKeeperLockEngine engine = this.engines.engine(client);
		Claim claim = this.engines.claim(KEY, Duration.ofSeconds(8));
		granted(engine, claim);
		this.losesRemovals = true;
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.release(claim));
		expire(client);
		eventually().until(() -> engine.liveClaims() == 0);
		assertThat(engine.inspect(KEY)).isEmpty();
	}

	@Test
	void claimWhoseCreationGetsNoResponseIsForgottenAfterItsSession() throws Exception {
		CuratorFramework client = forgetful();
		ZooKeeperLockEngine engine = this.engines.engine(client);
		this.engines.useOnce(engine, KEY);
		Claim claim = this.engines.claim(KEY, Duration.ofSeconds(8));
		this.losesCreations = true;
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim));
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.release(claim));
		expire(client);
		eventually().until(() -> engine.liveClaims() == 0);
		assertThat(engine.inspect(KEY)).isEmpty();
	}

	/** The service releases a claim without a response that does not wait. */
	@Test
	void busyClaimWhoseRemovalGetsNoResponseIsRemovedByItsRelease() throws Exception {
		ZooKeeperLockEngine other = this.engines.engine(this.engines.client(this.server.getConnectString()));
		Claim held = this.engines.claim(KEY);
		granted(other, held);
		CuratorFramework client = forgetful();
		ZooKeeperLockEngine engine = this.engines.engine(client);
		Claim claim = this.engines.claim(KEY);
		this.losesRemovals = true;
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> engine.tryAcquire(claim))
			.satisfies((failure) -> assertThat(failure.isRetryable()).isTrue());
		expire(client);
		eventually().ignoreException(LockEngineException.class)
			.until(() -> engine.release(claim) instanceof ReleaseOutcome.NotOwner);
		assertThat(engine.liveClaims()).isZero();
		assertThat(engine.inspect(KEY)).hasSize(1);
		assertThat(other.release(held)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(engine.inspect(KEY)).isEmpty();
	}

	private void expire(CuratorFramework client) throws Exception {
		this.losesCreations = false;
		this.losesRemovals = false;
		client.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
	}

	private CuratorFramework forgetful() throws InterruptedException {
		CuratorFramework client = this.engines.open(CuratorFrameworkFactory.builder()
			.connectString(this.server.getConnectString())
			.sessionTimeoutMs(ZooKeeperEngines.LONG_SESSION)
			.retryPolicy(new RetryForever(100))
			.zookeeperFactory((servers, timeout, watcher, readOnly) -> new Handle(servers, timeout, watcher))
			.build());
		client.start();
		client.blockUntilConnected();
		return client;
	}

	/**
	 * A handle that may lose transactions, and send removals late.
	 */
	@SuppressWarnings("try")
	private final class Handle extends ZooKeeper {

		Handle(String servers, int timeout, Watcher watcher) throws IOException {
			super(servers, timeout, watcher);
		}

		@Override
		public void multi(Iterable<Op> operations, MultiCallback callback, Object context) {
			if (!ZooKeeperPendingRequestsIntegrationTests.this.losesCreations) {
				super.multi(operations, callback, context);
			}
		}

		@Override
		public void delete(String path, int version, VoidCallback callback, Object context) {
			if (!ZooKeeperPendingRequestsIntegrationTests.this.losesRemovals) {
				super.delete(path, version, callback, context);
			}
			else {
				ZooKeeperPendingRequestsIntegrationTests.this.lostRemovals
					.add(() -> super.delete(path, version, callback, context));
			}
		}

	}

}
