package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.leasehold.LockKey;
import io.leasehold.engine.Attempt;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.server.ZooKeeperTestServer;
import org.apache.curator.drivers.AdvancedTracerDriver;
import org.apache.curator.drivers.EventTrace;
import org.apache.curator.drivers.OperationTrace;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.leasehold.engine.zookeeper.ZooKeeperEngines.granted;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a lock costs: the requests as the manual counts them.
 */
@Timeout(60)
class ZooKeeperRequestsIntegrationTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final String CREATE = "CreateBuilderImpl-Background";

	private static final String LIST = "GetChildrenBuilderImpl-Background";

	private static final String WRITE = "SetDataBuilderImpl-Background";

	private static final String READ_AND_WATCH = "GetDataBuilderImpl-Background";

	private static final String LOOK = "ExistsBuilderImpl-Background";

	private static final String DELETE = "DeleteBuilderImpl-Background";

	private final ZooKeeperEngines engines = new ZooKeeperEngines();

	private final CuratorFramework client = this.engines.client(ZooKeeperTestServer.shared(), 60_000);

	private final ZooKeeperLockEngine engine = this.engines.engine(this.client);

	private final ConcurrentLinkedQueue<String> requests = new ConcurrentLinkedQueue<>();

	@BeforeEach
	void record() throws Exception {
		this.engines.useOnce(this.engine, KEY);
		this.client.getZookeeperClient().setTracerDriver(new AdvancedTracerDriver() {
			@Override
			public void addTrace(OperationTrace trace) {
				if (trace.getName().endsWith("-Background") && !"/leasehold/faults".equals(trace.getPath())
						|| trace.getName().equals(WRITE)) {
					ZooKeeperRequestsIntegrationTests.this.requests.add(trace.getName());
				}
			}

			@Override
			public void addEvent(EventTrace trace) {
			}
		});
	}

	@AfterEach
	void close() throws Exception {
		this.engines.close();
	}

	@Test
	void uncontendedLockIsACreateAListAndADelete() {
		this.engines.useOnce(this.engine, KEY);
		assertThat(this.requests).containsExactly(CREATE, LIST, DELETE);
	}

	@Test
	void renewalOfThreeLocksIsOneWriteAndThreeReads() {
		List<Renewal> renewals = List.of("a", "b", "c").stream().map(LockKey::new).map((key) -> {
			Claim claim = this.engines.claim(key);
			return new Renewal(claim, granted(this.engine, claim).number(), claim.lease());
		}).toList();
		this.requests.clear();
		assertThat(this.engine.renew(renewals)).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(this.requests).containsExactly(WRITE, LOOK, LOOK, LOOK);
		renewals.forEach((renewal) -> this.engine.release(renewal.claim()));
	}

	/** A list alone may be an old one, of a server that is cut off. */
	@Test
	void turnOfAWaitingClaimIsProvenByAWrite() throws Exception {
		ZooKeeperLockEngine other = this.engines.engine(this.engines.client(ZooKeeperTestServer.shared()));
		Claim first = this.engines.claim(KEY);
		granted(other, first);
		Claim waiting = this.engines.claim(KEY).waiting();
		CountDownLatch turn = new CountDownLatch(1);
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(Attempt.Busy.class);
		this.engine.enqueue(waiting, (signal) -> turn.countDown());
		other.release(first);
		assertThat(turn.await(Duration.ofSeconds(5).toMillis(), TimeUnit.MILLISECONDS)).isTrue();
		granted(this.engine, waiting);
		assertThat(this.requests).containsExactly(CREATE, LIST, READ_AND_WATCH, WRITE, LIST);
		this.engine.release(waiting);
	}

	/** As when it looks before it was told. */
	@Test
	void turnThatIsFoundByAPollIsProvenByAWrite() {
		ZooKeeperLockEngine other = this.engines.engine(this.engines.client(ZooKeeperTestServer.shared()));
		Claim first = this.engines.claim(KEY);
		granted(other, first);
		Claim waiting = this.engines.claim(KEY).waiting();
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(Attempt.Busy.class);
		other.release(first);
		granted(this.engine, waiting);
		assertThat(this.requests).containsExactly(CREATE, LIST, LIST, WRITE, LIST);
		this.engine.release(waiting);
	}

}
