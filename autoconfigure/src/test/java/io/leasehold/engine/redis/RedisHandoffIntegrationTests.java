package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.protocol.CommandType;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Grants that {@link RedisLockEngine} hands to waiting claims.
 */
class RedisHandoffIntegrationTests extends RedisLockEngineFixture {

	/** Two hundred claims wait: a release notifies one of them. */
	@Fault(66)
	@Test
	void releaseWakesOneOfManyWaitingClaims() throws Exception {
		Claim first = this.a.claim("k");
		granted(this.a, first);
		List<Claim> waiting = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			waiting.add(waits(this.b, "k"));
		}
		try (CommandLog log = CommandLog.start(RedisTestServer.shared().port(), this.engines.namespace())) {
			released(this.a, first);
			assertThat(log.calls(this.engines.server())).filteredOn("publish"::equalsIgnoreCase).hasSize(1);
		}
		assertThat(this.signals.poll(1, TimeUnit.MINUTES)).isNotNull();
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
		Claim second = this.b.claim("k", Duration.ofMillis(9000), true);
		busy(this.b, second);
		this.b.engine().subscribe(second, this.signals::add);
		released(this.a, first);
		pushed();
		assertThat(leaseLeft("k")).isBetween(1L, 9000L);
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
	void closedSubscriptionReceivesNoSignal() throws Exception {
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
	void restartedMemberIsNotifiedOfItsGrants() throws Exception {
		Claim first = this.a.claim("k");
		granted(this.a, first);
		Claim former = waits(this.b, "k");
		this.b.member().renew();
		this.b.engine().release(former);
		Claim second = waits(this.b, "k");
		assertThat(this.signals.poll(1, TimeUnit.MINUTES)).as("listens elsewhere").isInstanceOf(Signal.Retry.class);
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
		assertThat(this.engines.server().get(this.engines.keys("k").lock())).contains(second.owner().token());
		granted(deaf, second);
		released(deaf, second);
	}

	@Test
	void newSubscriptionAsksWaitersToPoll() throws Exception {
		Claim first = this.a.claim("k");
		granted(this.a, first);
		Claim second = waits(this.b, "k");
		this.engines.cutInboxes();
		assertThat(this.signals.poll(1, TimeUnit.MINUTES)).isEqualTo(new Signal.Retry());
		released(this.a, first);
		pushed();
		released(this.b, second);
	}

}
