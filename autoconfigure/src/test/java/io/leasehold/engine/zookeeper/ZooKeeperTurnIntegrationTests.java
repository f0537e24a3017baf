package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ManualClock;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.RenewalRule;
import io.leasehold.engine.Signal;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.ZooKeeperTestServer;
import io.leasehold.test.contract.Claims;
import io.leasehold.test.contract.Fault;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.leasehold.engine.zookeeper.ZooKeeperEngines.CREATE;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.LIST;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.LIST_AND_WATCH;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.WRITE;
import static io.leasehold.engine.zookeeper.ZooKeeperEngines.granted;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * How the turn of a waiting claim is proven, and the requests for that. The clock moves
 * only when a test moves it.
 */
@Tag("full")
class ZooKeeperTurnIntegrationTests {

	private static final int SESSION = 60_000;

	private static final Duration VALID = RenewalRule.longestLease(Duration.ofMillis(SESSION));

	/** The age from which a write proves nothing. */
	private static final Duration OLD = Duration.ofSeconds(1);

	private final LockKey key = new LockKey("turns:" + UUID.randomUUID());

	private final ManualClock clock = new ManualClock();

	private final ZooKeeperEngines engines = new ZooKeeperEngines();

	private final CuratorFramework client = this.engines.client(ZooKeeperTestServer.shared(), SESSION);

	private final ZooKeeperLockEngine engine = this.engines.engine(this.client, this.clock);

	private final ZooKeeperLockEngine other = this.engines
		.patientEngine(this.engines.client(ZooKeeperTestServer.shared(), SESSION));

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

	/** The creation of its node proves the session, and its grant counts from that. */
	@ParameterizedTest
	@ValueSource(strings = { "x", "s" })
	void turnSoonAfterAWriteIsGrantedWithoutARequest(String access) throws Exception {
		Claim first = heldElsewhere("x");
		Claim waiting = Claims.waiting(this.engines.claim(this.key, access));
		long created = this.clock.nanoTime();
		BlockingQueue<Signal> signals = busy(waiting);
		this.clock.advance(OLD.minusNanos(1));
		this.other.release(first);
		Granted granted = pushed(signals);
		assertThat(granted.validUntil()).isEqualTo(MonotonicClock.validUntil(created, VALID));
		assertThat(this.requests).containsExactly(CREATE, LIST, LIST_AND_WATCH);
		assertThat(this.engine.inDoubt(waiting)).isFalse();
		assertThat(this.engine.inspect(this.key)).singleElement()
			.satisfies((holder) -> assertThat(holder.number()).isEqualTo(granted.number()));
		assertThat(ZooKeeperEngines.renew(this.engine, waiting, granted)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.engine.release(waiting)).isInstanceOf(ReleaseOutcome.Released.class);
		assertThat(this.engine.inspect(this.key)).isEmpty();
	}

	/**
	 * However many wait: a waiter behind others is notified of its predecessor alone. A
	 * list alone may be an old one, of a server that is cut off.
	 */
	@Fault(66)
	@ParameterizedTest
	@ValueSource(strings = { "x", "s", "2" })
	void turnOfAWaitingClaimIsProvenByAWrite(String access) throws Exception {
		Claim first = heldElsewhere("x");
		Claim waiting = Claims.waiting(this.engines.claim(this.key, access));
		BlockingQueue<Signal> signals = busy(waiting);
		for (int i = 0; i < 200; i++) {
			waitElsewhere("x");
		}
		this.clock.advance(OLD);
		this.other.release(first);
		retried(signals);
		granted(this.engine, waiting);
		assertThat(this.requests).containsExactly(CREATE, LIST, LIST_AND_WATCH, WRITE, LIST);
		this.engine.release(waiting);
	}

	/** Others see by the write that the permit, or the lingering grant, is held. */
	@Test
	void turnThatOthersHaveToSeeIsAWriteAtAnyTime() throws Exception {
		for (Claim waiting : new Claim[] { Claims.waiting(this.engines.claim(this.key, "2")),
				Claims.waiting(this.engines.lingering(this.key)) }) {
			Claim first = heldElsewhere("x");
			BlockingQueue<Signal> signals = busy(waiting);
			this.requests.clear();
			this.other.release(first);
			retried(signals);
			granted(this.engine, waiting);
			assertThat(this.requests).endsWith(WRITE, LIST);
			this.engine.release(waiting);
		}
	}

	/** A node between the holder and the claim may be removed before the holder's. */
	@Test
	void turnBehindAnotherWaiterSoonAfterAWriteIsOneList() throws Exception {
		Claim first = heldElsewhere("x");
		Claim second = waitElsewhere("x");
		Claim waiting = Claims.waiting(this.engines.claim(this.key));
		BlockingQueue<Signal> signals = busy(waiting);
		this.other.release(second);
		retried(signals);
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(AcquisitionOutcome.Busy.class);
		this.other.release(first);
		Granted granted = pushed(signals);
		assertThat(granted(this.engine, waiting).number()).isEqualTo(granted.number());
		assertThat(this.requests.stream().filter(WRITE::equals)).isEmpty();
		this.engine.release(waiting);
	}

	/** The last reader may go before the others do. */
	@Test
	void writerWritesNothingBeforeItsTurn() throws Exception {
		Claim first = heldElsewhere("s");
		Claim second = heldElsewhere("s");
		Claim waiting = Claims.waiting(this.engines.claim(this.key, "x"));
		BlockingQueue<Signal> signals = busy(waiting);
		this.other.release(second);
		retried(signals);
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(AcquisitionOutcome.Busy.class);
		this.clock.advance(OLD);
		this.other.release(first);
		retried(signals);
		granted(this.engine, waiting);
		assertThat(this.requests).containsExactly(CREATE, LIST, LIST_AND_WATCH, LIST, LIST_AND_WATCH, WRITE, LIST);
		this.engine.release(waiting);
	}

	/** As when it polls before it is notified. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void turnThatIsFoundByAPollIsProvenByAWrite(boolean soon) {
		Claim first = heldElsewhere("x");
		Claim waiting = Claims.waiting(this.engines.claim(this.key, "x"));
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(AcquisitionOutcome.Busy.class);
		this.clock.advance(soon ? Duration.ZERO : OLD);
		this.other.release(first);
		granted(this.engine, waiting);
		if (soon) {
			assertThat(this.requests).containsExactly(CREATE, LIST, LIST);
		}
		else {
			assertThat(this.requests).containsExactly(CREATE, LIST, LIST, WRITE, LIST);
		}
		this.engine.release(waiting);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void turnBeforeTheWatchIsProvenByAWrite(boolean soon) throws Exception {
		Claim first = heldElsewhere("x");
		Claim waiting = Claims.waiting(this.engines.claim(this.key, "x"));
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(AcquisitionOutcome.Busy.class);
		this.clock.advance(soon ? Duration.ZERO : OLD);
		this.other.release(first);
		BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
		this.engine.subscribe(waiting, signals::add);
		if (soon) {
			pushed(signals);
			assertThat(this.requests).containsExactly(CREATE, LIST, LIST_AND_WATCH);
		}
		else {
			retried(signals);
			granted(this.engine, waiting);
			assertThat(this.requests).containsExactly(CREATE, LIST, LIST_AND_WATCH, WRITE, LIST);
		}
		this.engine.release(waiting);
	}

	/** The clock stood still while the machine was suspended, the session went on. */
	@Test
	void writeBeforeTheMachineWasSuspendedProvesNothing() throws Exception {
		Claim first = heldElsewhere("x");
		Claim waiting = Claims.waiting(this.engines.claim(this.key));
		BlockingQueue<Signal> signals = busy(waiting);
		this.clock.suspend(OLD);
		this.other.release(first);
		retried(signals);
		granted(this.engine, waiting);
		assertThat(this.requests).containsExactly(CREATE, LIST, LIST_AND_WATCH, WRITE, LIST);
		this.engine.release(waiting);
	}

	/** The claim was given up when its turn came. */
	@Test
	void claimThatHasEndedIsNotGranted() throws Exception {
		Claim first = heldElsewhere("x");
		Claim waiting = Claims.waiting(this.engines.claim(this.key));
		BlockingQueue<Signal> signals = busy(waiting);
		this.engine.release(waiting);
		this.other.release(first);
		Claim last = this.engines.claim(this.key);
		granted(this.engine, last);
		assertThat(signals).isEmpty();
		this.engine.release(last);
	}

	/** Its new session has proven nothing yet, and the node of the former one is gone. */
	@Test
	void writeOfAFormerSessionProvesNothing() throws Exception {
		Claim first = heldElsewhere("x");
		Claim waiting = Claims.waiting(this.engines.claim(this.key));
		BlockingQueue<Signal> signals = busy(waiting);
		this.client.getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
		this.other.release(first);
		retried(signals);
		ZooKeeperEngines.eventually()
			.ignoreExceptions()
			.until(() -> this.engine.tryAcquire(waiting) instanceof Granted);
		assertThat(this.engine.inspect(this.key)).hasSize(1);
		assertThat(signals).doesNotHaveAnyElementsOfTypes(Signal.Pushed.class);
		this.engine.release(waiting);
	}

	/** The turn comes while the connection is broken, and the session goes on. */
	@Test
	void writeThroughAFormerConnectionProvesNothing() throws Exception {
		TestingServer server = this.engines.server();
		FaultProxy proxy = this.engines.proxy(server);
		CuratorFramework broken = this.engines.client(proxy, SESSION);
		ZooKeeperLockEngine waiter = this.engines.engine(broken, this.clock);
		ZooKeeperLockEngine holder = this.engines.patientEngine(this.engines.client(server.getConnectString()));
		this.engines.useOnce(waiter, this.key);
		Claim first = this.engines.claim(this.key);
		granted(holder, first);
		Claim waiting = Claims.waiting(this.engines.claim(this.key));
		assertThat(waiter.tryAcquire(waiting)).isInstanceOf(AcquisitionOutcome.Busy.class);
		BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
		waiter.subscribe(waiting, signals::add);
		proxy.refuse();
		proxy.reset();
		holder.release(first);
		Queue<String> repeated = this.engines.requests(broken);
		proxy.heal();
		retried(signals);
		granted(waiter, waiting);
		assertThat(repeated).contains(WRITE);
		assertThat(signals).doesNotHaveAnyElementsOfTypes(Signal.Pushed.class);
		waiter.release(waiting);
	}

	private Claim heldElsewhere(String access) {
		Claim claim = this.engines.claim(this.key, access);
		granted(this.other, claim);
		return claim;
	}

	private Claim waitElsewhere(String access) {
		Claim claim = Claims.waiting(this.engines.claim(this.key, access));
		assertThat(this.other.tryAcquire(claim)).isInstanceOf(AcquisitionOutcome.Busy.class);
		return claim;
	}

	private BlockingQueue<Signal> busy(Claim claim) {
		BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
		assertThat(this.engine.tryAcquire(claim)).isInstanceOf(AcquisitionOutcome.Busy.class);
		this.engine.subscribe(claim, signals::add);
		return signals;
	}

	private static Granted pushed(BlockingQueue<Signal> signals) throws InterruptedException {
		Signal signal = signals.poll(1, TimeUnit.MINUTES);
		assertThat(signal).isInstanceOf(Signal.Pushed.class);
		return ((Signal.Pushed) signal).grant();
	}

	private static void retried(BlockingQueue<Signal> signals) throws InterruptedException {
		assertThat(signals.poll(1, TimeUnit.MINUTES)).isEqualTo(new Signal.Retry());
	}

}
