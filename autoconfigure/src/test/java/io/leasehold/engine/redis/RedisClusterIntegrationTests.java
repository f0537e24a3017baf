package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.RedisTestCluster;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import io.lettuce.core.cluster.SlotHash;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks spread over the masters of a cluster, whose slots move and whose masters fail.
 * The test that stops a master comes last.
 */
@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RedisClusterIntegrationTests {

	private static RedisTestCluster cluster;

	private final RedisEngines engines = RedisEngines.patient(cluster.ports().get(0));

	private final TestMember a = this.engines.warm(RedisOpener.clusterAt(cluster.ports()));

	private final TestMember b = this.engines.warm(RedisOpener.clusterAt(cluster.ports()));

	private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();

	@BeforeAll
	static void start() {
		cluster = RedisTestCluster.start();
	}

	@AfterAll
	static void stop() {
		cluster.close();
	}

	@AfterEach
	void close() {
		// A grant that comes by a message is released after the response to a poll in
		// flight
		await().until(() -> this.a.engine().liveClaims() == 0 && this.b.engine().liveClaims() == 0);
		this.engines.close();
	}

	/** The first key of a series whose lock is on the given master. */
	private String keyOn(int master) {
		return IntStream.iterate(0, (i) -> i + 1)
			.mapToObj((i) -> "key:" + i)
			.filter((key) -> cluster.masterOf(lock(key)) == master)
			.findFirst()
			.orElseThrow();
	}

	private String lock(String key) {
		return this.engines.keys(key).lock();
	}

	@Test
	void locksAreOnTheMastersOfTheirSlots() {
		for (int master = 0; master < 3; master++) {
			Claim claim = this.a.claim(keyOn(master));
			this.a.granted(claim);
			assertThat(cluster.operator(master).exists(lock(keyOn(master)))).isOne();
			assertThat(this.a.engine().inspect(claim.key())).isNotEmpty();
			assertThat(this.a.engine().forceRelease(claim.key())).isNotEmpty();
			assertThat(this.a.engine().release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		}
	}

	/** All keys of a lock are in one slot, whatever braces the lock's own key has. */
	@Fault(25)
	@Test
	void keysOfALockShareASlotWhateverItsText() {
		for (String key : List.of("}", "{", "{}", "{}x", "}{", "a}b{c", "%7D", " x")) {
			RedisKeys keys = this.engines.keys(key);
			assertThat(List.of(keys.all())).extracting((name) -> cluster.operator(0).clusterKeyslot(name))
				.containsOnly((long) SlotHash.getSlot(keys.lock()));
			Claim claim = this.a.claim(key);
			this.a.granted(claim);
			assertThat(this.a.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
		}
	}

	@Test
	void grantIsPushedFromEveryMaster() throws Exception {
		for (int master = 0; master < 3; master++) {
			Claim first = this.a.claim(keyOn(master));
			this.a.granted(first);
			Claim second = this.b.waiting(keyOn(master));
			assertThat(this.b.engine().tryAcquire(second)).isInstanceOf(AcquisitionOutcome.Busy.class);
			this.b.engine().subscribe(second, this.signals::add);
			this.a.engine().release(first);
			assertThat(this.signals.poll(1, TimeUnit.MINUTES)).isInstanceOf(Signal.Pushed.class);
			assertThat(this.b.engine().release(second)).isEqualTo(ReleaseOutcome.RELEASED);
		}
	}

	/**
	 * A slot has moved (MOVED): renewals and requests go to its new master, and the lock
	 * is where it was.
	 */
	@Fault({ 16, 24 })
	@Test
	void requestFollowsASlotThatHasMoved() throws Exception {
		String key = keyOn(1);
		Claim claim = this.a.claim(key);
		long number = this.a.granted(claim);
		CompletableFuture<HeldLock> waiting = waits(key);
		soon(() -> cluster.operator(1).exists(this.engines.keys(key).queue()) == 1);
		move(key, 1, 2);
		assertThat(this.a.renew(claim, number)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.a.engine().tryAcquire(this.a.claim(key))).isInstanceOf(AcquisitionOutcome.Busy.class);
		assertThat(this.a.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
		waiting.get(1, TimeUnit.MINUTES).close();
		move(key, 2, 1);
	}

	private void move(String key, int from, int to) {
		cluster.beginToMove(lock(key), from, to);
		cluster.finishMove(lock(key), from, to);
	}

	/**
	 * A lock was lost before its slot moved: the release reports it, though it was sent
	 * to two masters.
	 */
	@Fault({ 13, 24 })
	@Test
	void releaseThatFollowsItsSlotTellsOfALoss() {
		String key = keyOn(1);
		Claim claim = this.a.claim(key);
		this.a.granted(claim);
		cluster.operator(1).del(lock(key));
		move(key, 1, 2);
		assertThat(this.a.engine().release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		move(key, 2, 1);
	}

	private CompletableFuture<HeldLock> waits(String key) {
		return this.engines.service(this.b, (event) -> {
		}).acquireAsync(key);
	}

	/**
	 * A slot is on the move, its lock is at the next master and its queue is not
	 * (TRYAGAIN): the holder's renewals go through, and others ask again while they wait.
	 */
	@Fault({ 16, 18, 24 })
	@Test
	void holdOfASlotOnTheMoveIsRenewedAndOthersWait() throws Exception {
		String key = keyOn(1);
		Claim claim = this.a.claim(key);
		long number = this.a.granted(claim);
		cluster.beginToMove(lock(key), 1, 2);
		assertThat(this.a.renew(claim, number)).isInstanceOf(RenewalOutcome.Renewed.class);
		cluster.operator(1).migrate("127.0.0.1", cluster.ports().get(2), lock(key), 0, 30_000);
		assertThat(this.a.renew(claim, number)).isInstanceOf(RenewalOutcome.Renewed.class);
		Claim other = this.b.claim(key);
		assertThat(catchThrowableOfType(LockEngineException.class, () -> this.b.engine().tryAcquire(other)))
			.hasMessageContaining("TRYAGAIN")
			.matches(LockEngineException::isRetryable);
		CompletableFuture<HeldLock> waiting = waits(key);
		cluster.finishMove(lock(key), 1, 2);
		assertThat(this.b.engine().release(other)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(this.a.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
		waiting.get(1, TimeUnit.MINUTES).close();
		move(key, 2, 1);
	}

	/**
	 * Nobody serves a slot for a while (CLUSTERDOWN): no lock is lost or had by that, and
	 * those who wait ask again.
	 */
	@Fault({ 16, 18, 24 })
	@Test
	void holdOfASlotThatNoNodeServesIsKept() throws Exception {
		String key = keyOn(1);
		Claim claim = this.a.claim(key);
		long number = this.a.granted(claim);
		cluster.serve(lock(key), 1, false);
		soon(() -> this.a.renew(claim, number) instanceof RenewalOutcome.Unknown unknown
				&& unknown.cause().getMessage().contains("CLUSTERDOWN"));
		Claim other = this.b.claim(key);
		assertThat(catchThrowableOfType(LockEngineException.class, () -> this.b.engine().tryAcquire(other)))
			.hasMessageContaining("CLUSTERDOWN")
			.matches(LockEngineException::isRetryable);
		CompletableFuture<HeldLock> waiting = waits(key);
		cluster.serve(lock(key), 1, true);
		soon(() -> this.b.engine().release(other) instanceof ReleaseOutcome.NotOwner);
		soon(() -> this.a.renew(claim, number) instanceof RenewalOutcome.Renewed);
		assertThat(this.a.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
		waiting.get(1, TimeUnit.MINUTES).close();
	}

	@Test
	void nodeThatIsTakenForASingleServerIsReported() {
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("127.0.0.1", cluster.ports().get(0));
		TestMember member = this.engines.member(server);
		Claim claim = member.waiting(keyOn(1));
		soon(() -> {
			LockEngineException notified = catchThrowableOfType(LockEngineException.class,
					() -> member.engine().tryAcquire(claim));
			assertThat(notified).hasMessageContaining("127.0.0.1:%d is a node of a cluster", cluster.ports().get(0))
				.hasMessageContaining("spring.data.redis.cluster.nodes");
			return !notified.isRetryable();
		});
		assertThat(member.engine().release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(member.engine().liveClaims()).isZero();
	}

	/** A master that is slow does not hold up the renewals of locks elsewhere. */
	@Fault(56)
	@Test
	void slowMasterDoesNotDelayTheRenewalsOfOthers() {
		List<Renewal> renewals = new ArrayList<>();
		for (int master = 0; master < 3; master++) {
			Claim claim = this.a.claim(keyOn(master), Duration.ofSeconds(60), false);
			renewals.add(new Renewal(claim, this.a.granted(claim), RedisEngines.LEASE));
		}
		cluster.operator(1).clientPause(10_000);
		assertThat(this.a.engine().renew(renewals)).element(1).isInstanceOf(RenewalOutcome.Unknown.class);
		Pace start = Pace.begin();
		List<RenewalOutcome> outcomes = this.a.engine().renew(renewals);
		assertThat(start.elapsed()).isLessThan(start.slack(RedisEngines.COMMAND_TIMEOUT.dividedBy(2)));
		assertThat(outcomes.get(0)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(outcomes.get(1)).isInstanceOf(RenewalOutcome.Unknown.class);
		assertThat(outcomes.get(2)).isInstanceOf(RenewalOutcome.Renewed.class);
		soon(() -> this.a.engine().renew(renewals).stream().allMatch(RenewalOutcome.Renewed.class::isInstance));
		renewals.forEach((renewal) -> soon(() -> this.a.engine().release(renewal.claim()) != null));
	}

	/** Each master is asked whether it evicts keys. */
	@Fault(23)
	@Test
	void everyMasterIsAskedWhetherItEvicts(CapturedOutput output) {
		cluster.operator(2).configSet("maxmemory-policy", "allkeys-lru");
		cluster.operator(2).configSet("maxmemory", "1gb");
		TestMember c = this.engines.member(RedisOpener.clusterAt(cluster.ports()));
		for (int master = 0; master < 3; master++) {
			Claim claim = c.claim(keyOn(master));
			soon(() -> c.engine().tryAcquire(claim) instanceof AcquisitionOutcome.Granted);
			assertThat(c.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
		}
		await().untilAsserted(
				() -> assertThat(output).contains("127.0.0.1:%d evicts keys".formatted(cluster.ports().get(2))));
		cluster.operator(2).configSet("maxmemory", "0");
	}

	/**
	 * A master dies while its lock is held and waited for: the lock goes on at the
	 * replica that takes its place, and those who wait get it in their turn.
	 */
	@Fault({ 16, 24 })
	@Test
	@Order(Integer.MAX_VALUE)
	void lockOutlivesItsMasterWhereTheReplicaHasIt() throws Exception {
		Claim first = this.a.claim(keyOn(0), Duration.ofSeconds(60), false);
		long number = this.a.granted(first);
		Claim elsewhere = this.a.claim(keyOn(1), Duration.ofSeconds(60), false);
		long other = this.a.granted(elsewhere);
		CompletableFuture<HeldLock> waiting = waits(keyOn(0));
		soon(() -> cluster.operator(0).exists(this.engines.keys(keyOn(0)).queue()) == 1);
		cluster.stop(0);
		assertThat(this.a.renew(elsewhere, other)).isInstanceOf(RenewalOutcome.Renewed.class);
		soon(() -> this.a.renew(first, number) instanceof RenewalOutcome.Renewed);
		assertThat(waiting).isNotDone();
		soon(() -> this.a.engine().release(first) instanceof ReleaseOutcome.Released);
		try (HeldLock next = waiting.get(1, TimeUnit.MINUTES)) {
			assertThat(next.fencingToken() / 64).isGreaterThan(number);
		}
		soon(() -> this.a.engine().release(elsewhere) instanceof ReleaseOutcome.Released);
	}

	private static void soon(Callable<Boolean> condition) {
		await().ignoreExceptions().until(condition);
	}

}
