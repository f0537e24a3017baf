package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.FaultProxy;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Networks and servers that fail, under the engine alone.
 */
@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
class RedisLockEngineFaultsIntegrationTests extends RedisFaultsFixture {

	private static final Duration OUTAGE = Duration.ofSeconds(Integer.getInteger("leasehold.test.outage-seconds", 3));

	/**
	 * A grant whose reply is held up beyond the call is undone by the claim's release.
	 */
	@Fault({ 9, 104 })
	@Test
	void acquireWhoseReplyWasLateIsUndoneByItsRelease() {
		Claim claim = this.a.claim("k");
		this.network.replies().hold();
		fails(() -> this.a.engine().tryAcquire(claim));
		assertThat(this.engines.server().get(lock())).contains(claim.owner().token());
		this.network.heal();
		assertThat(this.a.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.engines.residue()).isEmpty();
	}

	/**
	 * A connection that breaks after the request was carried out is an error, and the
	 * grant that nobody was notified of is undone by the claim's release.
	 */
	@Fault(12)
	@Test
	void acquireWhoseReplyWasLostWithItsConnectionIsUndoneByItsRelease() {
		Claim claim = this.a.claim("k");
		breaks(() -> this.a.engine().tryAcquire(claim), this.network.replies()::reset);
		assertThat(this.engines.server().get(lock())).contains(claim.owner().token());
		releasedAtLast(claim);
		assertThat(this.engines.residue()).containsExactly(markers());
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
		assertThat(released.get(1, TimeUnit.MINUTES)).isEqualTo(ReleaseOutcome.RELEASED);
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
		assertThat(this.engines.residue()).containsExactly(markers());
		assertThat(this.engines.server().pttl(markers())).isPositive();
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
		// A script that the server does not know is repeated by its text
		this.engines.server().scriptLoad(Scripts.ACQUIRE.publishing().text());
		long scripts = this.engines.scriptsRun();
		breaks(() -> this.a.engine().tryAcquire(claim), this.network.replies()::finish);
		grantedAtLast(claim);
		assertThat(this.engines.scriptsRun()).isEqualTo(scripts + 2);
		this.a.engine().release(claim);
	}

	/**
	 * The second release finds nothing, because the first one, whose reply was lost, has
	 * freed the key. The service reports no loss then.
	 */
	@Fault(13)
	@Test
	void releaseWhoseReplyWasLostIsRepeated() {
		Claim claim = this.a.claim("k");
		granted(this.a, claim);
		breaks(() -> this.a.engine().release(claim), this.network.replies()::reset);
		assertThat(releasedAtLast(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(this.engines.residue()).isEmpty();
	}

	/** The same after a reply that was held up, on the same connection. */
	@Fault(13)
	@Test
	void releaseWhoseReplyWasLateIsRepeated() {
		Claim claim = this.a.claim("k");
		granted(this.a, claim);
		this.network.replies().hold();
		fails(() -> this.a.engine().release(claim));
		this.network.heal();
		assertThat(this.a.engine().release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(this.engines.residue()).isEmpty();
	}

	/**
	 * A first release that finds nothing reports a loss, whatever became of connections
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
		try (RedisEngines patient = RedisEngines.patient(this.server.port())) {
			TestMember c = member(patient, this.network.port());
			Claim claim = c.claim("k");
			long number = granted(c, claim).number();
			this.network.blackHole();
			Pace start = Pace.begin();
			Renewal renewal = new Renewal(claim, number, Duration.ofMillis(1500));
			assertThat(c.engine().renew(List.of(renewal))).hasOnlyElementsOfType(RenewalOutcome.Unknown.class);
			assertThat(start.elapsed()).isLessThan(start.slack(patient.settings().commandTimeout().dividedBy(2)));
			this.network.heal();
			assertThat(c.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
		}
	}

	/**
	 * Two seconds after a network is whole again leases are renewed; the length of the
	 * outage is a property for long runs.
	 */
	@Fault(15)
	@Test
	void renewalGoesOnSoonAfterALongOutage() {
		Claim claim = this.a.claim("k", OUTAGE.plusMinutes(1), false);
		long number = granted(this.a, claim).number();
		this.network.blackHole();
		long outage = System.nanoTime();
		while (System.nanoTime() - outage < OUTAGE.toNanos()) {
			assertThat(renew(claim, number)).isInstanceOf(RenewalOutcome.Unknown.class);
		}
		Pace healed = Pace.begin();
		this.network.heal();
		await().until(() -> renew(claim, number) instanceof RenewalOutcome.Renewed);
		assertThat(healed.elapsed()).isLessThan(healed.slack(RedisEngines.COMMAND_TIMEOUT.multipliedBy(2)));
		releasedAtLast(claim);
	}

	/**
	 * A connection that stays dead when the network is whole again is given up for a new
	 * one.
	 */
	@Fault(15)
	@Test
	void silentConnectionIsClosedAlthoughItIsNotBroken() {
		Claim claim = this.a.claim("k");
		long number = granted(this.a, claim).number();
		Pace dead = Pace.begin();
		this.network.strandRequests(); // for good
		await().until(() -> renew(claim, number) instanceof RenewalOutcome.Renewed);
		assertThat(dead.elapsed()).isLessThan(dead.slack(RedisEngines.COMMAND_TIMEOUT.multipliedBy(4)));
		releasedAtLast(claim);
	}

	/** Run a call whose reply is lost with its connection. */
	private void breaks(Callable<?> call, Runnable breakage) {
		breakage.run();
		fails(call);
		this.network.heal();
	}

	private AcquisitionOutcome.Granted grantedAtLast(Claim claim) {
		return await().ignoreExceptions().until(() -> granted(this.a, claim), (granted) -> true);
	}

	private String markers() {
		return this.engines.keys("k").gone();
	}

}
