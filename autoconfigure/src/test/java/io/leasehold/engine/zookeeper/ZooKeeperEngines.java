package io.leasehold.engine.zookeeper;

import io.leasehold.LockEngineException;
import io.leasehold.test.contract.Terms;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.ZooKeeperTestServer;
import io.leasehold.service.LockService;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.test.contract.TestSettings;
import org.apache.curator.drivers.AdvancedTracerDriver;
import org.apache.curator.drivers.EventTrace;
import org.apache.curator.drivers.OperationTrace;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Servers, clients, engines and services of one test, all closed at its end.
 */
final class ZooKeeperEngines {

	/** Names of recorded requests. */
	static final String CREATE = "CuratorMultiTransactionImpl-Background";

	static final String LIST = "GetChildrenBuilderImpl-Background";

	static final String WRITE = "SetDataBuilderImpl-Background";

	static final String LIST_AND_WATCH = LIST + " and watch";

	static final String READ_AND_WATCH = "GetDataBuilderImpl-Background and watch";

	static final String LOOK = "ExistsBuilderImpl-Background";

	static final String DELETE = "DeleteBuilderImpl-Background";

	/** Long enough for a break of the connection. */
	static final int LONG_SESSION = 20_000;

	private final List<AutoCloseable> opened = new ArrayList<>();

	private final Member member = Member.of("faults");

	final List<LockEvent> events = new CopyOnWriteArrayList<>();

	TestingServer server() {
		return open(ZooKeeperTestServer.start());
	}

	FaultProxy proxy(TestingServer server) {
		return open(FaultProxy.to(server.getPort()));
	}

	CuratorFramework client(String connectString) {
		return client(connectString, LONG_SESSION);
	}

	/** The first connection on a loaded machine may take longer than a call. */
	CuratorFramework client(String connectString, int sessionMillis) {
		CuratorFramework client = open(ZooKeeperTestServer.connect(connectString, sessionMillis));
		try {
			client.blockUntilConnected(1, TimeUnit.MINUTES);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		return client;
	}

	CuratorFramework client(FaultProxy proxy, int sessionMillis) {
		return client("127.0.0.1:" + proxy.port(), sessionMillis);
	}

	ZooKeeperLockEngine engine(CuratorFramework client) {
		return engine(client, Duration.ofSeconds(1));
	}

	/** Open an engine whose healthy server may be slow. */
	ZooKeeperLockEngine patientEngine(CuratorFramework client) {
		return engine(client, Duration.ofSeconds(1), Duration.ofSeconds(20));
	}

	ZooKeeperLockEngine engine(CuratorFramework client, Duration pollInterval) {
		return engine(client, pollInterval, Duration.ofSeconds(4));
	}

	ZooKeeperLockEngine engine(CuratorFramework client, Duration pollInterval, Duration callTimeout) {
		return engine(client, pollInterval, callTimeout, MonotonicClock.SYSTEM);
	}

	/** Open a patient engine whose leases and writes age with a clock of the test. */
	ZooKeeperLockEngine engine(CuratorFramework client, MonotonicClock clock) {
		return engine(client, Duration.ofSeconds(1), Duration.ofSeconds(20), clock);
	}

	private ZooKeeperLockEngine engine(CuratorFramework client, Duration pollInterval, Duration callTimeout,
			MonotonicClock clock) {
		return open(ZooKeeperLockEngine.using(client,
				new ZooKeeperSettings("faults", "/leasehold", callTimeout, pollInterval), clock));
	}

	LockService service(ZooKeeperLockEngine engine) {
		LockOptions defaults = new LockOptions("faults", engine.name(), Duration.ofSeconds(60), Duration.ofSeconds(30),
				Duration.ZERO, LockOptions.UNLIMITED);
		return open(new LockService(TestSettings.of(defaults), List.of(engine), this.member, MonotonicClock.SYSTEM,
				List.of(this.events::add), ReleaseTiming.IMMEDIATE));
	}

	Claim claim(LockKey key) {
		return claim(key, Access.EXCLUSIVE.code());
	}

	/** A claim with a lease that outlasts every session of a test. */
	Claim claim(LockKey key, String access) {
		return claim(key, Access.parse(access), Duration.ofSeconds(60));
	}

	/** A claim whose grant should linger. */
	Claim lingering(LockKey key) {
		Claim claim = claim(key);
		return new Claim(key, claim.owner(), claim.terms(), false, claim.since(), true);
	}

	Claim claim(LockKey key, Duration lease) {
		return claim(key, Access.EXCLUSIVE, lease);
	}

	private Claim claim(LockKey key, Access access, Duration lease) {
		return new Claim(key, this.member.newOwner(), Terms.of(access, lease, Duration.ZERO, Duration.ZERO), false,
				System.nanoTime());
	}

	/** Record the requests of a client from now on, without reads of the namespace. */
	Queue<String> requests(CuratorFramework client) {
		Queue<String> requests = new ConcurrentLinkedQueue<>();
		client.getZookeeperClient().setTracerDriver(new AdvancedTracerDriver() {
			@Override
			public void addTrace(OperationTrace trace) {
				if (trace.getName().endsWith("-Background") && !"/leasehold/faults".equals(trace.getPath())
						|| trace.getName().equals(WRITE)) {
					requests.add(trace.getName() + (trace.isWithWatcher() ? " and watch" : ""));
				}
			}

			@Override
			public void addEvent(EventTrace trace) {
			}
		});
		return requests;
	}

	/** Connects, and makes the containers. */
	void useOnce(ZooKeeperLockEngine engine, LockKey key) {
		Claim claim = claim(key);
		granted(engine, claim);
		engine.release(claim);
	}

	<T extends AutoCloseable> T open(T resource) {
		this.opened.add(resource);
		return resource;
	}

	/** Acquire a lock that is free. On a busy machine, requests may have no response. */
	static Granted granted(ZooKeeperLockEngine engine, Claim claim) {
		AcquisitionOutcome attempt = eventually().ignoreExceptionsInstanceOf(LockEngineException.class)
			.until(() -> engine.tryAcquire(claim), (outcome) -> true);
		assertThat(attempt).isInstanceOf(Granted.class);
		return (Granted) attempt;
	}

	static RenewalOutcome renew(ZooKeeperLockEngine engine, Claim claim, Granted granted) {
		return engine.renew(List.of(new Renewal(claim, granted.number(), claim.lease()))).get(0);
	}

	/** Wait for less than a long session, whose end would remove its nodes. */
	static ConditionFactory eventually() {
		return Awaitility.await().atMost(Duration.ofSeconds(18)).pollInterval(Duration.ofMillis(10));
	}

	void close() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

}
