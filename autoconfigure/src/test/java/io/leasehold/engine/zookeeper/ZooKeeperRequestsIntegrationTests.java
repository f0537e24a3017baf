package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.server.ZooKeeperTestServer;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Claims;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.leasehold.engine.zookeeper.ZooKeeperEngines.CREATE;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.DELETE;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.LIST;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.LIST_AND_WATCH;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.LOOK;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.READ_AND_WATCH;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.WRITE;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.eventually;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.granted;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a lock costs: the requests as the manual counts them.
 */
@Tag("full")
class ZooKeeperRequestsIntegrationTests {

	/** Other tests use the same server, and may leave nodes when they fail. */
	private final LockKey key = new LockKey("requests:" + UUID.randomUUID());

	private final String container = "/leasehold/faults/" + this.key;

	private final ZooKeeperEngines engines = new ZooKeeperEngines();

	private final CuratorFramework client = this.engines.client(ZooKeeperTestServer.shared(), 60_000);

	private final ZooKeeperLockEngine engine = this.engines.patientEngine(this.client);

	private final ZooKeeperLockEngine other = this.engines
		.patientEngine(this.engines.client(ZooKeeperTestServer.shared(), 60_000));

	private Queue<String> requests = new ConcurrentLinkedQueue<>();

	@BeforeEach
	void record() throws Exception {
		this.engines.useOnce(this.engine, this.key);
		this.requests = this.engines.requests(this.client);
	}

	@AfterEach
	void close() throws Exception {
		this.engines.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "x", "s", "2" })
	void uncontendedLockIsACreateAndADelete(String access) {
		Claim claim = this.engines.claim(this.key, access);
		granted(this.engine, claim);
		this.engine.release(claim);
		assertThat(this.requests).containsExactly(CREATE, DELETE);
	}

	@ParameterizedTest
	@ValueSource(strings = { "s", "2" })
	void lockBesideOthersIsACreateAListAndADelete(String access) {
		Claim held = heldElsewhere(access);
		Claim claim = this.engines.claim(this.key, access);
		granted(this.engine, claim);
		this.engine.release(claim);
		assertThat(this.requests).containsExactly(CREATE, LIST, DELETE);
		this.other.release(held);
	}

	@Test
	void firstUseOfAKeyIsACreateAndADelete() {
		Claim claim = this.engines.claim(other("2"));
		granted(this.engine, claim);
		this.engine.release(claim);
		assertThat(this.requests).containsExactly(CREATE, DELETE);
	}

	/** The list sets the watch by which the grant is recalled. */
	@Test
	void lockThatLingersIsACreateAListAndADelete() {
		Claim claim = this.engines.lingering(this.key);
		granted(this.engine, claim);
		this.engine.release(claim);
		assertThat(this.requests).containsExactly(CREATE, LIST_AND_WATCH, DELETE);
	}

	/** Two grants at least, each with tokens for 2,048 calls. */
	@Test
	void thousandsOfCallsOfALockThatLingersAreAFewRequests() {
		LockService locks = this.engines.service(this.engine);
		LockOptions options = locks.defaults().toBuilder().linger(Duration.ofHours(1)).build();
		eventually().until(() -> {
			locks.acquire(this.key.value(), options).close();
			return !locks.inspector().overview().parked().isEmpty();
		});
		this.requests.clear();
		for (int i = 0; i < 4_096; i++) {
			locks.acquire(this.key.value(), options).close();
		}
		assertThat(this.requests).hasSizeBetween(6, 12).containsOnly(CREATE, LIST_AND_WATCH, DELETE);
	}

	@Test
	void requestBehindALockThatLingersIsOneMoreReadUnlessItWaits() {
		Claim held = this.engines.lingering(this.key);
		granted(this.other, held);
		assertThat(this.engine.tryAcquire(this.engines.claim(this.key))).isInstanceOf(AcquisitionOutcome.Busy.class);
		assertThat(this.requests).containsExactly(CREATE, LIST, LOOK, DELETE);
		this.requests.clear();
		Claim waiting = Claims.waiting(this.engines.claim(this.key));
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(AcquisitionOutcome.Busy.class);
		assertThat(this.requests).containsExactly(CREATE, LIST);
		this.engine.release(waiting);
		this.other.release(held);
	}

	@Test
	void requestThatWouldLingerIsACreateAListAndADeleteIfTheKeyIsBusy() {
		Claim held = heldElsewhere("x");
		assertThat(this.engine.tryAcquire(this.engines.lingering(this.key)))
			.isInstanceOf(AcquisitionOutcome.Busy.class);
		assertThat(this.requests).containsExactly(CREATE, LIST_AND_WATCH, DELETE);
		this.other.release(held);
	}

	/** The write shows others that the lock lingers no more. */
	@Test
	void firstRenewalOfALockThatLingersIsTwoWrites() {
		Claim claim = this.engines.lingering(this.key);
		List<Renewal> renewals = List.of(new Renewal(claim, granted(this.engine, claim).number(), claim.lease()));
		this.requests.clear();
		for (int i = 0; i < 2; i++) {
			assertThat(this.engine.renew(renewals)).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		}
		assertThat(this.requests).containsExactly(WRITE, WRITE, WRITE, LOOK);
		this.engine.release(claim);
	}

	@Test
	void keyThatOnlyOthersHaveUsedIsOneMoreCreate() {
		LockKey key = other("2");
		this.engines.useOnce(this.other, key);
		granted(this.engine, this.engines.claim(key));
		assertThat(this.requests).containsExactly(CREATE, CREATE);
	}

	@Test
	void keyWhoseContainerIsGoneIsOneMoreCreate() throws Exception {
		this.client.delete().forPath(this.container);
		granted(this.engine, this.engines.claim(this.key));
		assertThat(this.requests).containsExactly(CREATE, CREATE);
	}

	@Test
	void renewalOfThreeLocksIsOneWriteAndThreeReads() {
		List<Renewal> renewals = Stream.of("a", "b", "c").map(this::other).map((key) -> {
			Claim claim = this.engines.claim(key);
			return new Renewal(claim, granted(this.engine, claim).number(), claim.lease());
		}).toList();
		this.requests.clear();
		assertThat(this.engine.renew(renewals)).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(this.requests).containsExactly(WRITE, LOOK, LOOK, LOOK);
		renewals.forEach((renewal) -> this.engine.release(renewal.claim()));
	}

	/** Any of the holders may be the first to go. */
	@Test
	void firstToWaitForAPermitWatchesAllHolders() throws Exception {
		Claim first = heldElsewhere("2");
		Claim second = heldElsewhere("2");
		Claim waiting = Claims.waiting(this.engines.claim(this.key, "2"));
		BlockingQueue<Signal> signals = busy(waiting);
		this.other.release(first);
		received(signals);
		granted(this.engine, waiting);
		assertThat(this.requests).containsExactly(CREATE, LIST, LIST_AND_WATCH, LIST, WRITE, LIST);
		this.engine.release(waiting);
		this.other.release(second);
	}

	/** However many they are, a release wakes one. */
	@Test
	void nextToWaitForAPermitWatchesTheOneBefore() throws Exception {
		Claim first = heldElsewhere("2");
		heldElsewhere("2");
		Claim next = Claims.waiting(this.engines.claim(this.key, "2"));
		assertThat(this.other.tryAcquire(next)).isInstanceOf(AcquisitionOutcome.Busy.class);
		Claim waiting = Claims.waiting(this.engines.claim(this.key, "2"));
		BlockingQueue<Signal> signals = busy(waiting);
		this.other.release(first);
		assertThat(signals.poll(200, TimeUnit.MILLISECONDS)).isNull();
		granted(this.other, next);
		received(signals);
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(AcquisitionOutcome.Busy.class);
		eventually().untilAsserted(
				() -> assertThat(this.requests).containsExactly(CREATE, LIST, READ_AND_WATCH, LIST, LIST_AND_WATCH));
	}

	/** Between the creation of its node and its first list others may come and go. */
	@Test
	void firstGrantIsReportedToAMemberThatMayHaveSeenItWait() throws Exception {
		String behind = this.container + "/behind:2:" + Integer.MAX_VALUE;
		this.client.create().withMode(CreateMode.EPHEMERAL).forPath(behind);
		Claim claim = this.engines.claim(this.key, "2");
		granted(this.engine, claim);
		assertThat(this.requests).containsExactly(CREATE, LIST, WRITE, LIST);
		this.engine.release(claim);
		this.client.delete().forPath(behind);
	}

	/** Its successor would otherwise be notified of its write, and not of its grant. */
	@Test
	void permitIsNotWrittenBeforeItIsGranted() throws Exception {
		heldElsewhere("2");
		heldElsewhere("2");
		Claim vain = Claims.waiting(this.engines.claim(this.key));
		assertThat(this.other.tryAcquire(vain)).isInstanceOf(AcquisitionOutcome.Busy.class);
		Claim waiting = Claims.waiting(this.engines.claim(this.key, "2"));
		BlockingQueue<Signal> signals = busy(waiting);
		this.other.release(vain);
		received(signals);
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(AcquisitionOutcome.Busy.class);
		eventually().untilAsserted(
				() -> assertThat(this.requests).containsExactly(CREATE, LIST, LIST_AND_WATCH, LIST, LIST_AND_WATCH));
	}

	@Test
	void nodeThatAnOperatorHasWrittenIsWatchedOn() throws Exception {
		heldElsewhere("2");
		heldElsewhere("2");
		assertThat(this.other.tryAcquire(Claims.waiting(this.engines.claim(this.key, "2"))))
			.isInstanceOf(AcquisitionOutcome.Busy.class);
		for (String name : this.client.getChildren().forPath(this.container)) {
			this.client.setData().forPath(this.container + "/" + name, new byte[0]);
		}
		this.requests.clear();
		BlockingQueue<Signal> signals = busy(Claims.waiting(this.engines.claim(this.key, "2")));
		assertThat(signals.poll(200, TimeUnit.MILLISECONDS)).isNull();
		eventually().untilAsserted(() -> assertThat(this.requests).containsExactly(CREATE, LIST, READ_AND_WATCH, LIST));
	}

	@Test
	void contradictionIsACreateAListAndADelete() {
		Claim held = heldElsewhere("2");
		assertThat(this.engine.tryAcquire(Claims.waiting(this.engines.claim(this.key, "3"))))
			.isEqualTo(new AcquisitionOutcome.Contradicted(Access.permits(2)));
		assertThat(this.requests).containsExactly(CREATE, LIST, DELETE);
		this.other.release(held);
	}

	private LockKey other(String name) {
		return new LockKey(this.key + ":" + name);
	}

	private Claim heldElsewhere(String access) {
		Claim claim = this.engines.claim(this.key, access);
		granted(this.other, claim);
		return claim;
	}

	private BlockingQueue<Signal> busy(Claim claim) {
		BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
		assertThat(this.engine.tryAcquire(claim)).isInstanceOf(AcquisitionOutcome.Busy.class);
		this.engine.subscribe(claim, signals::add);
		eventually().until(() -> this.requests.stream().anyMatch((request) -> request.endsWith(" and watch")));
		return signals;
	}

	private static void received(BlockingQueue<Signal> signals) throws InterruptedException {
		assertThat(signals.poll(1, TimeUnit.MINUTES)).isNotNull();
	}

}
