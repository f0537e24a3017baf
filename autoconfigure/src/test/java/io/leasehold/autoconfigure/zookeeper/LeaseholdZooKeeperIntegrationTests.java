package io.leasehold.autoconfigure.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.zookeeper.ZooKeeperLockEngine;
import io.leasehold.engine.zookeeper.ZooKeeperSettings;
import io.leasehold.server.ZooKeeperTestServer;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.retry.RetryForever;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Applications with ZooKeeper, from their start to their end.
 */
@Tag("full")
class LeaseholdZooKeeperIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(10);

	private final TestingServer server = ZooKeeperTestServer.start();

	private final CuratorFramework client = ZooKeeperTestServer.connect(this.server.getConnectString());

	private final ZooKeeperLockEngine elsewhere = ZooKeeperLockEngine.using(this.client,
			new ZooKeeperSettings("leasehold", "/leasehold", Duration.ofSeconds(10), Duration.ofSeconds(1)),
			MonotonicClock.SYSTEM);

	private final ApplicationContextRunner runner = Leasehold.runner()
		.withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class))
		.withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=100ms", "leasehold.zookeeper.call-timeout=4s",
				"leasehold.lease=" + LEASE.toMillis() + "ms");

	private final ApplicationContextRunner withSessionOfItsOwn = this.runner
		.withPropertyValues("leasehold.zookeeper.connect-string=" + this.server.getConnectString());

	private final ApplicationContextRunner withClientOfTheApplication = this.runner.withBean("own",
			CuratorFramework.class, () -> ZooKeeperTestServer.connect(this.server.getConnectString()));

	@BeforeEach
	void useOnce() {
		assertThat(isFree("used:once")).isTrue();
	}

	@AfterEach
	void stop() throws Exception {
		this.elsewhere.close();
		this.client.close();
		this.server.close();
	}

	/**
	 * A body runs on when the grace of the shutdown is over: it is notified, and nobody
	 * gets in beside it.
	 */
	@Test
	@Fault(value = 88, engine = "zookeeper")
	void bodyThatOutlastsTheShutdownIsNotifiedAndItsKeyLeftToItsLease() {
		this.withSessionOfItsOwn.run((context) -> {
			HeldLock held = context.getBean(DistributedLocks.class).acquire("order:42");
			long leaseEnd = System.nanoTime() + held.remaining().toNanos();
			context.getSourceApplicationContext().close();
			assertThat(held.isValid()).isFalse();
			assertThat(isFree("order:42")).isFalse();
			Pace closed = Pace.begin();
			eventually().until(() -> isFree("order:42"));
			assertThat(System.nanoTime() - leaseEnd).isPositive();
			assertThat(closed.elapsed()).isLessThan(LEASE.plus(closed.slack(LEASE)));
			eventually().until(() -> connections() == 1);
		});
	}

	/** The client computes with it in milliseconds. */
	@Test
	void anySessionTimeoutConnects() {
		this.withSessionOfItsOwn.withPropertyValues("leasehold.zookeeper.session-timeout=100000d")
			.run((context) -> context.getBean(DistributedLocks.class).acquire("order:42").close());
	}

	@Test
	void sessionEndsWithTheContextWhenNothingIsHeld() {
		this.withSessionOfItsOwn.withPropertyValues("leasehold.lease=10m").run((context) -> {
			context.getBean(DistributedLocks.class).acquire("order:42").close();
			assertThat(connections()).isEqualTo(2);
		});
		eventually().until(() -> connections() == 1);
	}

	/** What the manual warns of. */
	@Test
	void clientOfTheApplicationTakesItsLocksAlongWhenItIsClosed() {
		AtomicReference<HeldLock> held = new AtomicReference<>();
		this.withClientOfTheApplication
			.run((context) -> held.set(context.getBean(DistributedLocks.class).acquire("order:42")));
		assertThat(held.get().isValid()).isFalse();
		assertThat(isFree("order:42")).isTrue();
	}

	@Test
	void clientOfTheApplicationIsLeftOpen() {
		CuratorFramework shared = ZooKeeperTestServer.connect(this.server.getConnectString());
		try (shared) {
			this.runner
				.withBean("own", CuratorFramework.class, () -> shared,
						(definition) -> definition.setDestroyMethodName(""))
				.run((context) -> context.getBean(DistributedLocks.class).acquire("order:42").close());
			assertThat(shared.getState()).isEqualTo(CuratorFrameworkState.STARTED);
		}
	}

	@Test
	void sessionOfTheApplicationsClientLimitsHowLongALockIsBelievedIn() {
		this.withClientOfTheApplication.run((context) -> {
			try (HeldLock held = context.getBean(DistributedLocks.class).acquire("order:42")) {
				assertThat(held.remaining()).isPositive()
					.isLessThan(Duration.ofMillis(ZooKeeperTestServer.SESSION_MILLIS * 3 / 4));
			}
		});
	}

	@Test
	void locksOfAClientWithAnAclAreItsOwn() {
		ApplicationContextRunner secret = this.runner.withPropertyValues("leasehold.zookeeper.base-path=/secret");
		secret.withBean("own", CuratorFramework.class, this::clientWithAcl).run((context) -> {
			try (HeldLock held = context.getBean(DistributedLocks.class).acquire("order:42")) {
				assertThat(held.isValid()).isTrue();
			}
		});
		secret
			.withBean("own", CuratorFramework.class, () -> ZooKeeperTestServer.connect(this.server.getConnectString()))
			.run((context) -> assertThatExceptionOfType(LockEngineException.class)
				.isThrownBy(() -> context.getBean(DistributedLocks.class).tryAcquire("order:42"))
				.withMessageContaining("NOAUTH at '/secret/leasehold/order:42"));
	}

	private CuratorFramework clientWithAcl() {
		CuratorFramework created = CuratorFrameworkFactory.builder()
			.connectString(this.server.getConnectString())
			.retryPolicy(new RetryForever(100))
			.authorization("digest", "shop:secret".getBytes(StandardCharsets.US_ASCII))
			.aclProvider(new ACLProvider() {
				@Override
				public List<ACL> getDefaultAcl() {
					return Collections.singletonList(new ACL(ZooDefs.Perms.ALL, new Id("auth", "")));
				}

				@Override
				public List<ACL> getAclForPath(String path) {
					return getDefaultAcl();
				}
			})
			.build();
		created.start();
		return created;
	}

	@Test
	void pathsAreBelowTheNodeOfTheConnectString() throws Exception {
		this.client.create().forPath("/app");
		this.runner.withPropertyValues("leasehold.zookeeper.connect-string=" + this.server.getConnectString() + "/app")
			.run((context) -> {
				try (HeldLock held = context.getBean(DistributedLocks.class).acquire("order:42")) {
					assertThat(held.isValid()).isTrue();
					assertThat(this.client.getChildren().forPath("/app/leasehold/leasehold/order:42")).hasSize(1);
				}
			});
	}

	@Test
	void missingNodeOfTheConnectStringIsReported() {
		this.runner
			.withPropertyValues("leasehold.zookeeper.connect-string=" + this.server.getConnectString() + "/nowhere")
			.run((context) -> assertThatExceptionOfType(LockEngineException.class)
				.isThrownBy(() -> context.getBean(DistributedLocks.class).tryAcquire("order:42"))
				.withMessageContaining(
						"no node '/nowhere'. If the connect string names it after the servers, create it"));
	}

	private static ConditionFactory eventually() {
		return Awaitility.await();
	}

	private boolean isFree(String key) {
		Claim claim = new Claim(new LockKey(key), Member.of("elsewhere").newOwner(), LEASE, Duration.ZERO, false,
				System.nanoTime());
		return this.elsewhere.tryAcquire(claim) instanceof AcquisitionOutcome.Granted
				&& this.elsewhere.release(claim) != null;
	}

	private int connections() throws Exception {
		return FourLetterWordMain.send4LetterWord("127.0.0.1", this.server.getPort(), "srvr")
			.lines()
			.filter((line) -> line.startsWith("Connections: "))
			// Not this one
			.mapToInt((line) -> Integer.parseInt(line.substring("Connections: ".length())) - 1)
			.sum();
	}

}
