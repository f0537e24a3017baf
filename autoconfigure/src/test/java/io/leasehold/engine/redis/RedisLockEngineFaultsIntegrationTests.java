package io.leasehold.engine.redis;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.leasehold.LockEngineException;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import io.lettuce.core.KillArgs;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Networks and servers that fail, under the engine alone.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisLockEngineFaultsIntegrationTests {

	/** A call is bounded by the command timeout; the rest is for a loaded machine. */
	private static final Duration BOUND = RedisEngines.COMMAND_TIMEOUT.plusMillis(700);

	private static final Duration OUTAGE = Duration.ofSeconds(Integer.getInteger("leasehold.test.outage-seconds", 3));

	private final RedisTestServer server = RedisTestServer.start();

	private final FaultProxy network = FaultProxy.to(this.server.port());

	private final RedisEngines engines = new RedisEngines(this.server.port());

	/** Reaches the server through the network that fails. */
	private final TestMember a = member(this.engines, this.network.port());

	private final TestMember b = this.engines.member();

	private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();

	/** A member that reaches the server through a port. */
	TestMember member(RedisEngines engines, int throughPort) {
		return engines.member(throughPort);
	}

	@AfterEach
	void noClaimIsLeft() throws IOException {
		assertThat(this.a.engine().liveClaims()).isZero();
		assertThat(this.b.engine().liveClaims()).isZero();
		this.engines.close();
		this.network.close();
		this.server.close();
	}

	/**
	 * A grant whose reply is held up beyond the call is undone by the claim's release.
	 */
	@Fault({ 9, 104 })
	@Test
	void acquireWhoseReplyWasLateIsUndoneByItsRelease() {
		Claim claim = this.a.claim("k");
		this.network.replies().hold();
		fails(() -> this.a.engine().tryAcquire(claim));
		assertThat(this.engines.server().get(lock())).endsWith(claim.owner().token());
		this.network.heal();
		assertThat(this.a.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.engines.residue()).isEmpty();
	}

	/**
	 * A connection that breaks after the request was carried out is an error, and the
	 * grant that nobody heard of is undone by the claim's release.
	 */
	@Fault(12)
	@Test
	void acquireWhoseReplyWasLostWithItsConnectionIsUndoneByItsRelease() {
		Claim claim = this.a.claim("k");
		breaks(() -> this.a.engine().tryAcquire(claim), this.network.replies()::reset);
		assertThat(releasedAtLast(claim)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.engines.residue()).containsExactly(marker(claim));
	}

	/**
	 * A request that the network delivers after its caller gave up is followed by the
	 * release on the same connection.
	 */
	@Fault(10)
	@Test
	void releaseNeverOvertakesABlackHoledAcquire() throws Exception {
		Claim claim = this.a.claim("k");
		this.network.requests().hold();
		fails(() -> this.a.engine().tryAcquire(claim));
		CompletableFuture<ReleaseOutcome> released = CompletableFuture
			.supplyAsync(() -> this.a.engine().release(claim));
		this.network.heal();
		assertThat(released.get(20, TimeUnit.SECONDS)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.engines.residue()).isEmpty();
	}

	/**
	 * A request that an old connection delivers after the release on a new one finds the
	 * marker of a claim that is over.
	 */
	@Fault({ 10, 104 })
	@Test
	void acquireThatRunsAfterItsReleaseFindsTheMarker() {
		Claim claim = this.a.waiting("k");
		FaultProxy.Valve stranded = this.network.strandRequests();
		fails(() -> this.a.engine().tryAcquire(claim));
		this.network.reset();
		assertThat(releasedAtLast(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		long scripts = this.engines.scriptsRun();
		stranded.open();
		await().until(() -> this.engines.scriptsRun() > scripts);
		assertThat(this.engines.residue()).containsExactly(marker(claim));
		assertThat(this.engines.server().pttl(marker(claim))).isPositive();
	}

	/**
	 * Asked again after its connection was closed, a claim finds the grant that it had,
	 * with the same number.
	 */
	@Fault(11)
	@Test
	void repeatedAcquireFindsTheGrantOfTheConnectionThatWasClosed() {
		Claim claim = this.a.claim("k");
		breaks(() -> this.a.engine().tryAcquire(claim), this.network.replies()::finish);
		long number = grantedAtLast(claim).number();
		assertThat(this.engines.server().get(lock())).isEqualTo(number + ":" + claim.owner().token());
		assertThat(this.a.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	/** A connection that was closed after a request repeats nothing by itself. */
	@Fault(11)
	@Test
	void nothingIsReplayed() {
		Claim claim = this.a.claim("k");
		long scripts = this.engines.scriptsRun();
		breaks(() -> this.a.engine().tryAcquire(claim), this.network.replies()::finish);
		grantedAtLast(claim);
		assertThat(this.engines.scriptsRun()).isEqualTo(scripts + 2);
		this.a.engine().release(claim);
	}

	/**
	 * A second release that finds nothing may be the echo of the first, whose reply was
	 * lost: that is no loss.
	 */
	@Fault(13)
	@Test
	void releaseWhoseReplyWasLostIsUnknown() {
		Claim claim = this.a.claim("k");
		granted(this.a, claim);
		breaks(() -> this.a.engine().release(claim), this.network.replies()::reset);
		assertThat(releasedAtLast(claim)).isInstanceOf(ReleaseOutcome.Unknown.class);
		assertThat(this.engines.residue()).isEmpty();
	}

	/** The same after a reply that was held up, on the same connection. */
	@Fault(13)
	@Test
	void releaseWhoseReplyWasLateIsUnknown() {
		Claim claim = this.a.claim("k");
		granted(this.a, claim);
		this.network.replies().hold();
		fails(() -> this.a.engine().release(claim));
		this.network.heal();
		assertThat(this.a.engine().release(claim)).isInstanceOf(ReleaseOutcome.Unknown.class);
	}

	/**
	 * A first release that finds nothing tells of a loss, whatever became of connections
	 * before.
	 */
	@Fault(13)
	@Test
	void holdOfABrokenConnectionThatExpiredIsKnownToBeLost() {
		Claim claim = this.a.claim("k");
		granted(this.a, claim);
		this.network.reset();
		this.engines.server().del(lock());
		assertThat(releasedAtLast(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
	}

	/**
	 * A renewal that the network swallows ends after the command timeout and says neither
	 * yes nor no.
	 */
	@Fault(14)
	@Test
	void renewalIntoABlackHoleIsBoundedAndUnknown() {
		Claim claim = this.a.claim("k");
		long number = granted(this.a, claim).number();
		this.network.blackHole();
		Pace start = Pace.begin();
		assertThat(renew(claim, number)).isInstanceOf(RenewalOutcome.Unknown.class);
		assertThat(start.elapsed()).isLessThan(start.slack(BOUND));
		this.network.heal();
		assertThat(renew(claim, number)).isInstanceOf(RenewalOutcome.Renewed.class);
		this.a.engine().release(claim);
	}

	/**
	 * A command timeout that is longer than a lease bears does not hold up its renewal:
	 * there is time for another attempt.
	 */
	@Fault(14)
	@Test
	void renewalIsBoundedByAThirdOfItsLease() {
		RedisSettings patient = new RedisSettings(this.engines.namespace(), Duration.ofSeconds(3),
				Duration.ofSeconds(9), Duration.ofSeconds(5), Duration.ofSeconds(5), Duration.ofSeconds(5),
				Duration.ofSeconds(20), Duration.ofMinutes(1), 0);
		TestMember c = this.engines.member(new RedisStandaloneConfiguration("127.0.0.1", this.network.port()), patient);
		Claim claim = c.claim("k");
		long number = granted(c, claim).number();
		this.network.blackHole();
		Pace start = Pace.begin();
		Renewal renewal = new Renewal(claim, number, Duration.ofMillis(1500));
		assertThat(c.engine().renew(List.of(renewal))).hasOnlyElementsOfType(RenewalOutcome.Unknown.class);
		assertThat(start.elapsed()).isLessThan(start.slack(patient.commandTimeout().dividedBy(2)));
		this.network.heal();
		assertThat(c.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	/**
	 * Two seconds after a network is whole again leases are renewed; the length of the
	 * outage is a property for long runs.
	 */
	@Fault(15)
	@Test
	void renewalGoesOnSoonAfterALongOutage() {
		Claim claim = this.a.claim("k", OUTAGE.multipliedBy(3), false);
		long number = granted(this.a, claim).number();
		this.network.blackHole();
		long outage = System.nanoTime();
		while (System.nanoTime() - outage < OUTAGE.toNanos()) {
			assertThat(renew(claim, number)).isInstanceOf(RenewalOutcome.Unknown.class);
		}
		Pace healed = Pace.begin();
		this.network.heal();
		await().until(() -> renew(claim, number) instanceof RenewalOutcome.Renewed);
		assertThat(healed.elapsed()).isLessThan(healed.slack(Duration.ofSeconds(2)));
		releasedAtLast(claim);
	}

	/**
	 * A connection that stays dead when the network is whole again is given up for a new
	 * one.
	 */
	@Fault(15)
	@Test
	void silentConnectionIsGivenUpAlthoughNobodyBreaksIt() {
		Claim claim = this.a.claim("k");
		long number = granted(this.a, claim).number();
		Pace dead = Pace.begin();
		this.network.strandRequests(); // for good
		await().until(() -> renew(claim, number) instanceof RenewalOutcome.Renewed);
		assertThat(dead.elapsed()).isLessThan(dead.slack(Duration.ofSeconds(5)));
		releasedAtLast(claim);
	}

	/**
	 * A server that has forgotten its scripts is sent them again within the same call.
	 */
	@Fault(18)
	@Test
	void scriptsThatTheServerForgotAreSentAgain() {
		Claim claim = this.a.claim("k");
		this.engines.server().scriptFlush();
		long number = granted(this.a, claim).number();
		this.engines.server().scriptFlush();
		assertThat(renew(claim, number)).isInstanceOf(RenewalOutcome.Renewed.class);
		this.engines.server().scriptFlush();
		assertThat(this.a.engine().inspect(claim.key())).isNotEmpty();
		this.engines.server().scriptFlush();
		assertThat(this.a.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	/**
	 * A server without memory (OOM) refuses grants for the time being, and goes on
	 * renewing and releasing.
	 */
	@Fault(18)
	@Test
	void serverWithoutMemoryRefusesNewGrantsAndStillEndsOldOnes() {
		Claim held = this.a.claim("held");
		long number = granted(this.a, held).number();
		this.engines.server().configSet("maxmemory", "1");
		Claim refused = this.a.claim("k");
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.a.engine().tryAcquire(refused))
			.withMessageStartingWith("Redis could not acquire lock 'k': OOM")
			.matches(LockEngineException::isRetryable);
		assertThat(renew(held, number)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.a.engine().release(held)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.a.engine().release(refused)).isInstanceOf(ReleaseOutcome.NotOwner.class);
	}

	/** A server that became a replica (READONLY) has not said that a lock is lost. */
	@Fault({ 18, 26 })
	@Test
	void serverThatBecameAReplicaIsNoNo() {
		Claim claim = this.a.claim("k");
		granted(this.a, claim);
		this.engines.server().replicaof("127.0.0.1", 1);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.a.engine().release(claim))
			.withMessageContaining("READONLY")
			.matches(LockEngineException::isRetryable);
		this.engines.server().replicaofNoOne();
		assertThat(this.a.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	/**
	 * What a replica has decides nothing: neither a grant, nor a loss, nor who holds a
	 * lock.
	 */
	@Fault(26)
	@Test
	void whatAReplicaHasDecidesNothing() {
		Claim held = this.a.claim("k");
		long number = granted(this.a, held).number();
		Claim lost = this.a.claim("lost");
		long lostFence = granted(this.a, lost).number();
		this.engines.server().del(this.engines.keys("lost").lock());
		Claim other = this.b.claim("k");
		this.engines.server().replicaof("127.0.0.1", 1);
		fails(() -> this.a.engine().tryAcquire(held));
		fails(() -> this.b.engine().tryAcquire(other));
		fails(() -> this.a.engine().inspect(held.key()));
		assertThat(renew(held, number)).isInstanceOf(RenewalOutcome.Unknown.class);
		assertThat(renew(lost, lostFence)).isInstanceOf(RenewalOutcome.Unknown.class);
		this.engines.server().replicaofNoOne();
		assertThat(renew(held, number)).isInstanceOf(RenewalOutcome.Renewed.class);
		this.a.engine().release(lost);
		this.a.engine().release(held);
		this.b.engine().release(other);
	}

	/** Wrong credentials do not pass by themselves: a claim that waits fails at once. */
	@Fault(18)
	@Test
	void wrongPasswordDoesNotPassByItself() {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", this.server.port());
		configuration.setUsername("nobody");
		configuration.setPassword("wrong");
		TestMember stranger = this.engines.member(configuration);
		Claim claim = stranger.claim("k");
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> stranger.engine().tryAcquire(claim))
			.matches((ex) -> !ex.isRetryable());
		assertThat(stranger.engine().release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
	}

	/**
	 * After a restart without data the next renewal tells of the loss, and the next
	 * number is greater.
	 */
	@Fault({ 19, 21 })
	@Test
	void emptyRestartIsNoticedAndTheNextTokenIsGreater() {
		Claim claim = this.a.claim("k");
		long number = granted(this.a, claim).number();
		this.server.restartEmpty();
		await().until(() -> renew(claim, number) instanceof RenewalOutcome.NotOwner);
		Claim next = this.b.claim("k");
		await().ignoreExceptions().until(() -> granted(this.b, next).number() > number);
		assertThat(releasedAtLast(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(this.b.engine().release(next)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void unreachableServerIsAnExceptionAndNeverBusy() {
		Claim claim = this.a.claim("k");
		this.network.refuse();
		this.network.reset();
		await().untilAsserted(() -> assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> this.a.engine().tryAcquire(claim))
			.withMessageStartingWith("Redis could not acquire lock 'k': ")
			.matches(LockEngineException::isRetryable));
		fails(() -> this.a.engine().inspect(claim.key()));
		this.network.heal();
		granted(this.a, claim);
		assertThat(this.a.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	/**
	 * A server that evicts keys when its memory is full is warned of at the first
	 * connection.
	 */
	@Fault(23)
	@Test
	void serverThatEvictsIsWarnedOfOnce(CapturedOutput output) {
		this.engines.server().configSet("maxmemory-policy", "allkeys-lru");
		TestMember unlimited = this.engines.member();
		releases(unlimited);
		this.engines.server().configSet("maxmemory", "1gb");
		TestMember limited = this.engines.member();
		releases(limited);
		await().untilAsserted(() -> assertThat(output).contains("maxmemory-policy allkeys-lru"));
		this.engines.server().clientKill(KillArgs.Builder.typeNormal().skipme());
		await().ignoreExceptions().untilAsserted(() -> releases(limited));
		assertThat(output).containsOnlyOnce("evicts keys when its memory is full");
	}

	private static void releases(TestMember member) {
		Claim claim = member.claim("k");
		granted(member, claim);
		assertThat(member.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	/**
	 * A waiter that its grant's message does not reach finds the grant by its next poll.
	 */
	@Fault(65)
	@Test
	void waiterWhoseInboxIsDeafIsServedByItsPolls() throws Exception {
		Claim first = this.b.claim("k");
		granted(this.b, first);
		Claim second = this.a.waiting("k");
		assertThat(this.a.engine().tryAcquire(second)).isInstanceOf(AcquisitionOutcome.Busy.class);
		this.a.engine().subscribe(second, this.signals::add);
		this.network.replies().hold();
		this.b.engine().release(first);
		assertThat(this.engines.server().get(lock())).endsWith(second.owner().token());
		assertThat(this.signals.poll(100, TimeUnit.MILLISECONDS)).isNull();
		this.network.reset();
		this.network.heal();
		assertThat(await().ignoreExceptions()
			.until(() -> this.a.engine().tryAcquire(second), AcquisitionOutcome.Granted.class::isInstance)).isNotNull();
		releasedAtLast(second);
	}

	@Test
	void inboxIsOpenedAgainAfterABreakAndAsksToPoll() throws Exception {
		Claim first = this.b.claim("k");
		granted(this.b, first);
		Claim second = this.a.waiting("k");
		assertThat(this.a.engine().tryAcquire(second)).isInstanceOf(AcquisitionOutcome.Busy.class);
		this.a.engine().subscribe(second, this.signals::add);
		this.network.refuse();
		this.network.reset();
		fails(() -> this.a.engine().tryAcquire(second));
		this.network.heal();
		assertThat(this.signals.poll(20, TimeUnit.SECONDS)).isEqualTo(new Signal.Retry());
		this.b.engine().release(first);
		assertThat(this.signals.poll(20, TimeUnit.SECONDS)).isInstanceOf(Signal.Pushed.class);
		releasedAtLast(second);
	}

	@Test
	void messageDelayedForTooLongOnlyAsksToPoll() throws Exception {
		Claim first = this.b.claim("k");
		granted(this.b, first);
		Claim second = this.a.waiting("k");
		assertThat(this.a.engine().tryAcquire(second)).isInstanceOf(AcquisitionOutcome.Busy.class);
		this.a.engine().subscribe(second, this.signals::add);
		this.network.replies().delay(Duration.ofMillis(2700));
		this.b.engine().release(first);
		assertThat(this.signals.poll(20, TimeUnit.SECONDS)).isEqualTo(new Signal.Retry());
		this.network.heal();
		assertThat(this.a.engine().tryAcquire(second)).isInstanceOf(AcquisitionOutcome.Granted.class);
		releasedAtLast(second);
	}

	/** Run a call whose reply is lost with its connection. */
	private void breaks(Callable<?> call, Runnable breakage) {
		breakage.run();
		fails(call);
		this.network.heal();
	}

	private static void fails(Callable<?> call) {
		Pace start = Pace.begin();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(call::call)
			.matches(LockEngineException::isRetryable);
		assertThat(start.elapsed()).isLessThan(start.slack(BOUND));
	}

	/** Release as the service does, until there is an answer. */
	private ReleaseOutcome releasedAtLast(Claim claim) {
		return await().ignoreExceptions().until(() -> this.a.engine().release(claim), (outcome) -> true);
	}

	private AcquisitionOutcome.Granted grantedAtLast(Claim claim) {
		return await().ignoreExceptions().until(() -> granted(this.a, claim), (granted) -> true);
	}

	private RenewalOutcome renew(Claim claim, long number) {
		return this.a.engine().renew(List.of(new Renewal(claim, number, RedisEngines.LEASE))).get(0);
	}

	private static AcquisitionOutcome.Granted granted(TestMember member, Claim claim) {
		AcquisitionOutcome attempt = member.engine().tryAcquire(claim);
		assertThat(attempt).isInstanceOf(AcquisitionOutcome.Granted.class);
		return (AcquisitionOutcome.Granted) attempt;
	}

	private String lock() {
		return this.engines.keys("k").lock();
	}

	private String marker(Claim claim) {
		return this.engines.keys("k").of(claim.owner().token())[3];
	}

}
