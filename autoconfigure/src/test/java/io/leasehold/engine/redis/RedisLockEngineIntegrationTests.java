package io.leasehold.engine.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.protocol.CommandType;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The engine on a healthy server: costs, handoff, messages, residue.
 */
class RedisLockEngineIntegrationTests {

	/** Commands of the test's own connections. */
	private static final List<String> OPERATOR = List.of("HELLO", "CLIENT");

	/** Nothing ends by its lease within a test. */
	private static final Duration LONG = Duration.ofMinutes(2);

	private final RedisEngines engines = RedisEngines.patient(RedisTestServer.shared().port());

	private final TestMember a = this.engines.member();

	private final TestMember b = this.engines.member();

	private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();

	@AfterEach
	void noClaimIsLeft() {
		assertThat(this.a.engine().liveClaims()).isZero();
		assertThat(this.b.engine().liveClaims()).isZero();
		assertThat(this.engines.residue()).isEmpty();
		this.engines.close();
	}

	@Test
	void uncontendedLockCostsOneCommandToAcquireAndOneToRelease() throws Exception {
		cycle();
		try (CommandLog log = CommandLog.start(RedisTestServer.shared().port())) {
			cycle();
			assertThat(log.commands(this.engines.server())).filteredOn((name) -> !OPERATOR.contains(name))
				.containsExactly("EVALSHA", "EVALSHA");
		}
	}

	private void cycle() {
		Claim claim = this.a.waiting("k");
		granted(this.a, claim);
		released(this.a, claim);
	}

	/**
	 * No message can come to a claim that never waited, so nothing is kept of it until
	 * its release.
	 */
	@Test
	void claimThatWasGrantedAtOnceIsForgotten() {
		Claim claim = this.a.waiting("k");
		long number = granted(this.a, claim).number();
		assertThat(this.a.engine().liveClaims()).isZero();
		assertThat(granted(this.a, claim).number()).isEqualTo(number);
		released(this.a, claim);
	}

	/** Two hundred claims wait: a release tells one of them. */
	@Fault(66)
	@Test
	void releaseWakesOneOfManyWaitingClaims() throws Exception {
		Claim first = this.a.claim("k");
		granted(this.a, first);
		List<Claim> waiting = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			waiting.add(waits(this.b, "k"));
		}
		try (CommandLog log = CommandLog.start(RedisTestServer.shared().port())) {
			released(this.a, first);
			assertThat(log.calls(this.engines.server())).filteredOn("publish"::equalsIgnoreCase).hasSize(1);
		}
		assertThat(this.signals.poll(20, TimeUnit.SECONDS)).isNotNull();
		for (int i = 199; i >= 0; i--) {
			this.b.engine().release(waiting.get(i));
		}
	}

	@Test
	void releasePushesTheGrantToTheFirstWaiter() throws Exception {
		Claim first = this.a.claim("k");
		long number = granted(this.a, first).number();
		Duration grantLease = this.engines.settings().grantLease();
		long earliest = MonotonicClock.validUntil(System.nanoTime(), grantLease);
		Claim second = waits(this.b, "k");
		long latest = MonotonicClock.validUntil(System.nanoTime(), grantLease);
		released(this.a, first);
		AcquisitionOutcome.Granted pushed = pushed();
		assertThat(pushed.number()).isGreaterThan(number);
		assertThat(this.engines.server().get(this.engines.keys("k").lock()))
			.isEqualTo(pushed.number() + ":" + second.owner().token());
		assertThat(pushed.validUntil()).isBetween(earliest, latest);
		released(this.b, second);
	}

	@Test
	void receiverOfAPushedGrantExtendsItToItsLease() throws Exception {
		Claim first = this.a.claim("k");
		granted(this.a, first);
		Claim second = waits(this.b, "k");
		released(this.a, first);
		long number = pushed().number();
		long sent = System.nanoTime();
		RenewalOutcome outcome = renew(this.b, second, number, LONG);
		assertThat(outcome).isInstanceOfSatisfying(RenewalOutcome.Renewed.class,
				(renewed) -> assertThat(renewed.validUntil())
					.isGreaterThanOrEqualTo(MonotonicClock.validUntil(sent, LONG)));
		assertThat(leaseLeft("k")).isBetween(this.engines.settings().grantLease().toMillis() + 1, LONG.toMillis());
		released(this.b, second);
	}

	@Test
	void pushedGrantIsNoLongerThanTheLease() throws Exception {
		Claim first = this.a.claim("k");
		granted(this.a, first);
		Claim second = this.b.claim("k", Duration.ofMillis(8000), true);
		busy(this.b, second);
		this.b.engine().subscribe(second, this.signals::add);
		released(this.a, first);
		pushed();
		assertThat(leaseLeft("k")).isBetween(1L, 8000L);
		released(this.b, second);
	}

	@Test
	void messageThatComesBeforeTheListenerIsNotLost() throws Exception {
		Claim first = this.a.claim("k");
		Claim probe = this.a.claim("probe");
		granted(this.a, first);
		granted(this.a, probe);
		Claim second = this.b.waiting("k");
		busy(this.b, second);
		Claim probing = waits(this.b, "probe");
		released(this.a, first);
		released(this.a, probe);
		pushed(); // messages of one inbox come in order
		this.b.engine().subscribe(second, this.signals::add);
		assertThat(pushed().number()).isEqualTo(granted(this.b, second).number());
		released(this.b, second);
		released(this.b, probing);
	}

	@Test
	void closedEarHearsNothing() throws Exception {
		Claim first = this.a.claim("k");
		granted(this.a, first);
		Claim second = this.b.waiting("k");
		busy(this.b, second);
		this.b.engine().subscribe(second, this.signals::add).close();
		released(this.a, first);
		assertThat(this.signals.poll(300, TimeUnit.MILLISECONDS)).isNull();
		released(this.b, second);
	}

	@Test
	void lostMessageIsFoundByTheNextPoll() {
		Claim first = this.a.claim("k");
		granted(this.a, first);
		Claim second = this.b.waiting("k");
		AcquisitionOutcome.Busy busy = busy(this.b, second);
		assertThat(busy.retryIn()).isBetween(Duration.ofMillis(2700), Duration.ofSeconds(3));
		this.engines.losesMessages(first, second);
		AcquisitionOutcome.Granted found = granted(this.b, second);
		assertThat(this.engines.server().get(this.engines.keys("k").lock()))
			.isEqualTo(found.number() + ":" + second.owner().token());
		this.a.engine().release(first);
		released(this.b, second);
	}

	@Test
	void nextPollIsJustAfterTheEndOfAShortLease() {
		Claim first = this.a.claim("k", LONG, false);
		granted(this.a, first);
		this.engines.server().pexpire(this.engines.keys("k").lock(), 2000);
		Claim second = this.b.waiting("k");
		assertThat(busy(this.b, second).retryIn()).isBetween(Duration.ofMillis(5), Duration.ofMillis(2005));
		this.a.engine().release(first);
		released(this.b, second);
	}

	/** Grants of a process that was restored from a snapshot go to its own inbox. */
	@Fault(90)
	@Test
	void restartedMemberHearsOfItsGrants() throws Exception {
		Claim first = this.a.claim("k");
		granted(this.a, first);
		Claim former = waits(this.b, "k");
		this.b.member().renew();
		this.b.engine().release(former);
		Claim second = waits(this.b, "k");
		assertThat(this.signals.poll(30, TimeUnit.SECONDS)).as("listens elsewhere").isInstanceOf(Signal.Retry.class);
		this.b.engine().release(second);
		Claim third = waits(this.b, "k");
		released(this.a, first);
		pushed();
		released(this.b, third);
	}

	@Test
	void staleAndDoubledMessagesAreIgnored() throws Exception {
		Claim first = this.a.claim("k");
		long number = granted(this.a, first).number();
		Claim second = waits(this.b, "k");
		String inbox = RedisKeys.inboxPrefix(this.engines.namespace()) + this.b.member().id();
		String lock = this.engines.keys("k").lock();
		this.engines.server().publish(inbox, new Grant(number, second.owner().token()) + " " + lock);
		this.engines.server().publish(inbox, "rubbish");
		released(this.a, first);
		long pushed = pushed().number();
		assertThat(pushed).isGreaterThan(number);
		this.engines.server().publish(inbox, new Grant(pushed, second.owner().token()) + " " + lock);
		assertThat(this.signals.poll(300, TimeUnit.MILLISECONDS)).isNull();
		assertThat(renew(this.b, second, pushed, RedisEngines.LEASE)).isInstanceOf(RenewalOutcome.Renewed.class);
		released(this.b, second);
	}

	@Test
	void grantToAClaimThatIsOverIsGivenBackAtOnce() throws Exception {
		Claim over = waitsInVain();
		Claim first = this.a.claim("k");
		granted(this.a, first);
		this.engines.enqueues(over);
		Pace pushed = Pace.begin();
		released(this.a, first);
		Awaitility.await().untilAsserted(() -> assertThat(this.engines.residue()).isEmpty());
		assertThat(pushed.elapsed()).isLessThan(pushed.slack(Duration.ofSeconds(2)));
	}

	private Claim waitsInVain() {
		Claim first = this.a.claim("k");
		granted(this.a, first);
		Claim second = waits(this.b, "k");
		assertThat(this.b.engine().release(second)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		released(this.a, first);
		return second;
	}

	@Test
	void abandonedWaiterLeavesTheQueue() throws Exception {
		Claim first = this.a.claim("k");
		granted(this.a, first);
		Claim second = waits(this.b, "k");
		Claim third = waits(this.b, "k");
		assertThat(this.b.engine().release(second)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		released(this.a, first);
		long number = pushed().number();
		assertThat(granted(this.b, third).number()).isEqualTo(number);
		released(this.b, third);
	}

	@Test
	void waiterThatGivesUpWithAGrantUnderWayHandsItOn() throws Exception {
		Claim first = this.a.claim("k");
		granted(this.a, first);
		Claim second = this.b.waiting("k");
		busy(this.b, second);
		Claim third = waits(this.b, "k");
		released(this.a, first);
		assertThat(this.b.engine().release(second)).isEqualTo(ReleaseOutcome.RELEASED);
		long number = pushed().number();
		assertThat(granted(this.b, third).number()).isEqualTo(number);
		released(this.b, third);
	}

	@Test
	void memberWithoutASubscriptionIsServedByItsPolls() {
		this.engines.server()
			.aclSetuser("deaf",
					AclSetuserArgs.Builder.on()
						.nopass()
						.allKeys()
						.allChannels()
						.allCommands()
						.removeCommand(CommandType.SUBSCRIBE));
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("127.0.0.1",
				RedisTestServer.shared().port());
		server.setUsername("deaf");
		server.setPassword("any");
		TestMember deaf = this.engines.member(server);
		Claim first = this.a.claim("k");
		granted(this.a, first);
		Claim second = deaf.waiting("k");
		busy(deaf, second);
		assertThat(this.engines.server().zrange(this.engines.keys("k").queue(), 0, -1)).singleElement()
			.asString()
			.contains("-test@");
		released(this.a, first);
		assertThat(this.engines.server().get(this.engines.keys("k").lock())).endsWith(second.owner().token());
		granted(deaf, second);
		released(deaf, second);
	}

	@Test
	void newSubscriptionAsksWaitersToPoll() throws Exception {
		Claim first = this.a.claim("k");
		granted(this.a, first);
		Claim second = waits(this.b, "k");
		this.engines.cutInboxes();
		assertThat(this.signals.poll(20, TimeUnit.SECONDS)).isEqualTo(new Signal.Retry());
		released(this.a, first);
		pushed();
		released(this.b, second);
	}

	@Test
	void manyHoldsAreRenewedByFewCommandsInOneRoundTrip() throws Exception {
		List<Renewal> renewals = new ArrayList<>();
		for (int i = 0; i < 1100; i++) {
			Claim claim = this.a.claim("k" + i, LONG, false);
			renewals.add(new Renewal(claim, granted(this.a, claim).number(), LONG.multipliedBy(2)));
		}
		this.engines.server().del(this.engines.keys("k700").lock());
		renew(this.a, renewals.get(0).claim(), 1, RedisEngines.LEASE);
		try (CommandLog log = CommandLog.start(RedisTestServer.shared().port())) {
			List<RenewalOutcome> outcomes = this.a.engine().renew(renewals);
			assertThat(Collections.frequency(log.commands(this.engines.server()), "EVALSHA")).isEqualTo(3);
			assertThat(outcomes).hasSize(1100).element(700).isInstanceOf(RenewalOutcome.NotOwner.class);
			assertThat(outcomes).filteredOn(RenewalOutcome.Renewed.class::isInstance).hasSize(1099);
		}
		assertThat(leaseLeft("k1099")).isGreaterThan(LONG.toMillis());
		renewals.forEach((renewal) -> this.a.engine().release(renewal.claim()));
	}

	@Test
	void formerOwnerCanNeitherRenewNorRelease() {
		Claim former = this.a.claim("k");
		long number = granted(this.a, former).number();
		this.engines.server().del(this.engines.keys("k").lock());
		Claim next = this.b.claim("k");
		long later = granted(this.b, next).number();
		assertThat(later).isGreaterThan(number);
		assertThat(renew(this.a, former, number, RedisEngines.LEASE)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(this.a.engine().release(former)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(renew(this.b, next, later, RedisEngines.LEASE)).isInstanceOf(RenewalOutcome.Renewed.class);
		released(this.b, next);
	}

	@Test
	void busyClaimThatDoesNotWaitLeavesNothingBehind() {
		Claim first = this.a.claim("k");
		granted(this.a, first);
		busy(this.b, this.b.claim("k"));
		assertThat(this.b.engine().liveClaims()).isZero();
		assertThat(this.engines.residue()).containsExactly(this.engines.keys("k").lock());
		released(this.a, first);
	}

	@Test
	void claimThatBeginsToWaitLaterIsQueued() throws Exception {
		Claim first = this.a.claim("k");
		granted(this.a, first);
		Claim second = this.b.claim("k");
		busy(this.b, second);
		busy(this.b, second.waiting());
		this.b.engine().subscribe(second.waiting(), this.signals::add);
		released(this.a, first);
		pushed();
		released(this.b, second);
	}

	@Test
	void secondReleaseFindsNothing() {
		Claim claim = this.a.claim("k");
		granted(this.a, claim);
		released(this.a, claim);
		assertThat(this.a.engine().release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
	}

	@Test
	void operatorsSeeTheHolder() {
		Claim claim = this.a.claim("k", LONG, false);
		Instant before = Instant.now().minusMillis(1);
		Pace pace = Pace.begin();
		long number = granted(this.a, claim).number();
		Holder holder = this.a.engine().inspect(claim.key()).get(0);
		Duration left = LONG.minus(pace.elapsed()).minusMillis(2);
		assertThat(holder.application()).isEqualTo("test");
		assertThat(holder.number()).isEqualTo(number);
		assertThat(holder.since()).isBetween(before, Instant.now());
		assertThat(holder.remaining()).isBetween(left, LONG);
		released(this.a, claim);
		assertThat(this.a.engine().inspect(claim.key())).isEmpty();
	}

	@Test
	void valueOfForeignMakeIsShownAsUnknown() {
		this.engines.server().setex(this.engines.keys("k").lock(), 60, "someone");
		assertThat(this.a.engine().inspect(new LockKey("k")).get(0).application()).isEqualTo("unknown");
		busy(this.a, this.a.claim("k"));
		this.engines.server().del(this.engines.keys("k").lock());
	}

	@Test
	void hostileKeysAreLocksOfTheirOwn() {
		List<Claim> claims = List.of(this.a.claim("}"), this.a.claim("{a}"), this.a.claim("%7Ba%7D"),
				this.a.claim("a\r\nSET x y"), this.a.claim("a:fence"), this.a.claim("a"), this.a.claim("*"),
				this.a.claim("'\""), this.a.claim("a b"), this.a.claim("🍣".repeat(128)));
		claims.forEach((claim) -> granted(this.a, claim));
		claims.forEach((claim) -> busy(this.b, this.b.claim(claim.key().value())));
		claims.forEach((claim) -> released(this.a, claim));
	}

	@Test
	void hostileKeyIsHandedOn() throws Exception {
		String key = "a b\n{}%:*'\"🍣";
		Claim first = this.a.claim(key);
		granted(this.a, first);
		Claim second = waits(this.b, key);
		released(this.a, first);
		pushed();
		released(this.b, second);
	}

	@Test
	void interruptedThreadAcquiresAndReleasesAndKeepsItsFlag() {
		Claim claim = this.a.claim("k");
		Thread.currentThread().interrupt();
		granted(this.a, claim);
		released(this.a, claim);
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void closedEngineRefusesAndLeavesNoThread() {
		this.engines.server();
		Set<Thread> before = threads();
		TestMember c = this.engines.member();
		Claim claim = c.waiting("k");
		granted(c, claim);
		released(c, claim);
		c.engine().close();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> c.engine().tryAcquire(c.claim("k")))
			.withMessageContaining("closed");
		Awaitility.await().untilAsserted(() -> assertThat(before).containsAll(threads()));
	}

	@Test
	void engineTellsWhatItIs() {
		assertThat(this.a.engine().name()).isEqualTo("redis");
		assertThat(this.a.engine().capabilities()).containsExactlyInAnyOrder(Capability.values());
		assertThat(this.a.engine().minLease()).isEqualTo(this.engines.settings().commandTimeout().multipliedBy(2));
	}

	private static Set<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().matches("(lettuce|leasehold-redis).*"))
			.collect(Collectors.toSet());
	}

	private Claim waits(TestMember member, String key) {
		Claim claim = member.waiting(key);
		busy(member, claim);
		member.engine().subscribe(claim, this.signals::add);
		return claim;
	}

	private static AcquisitionOutcome.Granted granted(TestMember member, Claim claim) {
		AcquisitionOutcome attempt = member.engine().tryAcquire(claim);
		assertThat(attempt).isInstanceOf(AcquisitionOutcome.Granted.class);
		return (AcquisitionOutcome.Granted) attempt;
	}

	private static AcquisitionOutcome.Busy busy(TestMember member, Claim claim) {
		AcquisitionOutcome attempt = member.engine().tryAcquire(claim);
		assertThat(attempt).isInstanceOf(AcquisitionOutcome.Busy.class);
		return (AcquisitionOutcome.Busy) attempt;
	}

	private static void released(TestMember member, Claim claim) {
		assertThat(member.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	private static RenewalOutcome renew(TestMember member, Claim claim, long number, Duration lease) {
		return member.engine().renew(List.of(new Renewal(claim, number, lease))).get(0);
	}

	private AcquisitionOutcome.Granted pushed() throws InterruptedException {
		Signal signal = this.signals.poll(20, TimeUnit.SECONDS);
		assertThat(signal).isInstanceOf(Signal.Pushed.class);
		return ((Signal.Pushed) signal).grant();
	}

	private long leaseLeft(String key) {
		return this.engines.server().pttl(this.engines.keys(key).lock());
	}

}
