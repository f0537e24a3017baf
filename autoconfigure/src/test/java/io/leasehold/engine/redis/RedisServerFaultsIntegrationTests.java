package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.leasehold.LockEngineException;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Terms;
import io.lettuce.core.KillArgs;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Servers that forget, reject or lose, and messages that do not arrive.
 */
@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
class RedisServerFaultsIntegrationTests extends RedisFaultsFixture {

	private static final Duration LONGER = RedisEngines.LEASE.multipliedBy(2);

	private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();

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

	/** The first one alone would decide on a script for all of them. */
	@Fault(18)
	@ParameterizedTest
	@ValueSource(strings = { "SHARED", "PERMIT", "MINIMUM_HOLD", "LOCK_DELAY", "LINGERING" })
	void serverWithoutMemoryRenewsAndReleasesLocksOfEveryKind(String kind) {
		Claim first = switch (kind) {
			case "SHARED" -> claim(Access.SHARED, Duration.ZERO, Duration.ZERO, false);
			case "PERMIT" -> claim(Access.permits(2), Duration.ZERO, Duration.ZERO, false);
			case "MINIMUM_HOLD" -> claim(Access.EXCLUSIVE, Duration.ofMinutes(1), Duration.ZERO, false);
			case "LOCK_DELAY" -> claim(Access.EXCLUSIVE, Duration.ZERO, Duration.ofMinutes(1), false);
			default -> claim(Access.EXCLUSIVE, Duration.ZERO, Duration.ZERO, true);
		};
		Claim second = this.a.claim("plain");
		List<Renewal> due = Stream.of(first, second)
			.map((claim) -> new Renewal(claim, granted(this.a, claim).number(), LONGER))
			.toList();
		this.engines.server().configSet("maxmemory", "1");
		assertThat(this.a.engine().renew(due)).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(this.a.engine().renew(due.subList(0, 1))).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(this.a.engine().release(first)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.a.engine().release(second)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	private Claim claim(Access access, Duration minHold, Duration lockDelay, boolean lingers) {
		Claim claim = this.a.claim("k");
		return new Claim(claim.key(), claim.owner(), Terms.of(access, RedisEngines.LEASE, minHold, lockDelay), false,
				claim.since(), lingers);
	}

	/** Such as a former master that is cut off, with {@code min-replicas-to-write}. */
	@Fault(18)
	@Test
	void masterWithoutReplicasNeitherGrantsNorRenews() {
		Claim held = this.a.claim("held");
		long number = granted(this.a, held).number();
		this.engines.server().configSet("min-replicas-to-write", "1");
		Claim refused = this.a.claim("k");
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> this.a.engine().tryAcquire(refused))
			.withMessageContaining("NOREPLICAS")
			.matches(LockEngineException::isRetryable);
		assertThat(renew(held, number)).isInstanceOf(RenewalOutcome.Unknown.class);
		this.engines.server().configSet("min-replicas-to-write", "0");
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
		// A slow machine may fail to connect in time first
		await().untilAsserted(() -> assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(() -> stranger.engine().tryAcquire(claim))
			.matches((ex) -> !ex.isRetryable(), "not retryable"));
		assertThat(stranger.engine().release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
	}

	/**
	 * After a restart without data, the next renewal reports the loss, and the next
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
		assertThat(this.engines.server().get(lock())).contains(second.owner().token());
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
		assertThat(this.signals.poll(1, TimeUnit.MINUTES)).isEqualTo(new Signal.Retry());
		// Else the last response is too old for a message, if the break took long
		await().ignoreExceptions().until(() -> this.a.engine().tryAcquire(second) instanceof AcquisitionOutcome.Busy);
		this.b.engine().release(first);
		assertThat(this.signals.poll(1, TimeUnit.MINUTES)).isInstanceOf(Signal.Pushed.class);
		releasedAtLast(second);
	}

	@Test
	void messageDelayedForTooLongOnlyAsksToPoll() throws Exception {
		Claim first = this.b.claim("k");
		granted(this.b, first);
		Claim second = this.a.waiting("k");
		assertThat(this.a.engine().tryAcquire(second)).isInstanceOf(AcquisitionOutcome.Busy.class);
		this.a.engine().subscribe(second, this.signals::add);
		RedisSettings settings = this.engines.settings();
		this.network.replies().delay(settings.grantLease().minus(settings.minValidity()).plusMillis(200));
		this.b.engine().release(first);
		assertThat(this.signals.poll(1, TimeUnit.MINUTES)).isEqualTo(new Signal.Retry());
		this.network.heal();
		assertThat(this.a.engine().tryAcquire(second)).isInstanceOf(AcquisitionOutcome.Granted.class);
		releasedAtLast(second);
	}

}
