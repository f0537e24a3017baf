package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LockTerms;
import io.leasehold.LossCause;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.redlock.RedlockCluster.Process;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEvent.LeaseRenewed;
import io.leasehold.event.RenewalResult;
import io.leasehold.server.FaultProxy;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Failures of the network and of servers at a majority of three masters, from the point
 * of view of holders and callers.
 */
@Tag("full")
class RedlockServiceFaultsIntegrationTests {

	/** No lease expires within a test. */
	private static final Duration LONG = RedlockCluster.LONG;

	private static final Duration LEASE = RedlockOpener.COMMAND_TIMEOUT.multipliedBy(2);

	@AutoClose
	private static final RedlockTestMasters MASTERS = RedlockTestMasters.start(3);

	@AutoClose
	private final RedlockCluster cluster = new RedlockCluster(MASTERS);

	private final Process process = this.cluster.process(3);

	private final Queue<LockEvent> events = new ConcurrentLinkedQueue<>();

	private final LockService service = this.cluster.service(this.process, this.events::add);

	private final LockService other = this.cluster.service(this.cluster.process(3), (event) -> {
	});

	private void network(Consumer<FaultProxy> fault) {
		this.process.network().forEach(fault);
	}

	/** The grants had no response. They are released once the network works again. */
	@Fault(9)
	@Test
	void unknownGrantsAreReleasedAfterAnOutage() throws Exception {
		network((proxy) -> proxy.replies().hold());
		CompletableFuture<HeldLock> requested = this.service.acquireAsync("k", options(LONG));
		await().until(() -> this.cluster.holding("k") == 3);
		network(FaultProxy::blackHole);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> requested.get(1, TimeUnit.MINUTES))
			.withCauseInstanceOf(LockEngineException.class);
		network(FaultProxy::heal);
		nothingIsLeft();
	}

	@Fault(12)
	@Test
	void grantWhoseConnectionsBrokeIsReleased() {
		network((proxy) -> proxy.replies().reset());
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.service.acquire("k", options(LONG)));
		network(FaultProxy::heal);
		nothingIsLeft();
	}

	/**
	 * The repeated release finds no grant. This is not a loss.
	 */
	@Fault(13)
	@Test
	void releaseWhoseRepliesWereLostIsNoLoss() {
		HeldLock held = this.service.acquire("k", options(LONG));
		network((proxy) -> proxy.replies().reset());
		held.close();
		network(FaultProxy::heal);
		nothingIsLeft();
		assertThat(this.events).hasAtLeastOneElementOfType(LockEvent.HoldEnded.class)
			.doesNotHaveAnyElementsOfTypes(LockEvent.HoldLost.class);
	}

	/**
	 * Each attempt times out long before the lease expires, and the next one renews it.
	 */
	@Fault({ 14, 15, 16 })
	@Test
	void renewalIntoABlackHoleIsRetriedWithinTheLease() {
		Duration lease = Duration.ofSeconds(9);
		Process impatient = this.cluster.process(3, Duration.ZERO, Duration.ofMillis(1500));
		HeldLock held = this.cluster.service(impatient, this.events::add)
			.acquire("k", options(lease).toBuilder().waitTime(LONG).build());
		Pace pace = Pace.begin();
		impatient.network().forEach(FaultProxy::blackHole);
		await().until(() -> has(RenewalResult.UNKNOWN));
		impatient.network().forEach(FaultProxy::heal);
		await().until(() -> has(RenewalResult.RENEWED));
		assertThat(renewals())
			.allSatisfy((renewal) -> assertThat(renewal.took()).isLessThan(pace.slack(lease.dividedBy(3))));
		held.close();
		await().until(() -> impatient.engine().liveClaims() == 0);
		nothingIsLeft();
	}

	/** The text of an unknown script is sent, also if it was known before. */
	@Fault(18)
	@Test
	void scriptsThatTheMastersForgotAreSentAgain() {
		IntStream.range(0, 3).forEach((i) -> MASTERS.operator(i).scriptFlush());
		HeldLock held = this.service.acquire("k", options(LEASE));
		IntStream.range(0, 3).forEach((i) -> MASTERS.operator(i).scriptFlush());
		await().until(() -> has(RenewalResult.RENEWED));
		IntStream.range(0, 3).forEach((i) -> MASTERS.operator(i).scriptFlush());
		held.close();
		nothingIsLeft();
	}

	/** Masters without memory reject writes. The lock is not reported as busy. */
	@Fault(18)
	@Test
	void refusalsOfTheMastersAreReported() {
		IntStream.range(0, 2).forEach((i) -> MASTERS.operator(i).configSet("maxmemory", "1"));
		try {
			assertThatExceptionOfType(LockEngineException.class)
				.isThrownBy(() -> this.service.acquire("k", options(LONG)))
				.matches(LockEngineException::isRetryable)
				.withStackTraceContaining("OOM command not allowed");
		}
		finally {
			IntStream.range(0, 2).forEach((i) -> MASTERS.operator(i).configSet("maxmemory", "0"));
		}
		nothingIsLeft();
	}

	/** Also one with a minimum hold, which remains as a smaller record. */
	@Fault(18)
	@Test
	void mastersWithoutMemoryRenewAndReleaseLocks() {
		Claim plain = this.process.claim("plain", LEASE);
		LockTerms terms = new LockTerms(LEASE, LONG);
		Claim job = new Claim(new LockKey("job"), this.process.member().newOwner(), terms, false, System.nanoTime());
		List<Renewal> due = Stream.of(plain, job)
			.map((claim) -> new Renewal(claim, this.process.granted(claim).number(), LONG))
			.toList();
		IntStream.range(0, 3).forEach((i) -> MASTERS.operator(i).configSet("maxmemory", "1"));
		try {
			assertThat(this.process.engine().renew(due)).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
			assertThat(this.process.engine().release(plain)).isInstanceOf(ReleaseOutcome.Released.class);
			assertThat(this.process.engine().release(job)).isInstanceOf(ReleaseOutcome.Released.class);
			assertThat(this.cluster.holding("job")).isEqualTo(3);
		}
		finally {
			IntStream.range(0, 3).forEach((i) -> MASTERS.operator(i).configSet("maxmemory", "0"));
		}
		MASTERS.lose(this.cluster.namespace(), job.key());
		nothingIsLeft();
	}

	/** All masters lose all data, including the grant numbers. */
	@Fault({ 17, 19, 21 })
	@Test
	void emptyRestartOfAllIsReportedOnceAndNumbersContinue() {
		HeldLock held = this.service.acquire("k", options(LEASE));
		Queue<LockLostException> notified = new ConcurrentLinkedQueue<>();
		held.onLost(notified::add);
		IntStream.range(0, 3).forEach((i) -> MASTERS.server(i).restartEmpty());
		await().until(() -> !notified.isEmpty());
		assertThat(held.isValid()).isFalse();
		HeldLock next = this.other.acquire("k", options(LONG).toBuilder().waitTime(LONG).build());
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close)
			.matches((loss) -> loss.getLossCause() == LossCause.NOT_OWNER);
		assertThat(notified).hasSize(1);
		next.close();
		nothingIsLeft();
	}

	/** Two of three masters evict the lock. */
	@Fault(23)
	@Test
	void evictionAtAMajorityIsReported() {
		HeldLock held = this.service.acquire("k", options(LEASE));
		CompletableFuture<LockLostException> notified = new CompletableFuture<>();
		held.onLost(notified::complete);
		IntStream.range(0, 2).forEach((i) -> MASTERS.operator(i).del(this.cluster.names("k").lock()));
		assertThat(notified.orTimeout(60, TimeUnit.SECONDS).join().getLossCause()).isEqualTo(LossCause.NOT_OWNER);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(held::close);
		try (HeldLock next = this.other.acquire("k")) {
			assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		}
		nothingIsLeft();
	}

	/** The next holder in a process renews the grant for a longer lease. */
	@Fault(27)
	@Test
	void grantThatWasRenewedForALongerLeaseIsReleasedAtAMasterThatRefusedIt() {
		Duration shorter = Duration.ofSeconds(4);
		Claim claim = this.process.claim("k", shorter);
		Granted granted = this.process.granted(claim);
		this.process.engine().renew(List.of(new Renewal(claim, granted.number(), LONG)));
		await().until(() -> this.cluster.holding("k") == 3);
		MASTERS.operator(2).aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.EVALSHA));
		try {
			assertThat(this.process.engine().release(claim)).isInstanceOf(ReleaseOutcome.Released.class);
			long released = System.nanoTime();
			await().until(() -> System.nanoTime() - released > shorter.plusMillis(500).toNanos());
			assertThat(this.cluster.holding("k")).isOne();
		}
		finally {
			MASTERS.operator(2).aclSetuser("default", AclSetuserArgs.Builder.allCommands());
		}
		await().atMost(LONG.dividedBy(2)).until(() -> this.cluster.holding("k") == 0);
	}

	private LockOptions options(Duration lease) {
		return this.service.defaults().toBuilder().lease(lease).waitTime(Duration.ZERO).build();
	}

	private List<LeaseRenewed> renewals() {
		return this.events.stream().filter(LeaseRenewed.class::isInstance).map(LeaseRenewed.class::cast).toList();
	}

	private boolean has(RenewalResult outcome) {
		return renewals().stream().anyMatch((renewal) -> renewal.outcome() == outcome);
	}

	/** A broken connection leaves a marker, which expires. */
	private void nothingIsLeft() {
		await().until(() -> this.process.engine().liveClaims() == 0);
		await().untilAsserted(() -> assertThat(MASTERS.residue(this.cluster.namespace()))
			.allMatch((name) -> name.contains(":ended:")));
	}

}
