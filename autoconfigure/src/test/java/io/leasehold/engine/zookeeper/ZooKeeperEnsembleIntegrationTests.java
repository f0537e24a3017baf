package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;

import io.leasehold.HeldLock;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.server.ZooKeeperTestServer;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import io.leasehold.test.contract.ParkedLocks;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.leasehold.engine.zookeeper.ZooKeeperEngines.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An ensemble of three servers that loses its leader, by which a lock is kept, and two of
 * them, by which it is lost when its session would be.
 */
@Tag("full")
@Fault(33)
class ZooKeeperEnsembleIntegrationTests {

	/** A key that was busy on a slow machine pauses for as long. */
	private static final Duration LINGER = Duration.ofSeconds(20);

	private final ZooKeeperEngines engines = new ZooKeeperEngines();

	private final List<InstanceSpec> specs = Stream.generate(ZooKeeperTestServer::spec).limit(3).toList();

	private final TestingCluster cluster = this.engines.open(new TestingCluster(this.specs));

	@BeforeEach
	void start() throws Exception {
		this.cluster.start();
	}

	@AfterEach
	void close() throws Exception {
		this.engines.close();
	}

	@Test
	void lockSurvivesTheLossOfTheLeader() throws Exception {
		HeldLock held = service(ZooKeeperEngines.LONG_SESSION).acquire("order:42");
		InstanceSpec leader = this.specs.stream().filter(this::leads).findAny().orElseThrow();
		// The next leader may be there before this one has ended
		FutureTask<Boolean> killing = new FutureTask<>(() -> this.cluster.killServer(leader));
		new Thread(killing).start();
		eventually().until(() -> !held.isValid());
		assertThat(killing.get()).isTrue();
		eventually().until(held::isValid);
		LockService other = service(ZooKeeperEngines.LONG_SESSION);
		assertThat(other.tryAcquire("order:42")).isEmpty();
		held.close();
		try (HeldLock next = other.acquire("order:42")) {
			assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		}
	}

	/** The break of the connection is a recall, so the lock is released. */
	@Fault(167)
	@Test
	void parkedLockIsReleasedAfterTheLossOfTheLeader() throws Exception {
		LockService keeper = service(ZooKeeperEngines.LONG_SESSION);
		LockOptions lingering = keeper.defaults().toBuilder().linger(LINGER).build();
		long parked = ParkedLocks.park(keeper, "order:42", lingering);
		this.cluster.killServer(this.specs.stream().filter(this::leads).findAny().orElseThrow());
		eventually().until(() -> ParkedLocks.of(keeper).isEmpty());
		try (HeldLock next = service(ZooKeeperEngines.LONG_SESSION).acquire("order:42")) {
			assertThat(next.fencingToken()).isGreaterThan(parked + ParkedLocks.TOKENS);
			assertThat(next.isValid()).isTrue();
		}
	}

	@Test
	void lockIsLostWithinTheSessionTimeoutWithoutAQuorum() throws Exception {
		HeldLock held = service(ZooKeeperTestServer.SESSION_MILLIS).acquire("order:42");
		this.cluster.killServer(this.specs.get(0));
		this.cluster.killServer(this.specs.get(1));
		Pace broken = Pace.begin();
		assertThat(held.remaining()).isLessThan(Duration.ofMillis(ZooKeeperTestServer.SESSION_MILLIS));
		eventually().until(() -> held.remaining().isZero());
		assertThat(broken.elapsed()).isLessThan(
				Duration.ofMillis(ZooKeeperTestServer.SESSION_MILLIS).plus(broken.slack(Duration.ofSeconds(1))));
		assertThat(held.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.satisfies((ex) -> assertThat(ex.getLossCause()).isEqualTo(LossCause.EXPIRED));
	}

	private LockService service(int sessionMillis) {
		return this.engines
			.service(this.engines.engine(this.engines.client(this.cluster.getConnectString(), sessionMillis)));
	}

	private boolean leads(InstanceSpec spec) {
		try {
			return FourLetterWordMain.send4LetterWord("127.0.0.1", spec.getPort(), "srvr").contains("Mode: leader");
		}
		catch (Exception ex) {
			return false; // is down
		}
	}

}
