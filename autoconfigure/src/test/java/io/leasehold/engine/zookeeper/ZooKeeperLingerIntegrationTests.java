package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.RevocationListener;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.ZooKeeperTestServer;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Claims;
import io.leasehold.test.contract.Fault;
import org.apache.curator.drivers.AdvancedTracerDriver;
import org.apache.curator.drivers.EventTrace;
import org.apache.curator.drivers.OperationTrace;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static io.leasehold.engine.zookeeper.ZooKeeperEngines.eventually;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.granted;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.renew;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Grants that linger, as ZooKeeper stores and recalls them.
 */
class ZooKeeperLingerIntegrationTests extends ZooKeeperFaultsFixture {

	/** A parked grant stays for three eighths of it. */
	private static final int SESSION = 30_000;

	/** Other tests use the same server. */
	private final LockKey key = new LockKey("linger:" + UUID.randomUUID());

	private final String container = "/leasehold/faults/" + this.key;

	private final FaultProxy proxy = this.engines.open(FaultProxy.to(port()));

	private final CuratorFramework client = this.engines.client(this.proxy, SESSION);

	private final ZooKeeperLockEngine engine = this.engines.patientEngine(this.client);

	private final CuratorFramework otherClient = this.engines.client(ZooKeeperTestServer.shared(), SESSION);

	private final ZooKeeperLockEngine other = this.engines.patientEngine(this.otherClient);

	private final BlockingQueue<Claim> recalled = new LinkedBlockingQueue<>();

	private static int port() {
		return Integer.parseInt(ZooKeeperTestServer.shared().split(":")[1]);
	}

	@BeforeEach
	void record() {
		this.engines.useOnce(this.engine, this.key);
		this.engine.reportRevocations(new RevocationListener() {

			@Override
			public void revoked(long number, Predicate<Claim> claim) {
			}

			@Override
			public void recalled(Claim claim) {
				ZooKeeperLingerIntegrationTests.this.recalled.add(claim);
			}

		});
	}

	@Test
	void nodeTellsThatItsGrantLingersUntilTheFirstRenewal() throws Exception {
		Claim claim = this.engines.lingering(this.key);
		Granted granted = granted(this.engine, claim);
		String node = node();
		assertThat(granted.reserved()).isEqualTo(31);
		assertThat(granted.number()).isEqualTo(this.client.checkExists().forPath(node).getCzxid() * 32);
		assertThat(node).contains(":x~:");
		assertThat(this.client.getData().forPath(node)).asString().startsWith(claim.owner().token());
		assertThat(this.other.inspect(this.key)).singleElement()
			.matches((holder) -> holder.lingers() && holder.reserved() == 31 && holder.number() == granted.number());
		for (int i = 0; i < 2; i++) {
			assertThat(renew(this.engine, claim, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(this.client.checkExists().forPath(node).getVersion()).isOne();
		}
		assertThat(this.other.inspect(this.key)).singleElement()
			.matches((holder) -> !holder.lingers() && holder.reserved() == 31);
		this.engine.release(claim);
		assertThat(this.client.getChildren().forPath(this.container)).isEmpty();
	}

	/** Its node is removed at once, and is enough. */
	@Test
	void requestThatDoesNotWaitRecallsTheGrant() throws Exception {
		Claim claim = this.engines.lingering(this.key);
		Granted granted = granted(this.engine, claim);
		assertThat(requestElsewhere(false).recalled()).isTrue();
		assertThat(this.recalled.poll(1, TimeUnit.MINUTES)).isSameAs(claim);
		assertThat(requestElsewhere(false).recalled()).as("until it is renewed").isTrue();
		renew(this.engine, claim, granted);
		assertThat(requestElsewhere(false).recalled()).isFalse();
		assertThat(this.client.getChildren().forPath(this.container)).hasSize(1);
		assertThat(this.recalled).as("recalled once").isEmpty();
	}

	@Test
	void requestThatWaitsRecallsTheGrant() throws Exception {
		Claim claim = this.engines.lingering(this.key);
		granted(this.engine, claim);
		requestElsewhere(true);
		assertThat(this.recalled.poll(1, TimeUnit.MINUTES)).isSameAs(claim);
	}

	/** The response to its removal follows the event of the watch. */
	@Test
	void releaseOfTheGrantDoesNotRecallIt() {
		Claim claim = this.engines.lingering(this.key);
		granted(this.engine, claim);
		this.engine.release(claim);
		assertThat(this.recalled).isEmpty();
	}

	@Test
	void forcedReleaseRecallsTheGrant() throws Exception {
		Claim claim = this.engines.lingering(this.key);
		granted(this.engine, claim);
		assertThat(this.other.forceRelease(this.key)).hasSize(1);
		assertThat(this.recalled.poll(1, TimeUnit.MINUTES)).isSameAs(claim);
	}

	/** A watch that is set later may miss a node of another process. */
	@Fault(164)
	@Test
	void grantDoesNotLingerIfARequestPrecedesItsWatch() throws Exception {
		AtomicBoolean requested = new AtomicBoolean();
		this.client.getZookeeperClient().setTracerDriver(new AdvancedTracerDriver() {

			@Override
			public void addTrace(OperationTrace trace) {
				if (trace.getName().startsWith("CuratorMultiTransactionImpl") && requested.compareAndSet(false, true)) {
					assertThat(requestElsewhere(false).recalled()).isTrue();
				}
			}

			@Override
			public void addEvent(EventTrace trace) {
			}

		});
		Claim claim = this.engines.lingering(this.key);
		Granted granted = granted(this.engine, claim);
		assertThat(requested).isTrue();
		assertThat(granted.reserved()).isZero();
		assertThat(requestElsewhere(false).recalled()).isFalse();
		assertThat(this.recalled).isEmpty();
		assertThat(renew(this.engine, claim, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	@Test
	void grantDoesNotLingerAfterAWait() {
		Claim held = this.engines.claim(this.key);
		granted(this.other, held);
		Claim claim = Claims.waiting(this.engines.lingering(this.key));
		assertThat(this.engine.tryAcquire(claim)).isInstanceOf(AcquisitionOutcome.Busy.class);
		this.other.release(held);
		assertThat(granted(this.engine, claim).reserved()).isZero();
		assertThat(this.other.inspect(this.key)).singleElement().matches((holder) -> !holder.lingers());
		assertThat(requestElsewhere(false).recalled()).isFalse();
		assertThat(this.recalled).isEmpty();
	}

	@Test
	void grantThatIsRequestedAgainDoesNotLinger() {
		Claim claim = this.engines.lingering(this.key);
		long number = granted(this.engine, claim).number();
		assertThat(granted(this.engine, claim)).matches((again) -> again.number() == number && again.reserved() == 0);
		assertThat(requestElsewhere(false).recalled()).isFalse();
	}

	/** Otherwise a message may be lost. */
	@Fault(164)
	@Test
	void breakOfTheConnectionRecallsTheGrant() throws Exception {
		Claim claim = this.engines.lingering(this.key);
		granted(this.engine, claim);
		assertThat(this.engine.receivesRecalls()).isTrue();
		this.proxy.refuse();
		this.proxy.reset();
		assertThat(this.recalled.poll(1, TimeUnit.MINUTES)).isSameAs(claim);
		eventually().until(() -> this.engine.inDoubt(claim) && !this.engine.receivesRecalls());
		this.proxy.heal();
		eventually().until(this.engine::receivesRecalls);
	}

	/** A parked lock stays for a part of the session, however long it may linger. */
	@Test
	void lockIsParkedThoughItsSessionIsMuchShorterThanTheLingerTime() {
		LockService locks = this.engines.service(this.engine);
		LockOptions options = locks.defaults()
			.toBuilder()
			.lease(Duration.ofHours(2))
			.linger(Duration.ofHours(1))
			.build();
		eventually().until(() -> {
			locks.acquire(this.key.value(), options).close();
			return !locks.inspector().overview().parked().isEmpty();
		});
		try (HeldLock held = this.engines.service(this.other).acquire(this.key.value())) {
			assertThat(held.isValid()).isTrue();
			assertThat(locks.inspector().overview().parked()).isEmpty();
		}
	}

	private AcquisitionOutcome.Busy requestElsewhere(boolean waits) {
		Claim claim = this.engines.claim(this.key);
		return (AcquisitionOutcome.Busy) this.other.tryAcquire(waits ? Claims.waiting(claim) : claim);
	}

	/** Return the path of the only node of the key. */
	private String node() throws Exception {
		List<String> names = this.client.getChildren().forPath(this.container);
		assertThat(names).hasSize(1);
		return this.container + "/" + names.get(0);
	}

}
