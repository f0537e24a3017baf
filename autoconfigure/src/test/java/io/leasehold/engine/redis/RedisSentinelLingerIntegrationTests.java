package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.leasehold.HeldLock;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.StaleFencingTokenException;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.FaultProxy;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.FencedShop;
import io.leasehold.test.contract.ParkedLocks;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks that a process keeps for its next caller while their master fails.
 */
@Tag("full")
class RedisSentinelLingerIntegrationTests extends RedisSentinelFixture {

	/** No lease and no linger time ends within a test, unless the clock is moved. */
	private static final Duration LINGER = Duration.ofHours(1);

	private final AtomicLong passed = new AtomicLong();

	private final TestMember member = this.engines.warm(master(), () -> System.nanoTime() + this.passed.get());

	private final LockService keeper = service(this.member);

	private final LockService other = service(this.engines.warm(master()));

	private final LockOptions lingering = this.keeper.defaults().toBuilder().lease(LINGER).linger(LINGER).build();

	private final LockOptions atOnce = this.lingering.toBuilder().waitTime(Duration.ZERO).build();

	/**
	 * The limit that the manual states. The loss is detected by the renewal of a hold,
	 * and not by the end of a short one.
	 */
	@Fault({ 20, 21, 166 })
	@Test
	void lockThatTheReplicaHasNotIsFencedAndEnteredForHalfOfItsLingerTimeAtMost() throws Exception {
		useOnce("long", "short");
		try (FaultProxy network = FaultProxy.to(this.servers.master().port())) {
			this.servers.replicateThrough(network.port());
			network.blackHole();
			long parked = park("long");
			park("short");
			this.servers.killMaster();
			this.servers.awaitFailover();
			awaitInbox();
			try (HeldLock next = this.other.acquire("long"); HeldLock after = this.other.acquire("short")) {
				assertThat(next.fencingToken()).isGreaterThan(parked + ParkedLocks.TOKENS);
				enterAndLose(next);
				enter("short", after);
				passes(LINGER.dividedBy(6)); // with the third before, one half
				assertThat(this.keeper.tryAcquire("short", this.atOnce)).isEmpty();
				assertThat(this.keeper.tryAcquire("long", this.atOnce)).isEmpty();
				assertThat(ParkedLocks.of(this.keeper)).isEmpty();
				assertThat(next.isValid() && after.isValid()).isTrue();
			}
		}
		drain();
		assertThat(residue()).isEmpty();
	}

	/** Enter a lost lock, and lose it when the first renewal is due. */
	private void enterAndLose(HeldLock next) throws Exception {
		FencedShop shop = FencedShop.inMemory(this.engines.namespace(), 10);
		shop.sell(next);
		HeldLock stale = this.keeper.acquire("long", this.lingering);
		assertThat(stale.fencingToken()).isLessThan(next.fencingToken());
		assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> shop.sell(stale));
		assertThat(shop.stock()).isEqualTo(9);
		await().ignoreExceptions().until(() -> !this.keeper.isCurrent("long", stale.fencingToken()));
		assertThat(stale.isValid()).isTrue();
		CompletableFuture<LossCause> notified = new CompletableFuture<>();
		stale.onLost((loss) -> notified.complete(loss.getLossCause()));
		passes(LINGER.dividedBy(3));
		assertThat(notified.get(1, TimeUnit.MINUTES)).isEqualTo(LossCause.NOT_OWNER);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(stale::close);
	}

	private void enter(String key, HeldLock next) {
		try (HeldLock stale = this.keeper.acquire(key, this.lingering)) {
			assertThat(stale.fencingToken()).isLessThan(next.fencingToken());
		}
		assertThat(ParkedLocks.of(this.keeper)).containsOnlyKeys(key);
	}

	@Fault(167)
	@Test
	void lockThatTheReplicaHasIsRecalledEnteredAndReleased() throws Exception {
		Map<String, Long> parked = Map.of("recalled", park("recalled"), "entered", park("entered"), "drained",
				park("drained"));
		awaitReplica(parked.keySet());
		this.servers.killMaster();
		this.servers.awaitFailover();
		try (HeldLock next = this.other.acquire("recalled")) {
			assertThat(next.fencingToken()).isGreaterThan(parked.get("recalled") + ParkedLocks.TOKENS);
			assertThat(ParkedLocks.of(this.keeper)).containsOnlyKeys("entered", "drained");
		}
		awaitInbox();
		try (HeldLock entered = this.keeper.acquire("entered", this.lingering)) {
			assertThat(entered.fencingToken()).isEqualTo(parked.get("entered") + 1);
			assertThat(this.other.tryAcquire("entered")).isEmpty();
			assertThat(this.keeper.isCurrent("entered", entered.fencingToken())).isTrue();
			assertThat(entered.isValid()).isTrue();
		}
		drain();
		assertThat(residue()).isEmpty();
	}

	private LockService service(TestMember of) {
		return this.engines.service(of, (event) -> {
		});
	}

	private long park(String key) {
		return ParkedLocks.park(this.keeper, key, this.lingering);
	}

	/** The next grants linger, because recalls arrive and the keys were used lately. */
	private void useOnce(String... keys) {
		await().until(this.member.engine()::receivesRecalls);
		for (String key : keys) {
			this.keeper.acquire(key, this.lingering).close();
		}
	}

	private void passes(Duration time) {
		this.passed.addAndGet(time.toNanos());
	}

	/** Wait until the replica has the grants of keys. */
	private void awaitReplica(Set<String> keys) {
		String[] names = keys.stream().map((key) -> this.engines.keys(key).lock()).toArray(String[]::new);
		RedisCommands<String, String> replica = this.servers.operator(this.servers.replica());
		await().until(() -> replica.mget(names).equals(this.engines.server().mget(names)));
	}

	/** Wait until recalls arrive from the next master. */
	private void awaitInbox() {
		String inbox = RedisKeys.inboxPrefix(this.engines.namespace()) + this.member.member().id();
		RedisCommands<String, String> next = this.servers.operator(this.servers.replica());
		await().until(() -> next.pubsubNumsub(inbox).get(inbox) == 1 && this.member.engine().receivesRecalls());
	}

	private void drain() throws InterruptedException {
		CountDownLatch idle = new CountDownLatch(1);
		this.keeper.drain(idle::countDown);
		assertThat(idle.await(1, TimeUnit.MINUTES)).isTrue();
	}

	private Iterable<String> residue() {
		return RedisOpener.residue(this.servers.operator(this.servers.replica()).keys("*"), this.engines.namespace());
	}

}
