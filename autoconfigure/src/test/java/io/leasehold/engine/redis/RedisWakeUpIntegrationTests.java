package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.leasehold.LockEngineException;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.redis.ManagedRedis.Service;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.Fault;
import io.lettuce.core.AclSetuserArgs;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Notification of waiting claims by servers that reject messages of scripts, or
 * subscriptions.
 */
@ExtendWith(OutputCaptureExtension.class)
@Fault(163)
class RedisWakeUpIntegrationTests {

	private static final String ANNOUNCEMENT = "Redis rejects messages from scripts";

	private final RedisTestServer server = RedisTestServer.start();

	private final RedisEngines engines = RedisEngines.patient(this.server.port());

	@AfterEach
	void stop() {
		this.engines.close();
		this.server.close();
	}

	/** The waiter polls after ten seconds at the earliest, the message comes before. */
	@ParameterizedTest
	@EnumSource
	void firstReleaseFindsOutAndNoGrantIsLost(Service service, CapturedOutput output) throws Exception {
		try (ManagedRedis redis = ManagedRedis.start(service, this.server.port())) {
			TestMember holder = member(redis.port(), WakeUp.AUTO);
			TestMember waiter = member(redis.port(), WakeUp.AUTO);
			for (int i = 0; i < 3; i++) {
				assertThat(handOver(holder, waiter, "k" + i)).isPositive();
			}
			assertThat(closesThatPublish(redis.runs()) + closesThatPublish(redis.rejections())).isOne();
			assertThat(output.toString().split(ANNOUNCEMENT)).as("once for each process").hasSizeBetween(2, 3);
		}
	}

	/** Each member finds out by its own requests; none is run twice. */
	@ParameterizedTest
	@EnumSource
	void eachReleaseRunsOnce(Service service) throws Exception {
		try (ManagedRedis redis = ManagedRedis.start(service, this.server.port())) {
			TestMember holder = member(redis.port(), WakeUp.AUTO);
			TestMember waiter = member(redis.port(), WakeUp.AUTO);
			long before = closes(redis.runs());
			handOver(holder, waiter, "k");
			assertThat(closes(redis.runs()) - before).isOne();
			assertThat(this.engines.server().get(this.engines.keys("k").lock())).contains(waiter.member().id());
			// From now on no script of this member counts subscribers
			Claim again = holder.waiting("k");
			assertThat(holder.engine().tryAcquire(again)).isInstanceOf(AcquisitionOutcome.Busy.class);
			assertThat(queued("k")).contains("*" + holder.member().id());
		}
	}

	@ParameterizedTest
	@EnumSource
	void manyLocksAreRenewed(Service service) throws Exception {
		try (ManagedRedis redis = ManagedRedis.start(service, this.server.port())) {
			TestMember member = member(redis.port(), WakeUp.AUTO);
			List<Renewal> renewals = List.of("a", "b", "c")
				.stream()
				.map(member::claim)
				.map((claim) -> new Renewal(claim, member.granted(claim), RedisEngines.LEASE.multipliedBy(6)))
				.toList();
			for (int i = 0; i < 2; i++) {
				assertThat(member.engine().renew(renewals)).hasSize(3)
					.hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
			}
			assertThat(List.of("a", "b", "c"))
				.allSatisfy((key) -> assertThat(this.engines.server().pttl(this.engines.keys(key).lock()))
					.isGreaterThan(RedisEngines.LEASE.toMillis()));
			assertThat(redis.runs()).noneMatch(Scripts.RENEW_EACH.text()::equals);
			assertThat(redis.rejections()).filteredOn(Scripts.RENEW_EACH.text()::equals).hasSize(1);
		}
	}

	@ParameterizedTest
	@EnumSource
	void forcedReleaseNotifiesTheWaiterAndTheHolder(Service service) throws Exception {
		try (ManagedRedis redis = ManagedRedis.start(service, this.server.port())) {
			TestMember holder = member(redis.port(), WakeUp.AUTO);
			TestMember waiter = member(redis.port(), WakeUp.AUTO);
			BlockingQueue<Long> revoked = new LinkedBlockingQueue<>();
			holder.engine().reportRevocations((number, isOf) -> revoked.add(number));
			Claim held = holder.waiting("k");
			long number = holder.granted(held);
			Claim waiting = waiter.waiting("k");
			BlockingQueue<Long> granted = wait(waiter, waiting);
			assertThat(waiter.engine().forceRelease(held.key())).hasSize(1);
			assertThat(granted.poll(8, TimeUnit.SECONDS)).isGreaterThan(number);
			assertThat(revoked.poll(8, TimeUnit.SECONDS)).isEqualTo(number);
		}
	}

	@Test
	void configuredClientSendsNoPublishingScript(CapturedOutput output) throws Exception {
		try (ManagedRedis redis = ManagedRedis.start(Service.TAIR_PROXY, this.server.port())) {
			assertThat(handOver(member(redis.port(), WakeUp.CLIENT), member(redis.port(), WakeUp.CLIENT), "k"))
				.isPositive();
			assertThat(redis.rejections()).isEmpty();
			assertThat(output).doesNotContain(ANNOUNCEMENT);
		}
	}

	@Test
	void configuredScriptFailsWhereItIsRejected() throws Exception {
		try (ManagedRedis redis = ManagedRedis.start(Service.TAIR_PROXY, this.server.port())) {
			RedisConfiguration servers = new RedisStandaloneConfiguration("127.0.0.1", redis.port());
			TestMember member = this.engines.member(servers, settings(WakeUp.SCRIPT));
			Claim first = member.claim("k");
			member.granted(first);
			assertThatExceptionOfType(LockEngineException.class)
				.isThrownBy(() -> member.engine().tryAcquire(member.claim("k")))
				.withMessageContaining("ERR bad lua script")
				.matches((failure) -> !failure.isRetryable());
		}
	}

	/**
	 * A member that polls receives no messages. The messages that it sends arrive.
	 */
	@Test
	void memberThatPollsNeitherSubscribesNorKeepsOthersWaiting() throws Exception {
		TestMember polls = member(this.server.port(), WakeUp.POLL);
		TestMember listens = member(this.server.port(), WakeUp.AUTO);
		assertThat(handOver(polls, listens, "k1")).isPositive();
		Claim held = listens.claim("k2");
		long number = listens.granted(held);
		Claim waiting = polls.waiting("k2");
		assertThat(polls.engine().tryAcquire(waiting)).isInstanceOf(AcquisitionOutcome.Busy.class);
		assertThat(queued("k2")).contains("-" + polls.member().id());
		assertThat(polls.renew(waiting, number)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(listens.engine().release(held)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(polls.granted(waiting)).isGreaterThan(number);
		assertThat(this.engines.server().pubsubChannels(this.engines.namespace() + ":*")).singleElement()
			.asString()
			.endsWith(listens.member().id());
	}

	/** The account may use all commands and keys, but no channels. */
	@Test
	void accountWithoutChannelsPolls(CapturedOutput output) {
		this.engines.server()
			.aclSetuser("app", AclSetuserArgs.Builder.on().nopass().allKeys().allCommands().resetChannels());
		RedisStandaloneConfiguration servers = new RedisStandaloneConfiguration("127.0.0.1", this.server.port());
		servers.setUsername("app");
		servers.setPassword("any");
		TestMember limited = this.engines.member(servers);
		RedisEngines.warmUp(limited);
		TestMember other = this.engines.member();
		Claim held = limited.claim("k");
		long number = limited.granted(held);
		Claim listening = other.waiting("k");
		assertThat(other.engine().tryAcquire(listening)).isInstanceOf(AcquisitionOutcome.Busy.class);
		Claim polling = limited.waiting("k");
		assertThat(limited.engine().tryAcquire(polling)).isInstanceOf(AcquisitionOutcome.Busy.class);
		assertThat(this.engines.server().zrange(this.engines.keys("k").queue(), 1, 1)).singleElement()
			.asString()
			.contains("-" + limited.member().id());
		// The server rejects the message of the script, and that of the client
		assertThat(limited.engine().release(held)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(other.granted(listening)).isGreaterThan(number);
		other.engine().release(listening);
		assertThat(limited.granted(polling)).isGreaterThan(number);
		assertThat(output)
			.containsOnlyOnce("Redis rejects the subscription to '" + this.engines.namespace() + ":inbox:")
			.containsOnlyOnce(ANNOUNCEMENT);
	}

	private TestMember member(int port, WakeUp wakeUp) {
		TestMember member = this.engines.member(new RedisStandaloneConfiguration("127.0.0.1", port), settings(wakeUp));
		RedisEngines.warmUp(member);
		return member;
	}

	private RedisSettings settings(WakeUp wakeUp) {
		Duration call = Duration.ofSeconds(5);
		return new RedisSettings(this.engines.namespace(), Duration.ofSeconds(20), Duration.ofSeconds(30), call, call,
				call, Duration.ofSeconds(20), Duration.ofMinutes(1), 0, wakeUp);
	}

	/**
	 * Hand a lock to a waiter, which does not poll meanwhile.
	 * @return the number of its grant, from a message
	 */
	private static long handOver(TestMember holder, TestMember waiter, String key) throws InterruptedException {
		Claim held = holder.claim(key);
		long number = holder.granted(held);
		BlockingQueue<Long> granted = wait(waiter, waiter.waiting(key));
		assertThat(holder.engine().release(held)).isEqualTo(ReleaseOutcome.RELEASED);
		Long next = granted.poll(1, TimeUnit.MINUTES);
		assertThat(next).isGreaterThan(number);
		return next;
	}

	/** The only entry in the queue of a lock. */
	private String queued(String key) {
		List<String> all = this.engines.server().zrange(this.engines.keys(key).queue(), 0, -1);
		assertThat(all).hasSize(1);
		return all.get(0);
	}

	/** Enqueue a claim and return the numbers of its grants that messages report. */
	private static BlockingQueue<Long> wait(TestMember waiter, Claim claim) {
		BlockingQueue<Long> granted = new LinkedBlockingQueue<>();
		assertThat(waiter.engine().tryAcquire(claim)).isInstanceOf(AcquisitionOutcome.Busy.class);
		waiter.engine().subscribe(claim, (signal) -> {
			if (signal instanceof Signal.Pushed pushed) {
				granted.add(pushed.grant().number());
			}
		});
		return granted;
	}

	private static long closes(Collection<String> scripts) {
		return closesThatPublish(scripts) + scripts.stream().filter(Scripts.CLOSE.returning().text()::equals).count();
	}

	private static long closesThatPublish(Collection<String> scripts) {
		return scripts.stream().filter(Scripts.CLOSE.publishing().text()::equals).count();
	}

}
