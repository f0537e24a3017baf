package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.ParkedLocks;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A holder's session is killed while one waiter waits: by the server, behind the client's
 * back.
 */
@Tag("full")
class ZooKeeperKilledSessionsIntegrationTests {

	private static final int KILLS = 10;

	/** Less than the session timeout, after which the client would begin another one. */
	private static final Duration PATIENCE = Duration.ofSeconds(18);

	/** Short, because a key that was busy on a slow machine pauses for as long. */
	private static final Duration LINGER = Duration.ofSeconds(10);

	private final ZooKeeperEngines engines = new ZooKeeperEngines();

	private final TestingServer server = this.engines.server();

	@AfterEach
	void close() throws Exception {
		this.engines.close();
	}

	/**
	 * The waiter may share the client, and so lose its place with the session, or the
	 * whole engine.
	 */
	@Fault(136)
	@ParameterizedTest
	@ValueSource(strings = { "another client", "the same client", "the same engine" })
	void waiterIsServedAfterEveryKill(String waitsAt) throws Exception {
		CuratorFramework client = this.engines.client(this.server.getConnectString(), ZooKeeperEngines.LONG_SESSION);
		LockService holder = this.engines.service(engine(client));
		LockService waiter = switch (waitsAt) {
			case "another client" -> this.engines
				.service(engine(this.engines.client(this.server.getConnectString(), ZooKeeperEngines.LONG_SESSION)));
			case "the same client" -> this.engines.service(engine(client));
			default -> holder;
		};
		for (int i = 0; i < KILLS; i++) {
			String key = "order:" + i;
			HeldLock held = holder.acquireAll(List.of(key));
			CompletableFuture<HeldLock> next = CompletableFuture.supplyAsync(() -> waiter.acquireAll(List.of(key)));
			end(client);
			next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
			// The other client may be served before this one is notified
			ZooKeeperEngines.eventually().until(() -> !held.isValid());
			closeLost(held);
		}
	}

	/**
	 * The process may enter the lock until its client is notified, with a token that the
	 * next owner's exceeds. After that, the lock is not entered.
	 */
	@Fault({ 166, 167 })
	@Test
	void parkedLockEndsWithItsSession() throws Exception {
		CuratorFramework client = this.engines.client(this.server.getConnectString(), ZooKeeperEngines.LONG_SESSION);
		LockService keeper = this.engines.service(engine(client));
		LockService other = this.engines
			.service(engine(this.engines.client(this.server.getConnectString(), ZooKeeperEngines.LONG_SESSION)));
		LockOptions lingering = keeper.defaults().toBuilder().linger(LINGER).build();
		LockOptions atOnce = lingering.toBuilder().waitTime(Duration.ZERO).build();
		for (int i = 0; i < KILLS / 2; i++) {
			String key = "order:" + i;
			long parked = ParkedLocks.park(keeper, key, lingering);
			end(client);
			try (HeldLock next = other.acquire(key)) {
				assertThat(next.fencingToken()).isGreaterThan(parked + ParkedLocks.TOKENS);
				ZooKeeperEngines.eventually()
					.ignoreException(LockEngineException.class)
					.until(() -> !entered(keeper, key, atOnce, next));
				assertThat(ParkedLocks.of(keeper)).isEmpty();
				assertThat(next.isValid()).isTrue();
			}
		}
	}

	private static boolean entered(LockService keeper, String key, LockOptions atOnce, HeldLock next) {
		Optional<HeldLock> stale = keeper.tryAcquire(key, atOnce);
		stale.ifPresent((held) -> {
			assertThat(held.fencingToken()).isLessThan(next.fencingToken());
			closeLost(held);
		});
		return stale.isPresent();
	}

	/** Calls whose response is lost with the session are repeated. */
	private ZooKeeperLockEngine engine(CuratorFramework client) {
		return this.engines.engine(client, Duration.ofSeconds(1), Duration.ofMillis(1500));
	}

	/** Its holder is notified, unless the client did not reconnect in time. */
	private static void closeLost(HeldLock held) {
		try {
			held.close();
		}
		catch (LockLostException ex) {
			assertThat(ex.getKey()).hasToString(held.key());
		}
	}

	/** End a client's session at the server. */
	@SuppressWarnings("try")
	private void end(CuratorFramework client) throws Exception {
		ZooKeeper handle = client.getZookeeperClient().getZooKeeper();
		try (ZooKeeper same = new ZooKeeper(this.server.getConnectString(), handle.getSessionTimeout(), (event) -> {
		}, handle.getSessionId(), handle.getSessionPasswd())) {
			ZooKeeperEngines.eventually().until(() -> same.getState().isConnected());
		}
	}

}
