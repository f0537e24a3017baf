package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.RedisTestServer;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.ParkedLocks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Grants that linger, as Redis stores them.
 */
class RedisLingerIntegrationTests {

	/** A parked grant does not end within the time of a test. */
	private static final Duration LONG = Duration.ofHours(1);

	private static final LockOptions OPTIONS = new LockOptions("test", RedisLockEngine.NAME, LONG,
			Duration.ofSeconds(60), Duration.ZERO, LockOptions.UNLIMITED)
		.toBuilder()
		.linger(LONG)
		.build();

	private static final LockKey KEY = new LockKey("order:42");

	private final RedisEngines engines = RedisEngines.patient(RedisTestServer.shared().port());

	private final TestMember member = this.engines.member();

	private final TestMember other = this.engines.member();

	@AfterEach
	void close() {
		this.engines.close();
	}

	@Test
	void twoThousandCallsCostTwoCommands() throws Exception {
		LockService locks = park(this.member);
		try (CommandLog log = CommandLog.start(RedisTestServer.shared().port(), this.engines.namespace())) {
			for (int i = 0; i < 4000; i++) {
				locks.acquire(KEY.value(), OPTIONS).close();
			}
			List<String> scripts = log.commands(this.engines.server())
				.stream()
				.filter((command) -> command.startsWith("EVAL"))
				.toList();
			assertThat(scripts).hasSizeBetween(2, 4);
		}
	}

	@Test
	void grantThatLingersReservesNumbers() {
		Claim claim = claim(this.member, true);
		AcquisitionOutcome.Granted granted = (AcquisitionOutcome.Granted) acquireLingering(claim);
		assertThat(granted.reserved()).isEqualTo(31);
		assertThat(value()).isEqualTo(granted.number() + ":" + claim.owner().token() + " ~");
		assertThat(this.engines.server().get(this.engines.keys(KEY.value()).number()))
			.isEqualTo(Long.toString(granted.number() + 31));
		this.member.engine().release(claim);
		assertThat(this.other.granted(this.other.claim(KEY.value()))).isGreaterThan(granted.number() + 31);
	}

	@Test
	void renewalEndsTheLingering() {
		Claim claim = claim(this.member, true);
		AcquisitionOutcome.Granted granted = (AcquisitionOutcome.Granted) acquireLingering(claim);
		assertThat(this.other.engine().inspect(KEY)).singleElement().satisfies((holder) -> {
			assertThat(holder.lingers()).isTrue();
			assertThat(holder.reserved()).isEqualTo(31);
		});
		this.member.engine().renew(List.of(new Renewal(claim, granted.number(), LONG.multipliedBy(2))));
		assertThat(value()).endsWith(" =");
		assertThat(this.engines.server().pttl(this.engines.keys(KEY.value()).lock())).isGreaterThan(LONG.toMillis());
		assertThat(this.other.engine().inspect(KEY)).singleElement().satisfies((holder) -> {
			assertThat(holder.lingers()).isFalse();
			assertThat(holder.reserved()).isEqualTo(31);
		});
		Claim busy = this.other.claim(KEY.value());
		assertThat(((AcquisitionOutcome.Busy) this.other.engine().tryAcquire(busy)).recalled()).isFalse();
		this.member.engine().release(claim);
		assertThat(this.engines.residue()).isEmpty();
	}

	/** After a lost response, the grant does not linger in its process either. */
	@Test
	void repeatedRequestEndsTheLingering() {
		Claim claim = claim(this.member, true);
		long number = ((AcquisitionOutcome.Granted) acquireLingering(claim)).number();
		AcquisitionOutcome.Granted repeated = (AcquisitionOutcome.Granted) acquireLingering(claim);
		assertThat(repeated.number()).isEqualTo(number);
		assertThat(repeated.reserved()).isZero();
		assertThat(value()).isEqualTo(number + ":" + claim.owner().token() + " =");
		assertThat(this.engines.server().pttl(this.engines.keys(KEY.value()).lock()))
			.isGreaterThan(LONG.dividedBy(2).toMillis());
		this.member.engine().release(claim);
		assertThat(this.engines.residue()).isEmpty();
	}

	@Test
	void waiterKeepsTheMarkOfAGrantThatLingers() {
		Claim claim = claim(this.member, true);
		acquireLingering(claim);
		Claim waiting = this.other.waiting(KEY.value());
		for (int i = 0; i < 2; i++) {
			assertThat(((AcquisitionOutcome.Busy) this.other.engine().tryAcquire(waiting)).recalled()).isTrue();
			assertThat(value()).endsWith(" !~");
		}
		this.member.engine().release(claim);
		this.other.engine().release(waiting);
		assertThat(this.engines.residue()).isEmpty();
	}

	/** The subscription returns after a while, and polls repeat the message. */
	@Fault(164)
	@Test
	void waiterGetsAParkedLockAlthoughTheFirstMessageIsLost() {
		LockService locks = park(this.member);
		LockService waiting = this.engines.service(this.other, (event) -> {
		});
		this.engines.cutInboxes();
		try (HeldLock held = waiting.acquire(KEY.value(), OPTIONS)) {
			assertThat(held.isValid()).isTrue();
			assertThat(locks.inspector().overview().parked()).isEmpty();
		}
	}

	/** The process is another member then, whose messages have another channel. */
	@Test
	void parkedLockIsRecalledAfterAStopAndAStart() {
		LockService locks = park(this.member);
		locks.drain(() -> {
		});
		locks.resume();
		ParkedLocks.park(locks, KEY.value(), OPTIONS.toBuilder().waitTime(Duration.ZERO).build());
		LockService waiting = this.engines.service(this.other, (event) -> {
		});
		try (HeldLock held = waiting.acquire(KEY.value(), OPTIONS)) {
			assertThat(held.isValid()).isTrue();
			assertThat(locks.inspector().overview().parked()).isEmpty();
		}
	}

	/** Otherwise the process might use a lock that another process wants. */
	@Fault(167)
	@Test
	void lockIsNotEnteredWhileTheInboxIsBroken() throws Exception {
		try (FaultProxy proxy = FaultProxy.to(RedisTestServer.shared().port())) {
			TestMember remote = this.engines.member(proxy.port());
			LockService locks = park(remote);
			long parked = locks.inspector().overview().parked().get(0).fencingToken();
			proxy.refuse();
			proxy.reset();
			await().until(() -> !remote.engine().receivesRecalls());
			CompletableFuture<HeldLock> entering = locks.acquireAsync(KEY.value(), OPTIONS);
			assertThat(locks.inspector().overview().parked()).isEmpty();
			proxy.heal();
			try (HeldLock next = entering.get(60, TimeUnit.SECONDS)) {
				assertThat(next.fencingToken()).isGreaterThan(parked + ParkedLocks.TOKENS);
			}
			await().until(remote.engine()::receivesRecalls);
		}
	}

	@Test
	void forcedReleaseElsewhereEndsAParkedLock() {
		LockService locks = park(this.member);
		long parked = locks.inspector().overview().parked().get(0).fencingToken();
		assertThat(this.other.engine().forceRelease(KEY)).hasSize(1);
		await().until(() -> locks.inspector().overview().parked().isEmpty());
		try (HeldLock next = locks.acquire(KEY.value(), OPTIONS)) {
			assertThat(next.fencingToken()).isGreaterThan(parked + 64);
		}
	}

	@Test
	void locksDoNotLingerWithoutMessagesOrWithReplicas() {
		RedisSettings settings = this.engines.settings();
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("127.0.0.1",
				RedisTestServer.shared().port());
		assertThat(this.member.engine().capabilities()).contains(Capability.LINGER);
		assertThat(this.engines.member(server, with(settings, 0, WakeUp.POLL)).engine().capabilities())
			.doesNotContain(Capability.LINGER);
		assertThat(this.engines.member(server, with(settings, 1, WakeUp.AUTO)).engine().capabilities())
			.doesNotContain(Capability.LINGER);
	}

	private static RedisSettings with(RedisSettings settings, int replicas, WakeUp wakeUp) {
		return new RedisSettings(settings.namespace(), settings.pollInterval(), settings.grantLease(),
				settings.commandTimeout(), settings.minValidity(), settings.silenceTimeout(), settings.markerLifetime(),
				settings.fencingRetention(), replicas, wakeUp);
	}

	/** Return a service that has a parked lock. */
	private LockService park(TestMember in) {
		LockService locks = this.engines.service(in, (event) -> {
		});
		ParkedLocks.park(locks, KEY.value(), OPTIONS);
		return locks;
	}

	private AcquisitionOutcome acquireLingering(Claim claim) {
		return this.member.engine().tryAcquire(claim);
	}

	private Claim claim(TestMember in, boolean lingers) {
		Claim plain = in.claim(KEY.value(), LONG, true);
		return new Claim(plain.key(), plain.owner(), plain.terms(), true, plain.since(), lingers);
	}

	private String value() {
		return this.engines.server().get(this.engines.keys(KEY.value()).lock());
	}

}
