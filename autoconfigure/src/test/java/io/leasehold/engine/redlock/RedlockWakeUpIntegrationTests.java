package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.redis.connection.Connector;
import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.engine.redis.connection.Login;
import io.leasehold.engine.redlock.RedlockCluster.Process;
import io.leasehold.server.FaultProxy;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Waiting claims that masters notify of a release. Their next poll would be after minutes
 * at the earliest, unless a test says otherwise.
 */
@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
class RedlockWakeUpIntegrationTests {

	private static final List<Long> NONE = List.of(0L, 0L, 0L);

	private static final List<Long> EACH = List.of(1L, 1L, 1L);

	@AutoClose
	private static final RedlockTestMasters MASTERS = RedlockTestMasters.start(3);

	@AutoClose
	private final RedlockCluster cluster = new RedlockCluster(MASTERS);

	private final Process holder = this.cluster.process(3);

	private final Claim held = this.holder.claim("k");

	@Test
	void waiterIsNotifiedOfTheRelease() throws Exception {
		Process waiter = patient();
		this.holder.granted(this.held);
		Claim claim = waiter.waiting("k");
		BlockingQueue<Signal> signals = listen(waiter, claim);
		this.holder.engine().release(this.held);
		expectSignal(signals);
		waiter.granted(claim);
	}

	@Test
	void waiterIsNotifiedOfAForcedRelease() throws Exception {
		Process waiter = patient();
		this.holder.granted(this.held);
		Claim claim = waiter.waiting("k");
		BlockingQueue<Signal> signals = listen(waiter, claim);
		this.holder.engine().forceRelease(this.held.key());
		expectSignal(signals);
		waiter.granted(claim);
	}

	@Test
	void minorityThatIsDownIsNotNeededToNotifyAWaiter() throws Exception {
		Process waiter = patient();
		waiter.cut(1);
		this.holder.cut(1);
		this.holder.granted(this.held);
		Claim claim = waiter.waiting("k");
		BlockingQueue<Signal> signals = listen(waiter, claim, 0, 2);
		this.holder.engine().release(this.held);
		expectSignal(signals);
		waiter.granted(claim);
	}

	/** The messages arrive after the busy response, but before the claim listens. */
	@Test
	void releaseBetweenTheResponseAndTheSubscriptionIsNotLost() throws Exception {
		Process waiter = patient();
		this.holder.granted(this.held);
		BlockingQueue<Signal> earlier = listen(waiter, waiter.waiting("k"));
		Claim claim = waiter.waiting("k");
		assertThat(waiter.engine().tryAcquire(claim)).isInstanceOf(Busy.class);
		this.holder.engine().release(this.held);
		expectSignal(earlier);
		BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
		waiter.engine().subscribe(claim, signals::add);
		expectSignal(signals);
		waiter.granted(claim);
	}

	@Test
	void subscriptionThatBreaksIsRepeatedWhileAClaimWaits() throws Exception {
		Process waiter = patient();
		this.holder.granted(this.held);
		Claim claim = waiter.waiting("k");
		BlockingQueue<Signal> signals = listen(waiter, claim);
		breakSubscriptions();
		expectSignal(signals); // messages may be lost until then
		await().until(() -> subscribers().equals(EACH));
		assertThat(waiter.engine().tryAcquire(claim)).isInstanceOf(Busy.class);
		signals.clear();
		this.holder.engine().release(this.held);
		expectSignal(signals);
		waiter.granted(claim);
	}

	/** The connections for requests work, those for messages cannot be opened again. */
	@Test
	void waiterWithBrokenSubscriptionsPolls() throws Exception {
		Process waiter = this.cluster.process(3);
		this.holder.granted(this.held);
		Claim claim = waiter.waiting("k");
		BlockingQueue<Signal> signals = listen(waiter, claim);
		waiter.network().forEach(FaultProxy::refuse);
		breakSubscriptions();
		await().until(() -> subscribers().equals(NONE));
		signals.clear();
		assertThat(waiter.engine().tryAcquire(claim)).isInstanceOfSatisfying(Busy.class,
				(busy) -> assertThat(busy.retryIn()).isLessThanOrEqualTo(Duration.ofMillis(200)));
		this.holder.engine().release(this.held);
		waiter.granted(claim);
		assertThat(signals).isEmpty();
	}

	@Test
	void nothingIsPublishedOrSubscribedToWithoutAWaiter() throws Exception {
		Process other = patient();
		List<Long> before = messages();
		this.holder.number("k");
		Claim first = this.holder.waiting("k");
		this.holder.granted(first);
		assertThat(other.tryAcquire("k")).isInstanceOf(Busy.class); // does not wait
		this.holder.engine().release(first);
		assertThat(messages()).isEqualTo(before);
		assertThat(subscribers()).isEqualTo(NONE);
		this.holder.granted(this.held);
		listen(other, other.waiting("k"));
		this.holder.engine().release(this.held);
		await().untilAsserted(
				() -> assertThat(messages()).isEqualTo(before.stream().map((number) -> number + 1).toList()));
	}

	/** A lock that no claim could acquire is not reported as free. */
	@Test
	void nothingIsPublishedWhileAMinimumHoldOrAReaderRemains() throws Exception {
		Process other = patient();
		Claim briefly = new Claim(this.held.key(), this.holder.member().newOwner(), RedlockCluster.LONG,
				RedlockCluster.LONG, false, System.nanoTime());
		List<Long> before = messages();
		this.holder.granted(briefly);
		listen(other, other.waiting("k"));
		this.holder.engine().release(briefly);
		Claim reader = this.holder.reader("r");
		this.holder.granted(reader);
		this.holder.granted(this.holder.reader("r"));
		listen(other, other.waiting("r"));
		this.holder.engine().release(reader);
		assertThat(messages()).isEqualTo(before);
	}

	/** The account may use all commands and keys, but no channels. */
	@Test
	void accountWithoutChannelsPollsAndReleases(CapturedOutput output) throws Exception {
		operators().forEach((operator) -> {
			operator.aclSetuser("app", AclSetuserArgs.Builder.on().nopass().allKeys().allCommands().resetChannels());
			operator.aclLogReset();
		});
		RedlockLockEngine engine = new RedlockLockEngine(byLettuce(), RedlockOpener.nodes(MASTERS.ports()),
				() -> new Login("app", "any".toCharArray(), 0), RedlockOpener.settings(this.cluster.namespace()),
				MonotonicClock.SYSTEM);
		try (engine) {
			Process limited = new Process(Member.of("limited"), engine, List.of());
			RedlockOpener.warm(limited.member(), engine);
			this.holder.granted(this.held);
			Claim polling = limited.waiting("k");
			assertThat(engine.tryAcquire(polling)).isInstanceOf(Busy.class);
			engine.subscribe(polling, (signal) -> {
			});
			await().until(() -> operators().noneMatch((operator) -> operator.aclLog().isEmpty()));
			await().until(() -> output.getAll().contains("rejects the subscription"));
			this.holder.engine().release(this.held);
			limited.granted(polling);
			Claim listening = this.holder.waiting("k");
			BlockingQueue<Signal> signals = listen(this.holder, listening);
			assertThat(engine.release(polling)).isInstanceOf(ReleaseOutcome.Released.class);
			this.holder.granted(listening);
			assertThat(signals).isEmpty();
		}
		assertThat(output).containsOnlyOnce("rejects the subscription to '" + channel() + "'");
	}

	@Test
	void closedEngineLeavesNoSubscriptionAndNoThread() throws Exception {
		this.holder.granted(this.held);
		Set<Thread> before = threads();
		Process waiter = patient();
		listen(waiter, waiter.waiting("k"));
		waiter.engine().close();
		await().until(() -> subscribers().equals(NONE));
		await().untilAsserted(() -> assertThat(before).containsAll(threads()));
	}

	private Process patient() {
		return this.cluster.patientProcess(byLettuce());
	}

	private static Connector byLettuce() {
		return new LettuceConnector(LettuceTransport.PLAIN, RedlockOpener.COMMAND_TIMEOUT);
	}

	/**
	 * Let a claim wait for a lock. Its last request follows the first subscriptions,
	 * which may have missed messages.
	 */
	private BlockingQueue<Signal> listen(Process waiter, Claim claim, int... reachable) throws Exception {
		boolean subscribes = subscribers().equals(NONE);
		BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();
		assertThat(waiter.engine().tryAcquire(claim)).isInstanceOf(Busy.class);
		waiter.engine().subscribe(claim, signals::add);
		if (subscribes) {
			expectSignal(signals);
			assertThat(waiter.engine().tryAcquire(claim)).isInstanceOf(Busy.class);
		}
		String lock = this.cluster.names(claim.key().value()).lock();
		await().until(() -> operators(reachable).allMatch((operator) -> operator.hexists(lock, "waiter")));
		return signals;
	}

	private static void expectSignal(BlockingQueue<Signal> signals) throws InterruptedException {
		assertThat(signals.poll(1, TimeUnit.MINUTES)).isEqualTo(new Signal.Retry());
	}

	private void breakSubscriptions() {
		await().until(() -> subscribers().equals(EACH));
		operators().forEach((operator) -> operator.clientKill(KillArgs.Builder.typePubsub()));
	}

	private static Stream<RedisCommands<String, String>> operators(int... indexes) {
		return IntStream.of((indexes.length > 0) ? indexes : new int[] { 0, 1, 2 }).mapToObj(MASTERS::operator);
	}

	private String channel() {
		return LockNames.releases(this.cluster.namespace());
	}

	/** Number of subscribers of each master. */
	private List<Long> subscribers() {
		return operators().map((operator) -> operator.pubsubNumsub(channel()).get(channel())).toList();
	}

	/** Number of messages that each master was sent, also by scripts. */
	private static List<Long> messages() {
		return IntStream.range(0, 3).mapToObj(MASTERS::messages).toList();
	}

	private static Set<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("leasehold-red"))
			.collect(Collectors.toSet());
	}

}
