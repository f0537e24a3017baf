package io.leasehold.engine.redis;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEvent.LeaseRenewed;
import io.leasehold.event.RenewalResult;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.RedisTestServer;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Networks and servers that fail, and what holders and callers see of it.
 */
@Tag("full")
class RedisLockServiceFaultsIntegrationTests {

	/** Nothing ends by its lease within a test. */
	private static final Duration LONG = Duration.ofSeconds(60);

	private static final Duration LEASE = Duration.ofSeconds(12);

	private static final Duration RENEWAL_INTERVAL = LEASE.dividedBy(3);

	private final RedisTestServer server = RedisTestServer.start();

	private final FaultProxy network = FaultProxy.to(this.server.port());

	private final RedisEngines engines = new RedisEngines(this.server.port());

	private final Queue<LockEvent> events = new ConcurrentLinkedQueue<>();

	private final TestMember member = member(this.engines, this.network.port());

	private final LockService service = this.engines.service(this.member, this.events::add);

	private final LockService other = this.engines.service(this.engines.member(), (event) -> {
	});

	/** A member that reaches the server through a port. */
	TestMember member(RedisEngines engines, int throughPort) {
		return engines.member(throughPort);
	}

	@AfterEach
	void stop() throws IOException {
		this.engines.close();
		this.network.close();
		this.server.close();
	}

	/**
	 * The reply to an acquisition is lost, then all of the network: as soon as that is
	 * back the grant that nobody knows of is given back, long before its lease ends.
	 */
	@Fault(9)
	@Test
	void grantWithoutAResponseIsReleasedAfterAnOutage() throws Exception {
		this.network.replies().hold();
		CompletableFuture<HeldLock> requested = this.service.acquireAsync("k", options(LONG));
		await().until(this::isHeldInTheStore);
		this.network.blackHole();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> requested.get(1, TimeUnit.MINUTES))
			.withCauseInstanceOf(LockEngineException.class);
		await().during(Duration.ofMillis(1500)).until(this::isHeldInTheStore);
		this.network.heal();
		nothingIsLeft();
	}

	/**
	 * The connection breaks after an acquisition was carried out: its caller gets an
	 * error, and the grant is given back.
	 */
	@Fault(12)
	@Test
	void grantWhoseConnectionBrokeIsGivenBack() {
		this.network.replies().reset();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.service.acquire("k", options(LONG)));
		this.network.heal();
		nothingIsLeft();
	}

	/**
	 * The reply to a release is lost, and the store knows nothing of the lock when it is
	 * asked again: that is no loss.
	 */
	@Fault(13)
	@Test
	void releaseWhoseReplyWasLostIsNoLoss() {
		HeldLock held = this.service.acquire("k", options(LONG));
		this.network.replies().reset();
		held.close();
		this.network.heal();
		nothingIsLeft();
		assertThat(this.events).hasAtLeastOneElementOfType(LockEvent.HoldEnded.class)
			.doesNotHaveAnyElementsOfTypes(LockEvent.HoldLost.class);
	}

	/**
	 * The network swallows renewals without a word: each attempt ends long before the
	 * lease, and the next one keeps the lock.
	 */
	@Fault({ 14, 16 })
	@Test
	void renewalIntoABlackHoleIsTriedAgainWithinTheLease() {
		HeldLock held = this.service.acquire("k", options(LEASE));
		Pace pace = Pace.begin();
		this.network.blackHole();
		await().until(() -> has(RenewalResult.UNKNOWN));
		this.network.heal();
		await().until(() -> has(RenewalResult.RENEWED));
		assertThat(renewals())
			.allSatisfy((renewal) -> assertThat(renewal.took()).isLessThan(pace.slack(RENEWAL_INTERVAL)));
		held.close();
		nothingIsLeft();
	}

	/**
	 * The network stays away for longer than the lease: the holder is notified by its own
	 * clock, though nobody can query the store.
	 */
	@Fault({ 13, 14 })
	@Test
	void holderIsNotifiedOfTheEndOfItsLeaseThoughTheStoreIsUnavailable() {
		HeldLock held = this.service.acquire("k", options(this.member.engine().minLease()));
		CompletableFuture<LockLostException> notified = new CompletableFuture<>();
		held.onLost(notified::complete);
		this.network.blackHole();
		assertThat(notified.orTimeout(1, TimeUnit.MINUTES).join().getLossCause()).isEqualTo(LossCause.EXPIRED);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
		this.network.heal();
		nothingIsLeft();
	}

	/**
	 * The server loses all data while a lock is held: its holder is notified once, by the
	 * next renewal, and from then on leaves the key to others, whose numbers are greater.
	 */
	@Fault({ 17, 19, 21 })
	@Test
	void emptyRestartIsReportedOnceAndNothingIsRenewedAnyMore() {
		HeldLock held = this.service.acquire("k", options(LEASE));
		Queue<LockLostException> notified = new ConcurrentLinkedQueue<>();
		held.onLost(notified::add);
		this.server.restartEmpty();
		await().until(() -> !notified.isEmpty());
		assertThat(held.isValid()).isFalse();
		await().until(() -> has(RenewalResult.NOT_OWNER)); // published after the loss
		int renewals = renewals().size();
		HeldLock next = this.other.acquire("k", options(LONG).toBuilder().waitTime(LONG).build());
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		await().during(RENEWAL_INTERVAL.plusMillis(300)).until(() -> renewals().size() == renewals);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.matches((loss) -> loss.getLossCause() == LossCause.NOT_OWNER);
		assertThat(notified).hasSize(1);
		assertThat(this.events.stream().filter(LockEvent.HoldLost.class::isInstance)).hasSize(1);
		next.close();
		nothingIsLeft();
	}

	/**
	 * The server throws a lock away to make room: its holder is notified, and the next
	 * holder's token is greater.
	 */
	@Fault(23)
	@Test
	void evictionIsReported() {
		HeldLock held = this.service.acquire("k", options(LEASE));
		CompletableFuture<LockLostException> notified = new CompletableFuture<>();
		held.onLost(notified::complete);
		this.engines.server().configSet("maxmemory-policy", "volatile-ttl");
		this.engines.server().configSet("maxmemory", "4mb");
		for (int i = 0; isHeldInTheStore(); i++) {
			this.engines.server().setex("filler:" + i, 3600, "x".repeat(100_000));
		}
		assertThat(notified.orTimeout(1, TimeUnit.MINUTES).join().getLossCause()).isEqualTo(LossCause.NOT_OWNER);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
		this.engines.server().configSet("maxmemory", "0");
		try (HeldLock next = this.other.acquire("k")) {
			assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		}
		nothingIsLeft();
	}

	private LockOptions options(Duration lease) {
		return this.service.defaults().toBuilder().lease(lease).waitTime(Duration.ZERO).build();
	}

	private boolean isHeldInTheStore() {
		return this.engines.server().exists(this.engines.keys("k").lock()) == 1;
	}

	private List<LeaseRenewed> renewals() {
		return this.events.stream().filter(LeaseRenewed.class::isInstance).map(LeaseRenewed.class::cast).toList();
	}

	private boolean has(RenewalResult outcome) {
		return renewals().stream().anyMatch((renewal) -> renewal.outcome() == outcome);
	}

	/** A broken connection leaves a marker, which ends by itself. */
	private void nothingIsLeft() {
		await().until(() -> this.member.engine().liveClaims() == 0);
		assertThat(this.engines.residue()).allMatch((name) -> name.endsWith(":gone"));
	}

}
