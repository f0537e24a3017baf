package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.RedisTestServer;
import io.leasehold.service.LockService;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.test.contract.DelegatingEngine;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.TestSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Holders whose lock an operator releases in another process.
 */
class RedisRevocationIntegrationTests {

	/** Nothing is renewed within the time of a test. */
	private static final LockOptions OPTIONS = new LockOptions("test", RedisLockEngine.NAME, Duration.ofHours(1),
			Duration.ofSeconds(60), Duration.ZERO, LockOptions.UNLIMITED);

	private static final LockKey KEY = new LockKey("order:42");

	private final RedisEngines engines = RedisEngines.patient(RedisTestServer.shared().port());

	private final TestMember operator = this.engines.member();

	private final TestMember member = this.engines.member();

	@AfterEach
	void close() {
		this.engines.close();
	}

	@Test
	void holderLearnsOfItsForcedReleaseLongBeforeItsNextRenewal() throws Exception {
		HeldLock held = service().acquire(KEY.value(), OPTIONS);
		CompletableFuture<LockLostException> loss = lossOf(held);
		assertThat(this.operator.engine().forceRelease(KEY)).hasSize(1);
		assertThat(loss.get(1, TimeUnit.MINUTES).getLossCause()).isEqualTo(LossCause.NOT_OWNER);
		assertThat(held.isValid()).isFalse();
	}

	@Test
	void eachOfSeveralReadersLearnsOfTheForcedRelease() throws Exception {
		LockOptions shared = OPTIONS.toBuilder().mode(LockMode.SHARED).lockDelay(Duration.ofSeconds(1)).build();
		LockService service = service();
		CompletableFuture<LockLostException> one = lossOf(service.acquire(KEY.value(), shared));
		CompletableFuture<LockLostException> two = lossOf(service.acquireAsync(KEY.value(), shared).get());
		assertThat(this.operator.engine().forceRelease(KEY)).hasSize(2);
		assertThat(one.get(1, TimeUnit.MINUTES).getLossCause()).isEqualTo(LossCause.NOT_OWNER);
		assertThat(two.get(1, TimeUnit.MINUTES).getLossCause()).isEqualTo(LossCause.NOT_OWNER);
	}

	@Test
	void reportOfAnotherGrantChangesNothing() throws Exception {
		LockService service = service();
		HeldLock held = service.acquire(KEY.value(), OPTIONS);
		CompletableFuture<LockLostException> loss = lossOf(held);
		CompletableFuture<LockLostException> lossOfOther = lossOf(service.acquire("order:43", OPTIONS));
		Grant grant = grant(KEY.value());
		Grant other = grant("order:43");
		publish(new Grant(grant.number() + 1, grant.claim()));
		publish(new Grant(grant.number() - 1, grant.claim()));
		publish(new Grant(grant.number(), other.claim()));
		publish(new Grant(grant.number(), grant.claim() + "#x,0,1"));
		assertThat(held.isValid()).isTrue();
		publish(other);
		lossOfOther.get(1, TimeUnit.MINUTES);
		assertThat(loss).isNotDone();
		assertThat(held.isValid()).isTrue();
		assertThat(this.engines.server().get(this.engines.keys(KEY.value()).lock())).isEqualTo(grant.toString());
	}

	/** A process whose callers never wait subscribes at its first renewal. */
	@Test
	void holderThatDoesNotWaitIsNotifiedAfterItsFirstRenewal() throws Exception {
		LinkedBlockingQueue<Predicate<Claim>> revoked = new LinkedBlockingQueue<>();
		Claim claim = this.member.claim(KEY.value());
		long number = this.member.granted(claim);
		this.member.engine().reportRevocations((reported, predicate) -> {
			if (reported == number) {
				revoked.add(predicate);
			}
		});
		this.member.renew(claim, number);
		String inbox = RedisKeys.inboxPrefix(this.engines.namespace()) + this.member.member().id();
		await().until(() -> this.engines.server().pubsubNumsub(inbox).get(inbox) == 1);
		this.operator.engine().forceRelease(KEY);
		Predicate<Claim> matched = revoked.poll(1, TimeUnit.MINUTES);
		assertThat(matched).accepts(claim).rejects(this.member.claim(KEY.value()));
	}

	/**
	 * The message that the key was handed to a waiter arrives after the process has
	 * released it by force, while a later request of the waiter is on its way.
	 */
	@Fault({ 95, 178 })
	@Test
	void grantThatWasRevokedBeforeItArrivesIsNotHandedToItsWaiter() throws Exception {
		Delayed engine = new Delayed(this.member.engine());
		Claim former = this.operator.claim(KEY.value());
		this.operator.granted(former);
		try (LockService service = new LockService(TestSettings.of(OPTIONS), List.of(engine), this.member.member(),
				this.member.clock(), List.of(), ReleaseTiming.IMMEDIATE)) {
			CompletableFuture<HeldLock> waiting = service.acquireAsync(KEY.value());
			await().until(() -> engine.listener != null);
			this.operator.engine().release(former);
			Runnable push = Objects.requireNonNull(engine.pushes.poll(1, TimeUnit.MINUTES));
			assertThat(service.inspector().forceRelease(engine.name(), KEY)).hasSize(1);
			Claim next = this.operator.claim(KEY.value());
			long number = this.operator.granted(next);
			engine.holdsRequests = true;
			engine.listener.accept(new Signal.Retry());
			await().until(() -> engine.held.get() == 1);
			push.run();
			engine.holdsRequests = false;
			await().until(() -> engine.answered.get() > 1);
			assertThat(waiting).isNotDone();
			assertThat(grant(KEY.value()).number()).isEqualTo(number);
			engine.delaysPushes = false;
			this.operator.engine().release(next);
			try (HeldLock held = waiting.get(1, TimeUnit.MINUTES)) {
				assertThat(held.fencingToken() / 64).isGreaterThan(number);
				assertThat(held.fencingToken() / 64).isEqualTo(grant(KEY.value()).number());
			}
		}
	}

	private LockService service() {
		return this.engines.service(this.member, (event) -> {
		});
	}

	private Grant grant(String key) {
		return Grant.parse(this.engines.server().get(this.engines.keys(key).lock()));
	}

	private void publish(Grant revoked) {
		this.engines.server()
			.publish(RedisKeys.inboxPrefix(this.engines.namespace()) + this.member.member().id(), revoked.revocation());
	}

	private static CompletableFuture<LockLostException> lossOf(HeldLock held) {
		CompletableFuture<LockLostException> loss = new CompletableFuture<>();
		held.onLost(loss::complete);
		return loss;
	}

	/** An engine whose requests and pushed grants the test delays. */
	private static final class Delayed extends DelegatingEngine {

		private final LinkedBlockingQueue<Runnable> pushes = new LinkedBlockingQueue<>();

		private final AtomicInteger held = new AtomicInteger();

		private final AtomicInteger answered = new AtomicInteger();

		private volatile boolean delaysPushes = true;

		private volatile boolean holdsRequests;

		private volatile Consumer<Signal> listener;

		Delayed(LockEngine engine) {
			super(engine);
		}

		@Override
		public AcquisitionOutcome tryAcquire(Claim claim) {
			if (this.holdsRequests) {
				this.held.incrementAndGet();
				await().until(() -> !this.holdsRequests);
			}
			AcquisitionOutcome outcome = super.tryAcquire(claim);
			this.answered.incrementAndGet();
			return outcome;
		}

		@Override
		public Subscription subscribe(Claim claim, Consumer<Signal> listener) {
			this.listener = listener;
			return super.subscribe(claim, (signal) -> {
				if (this.delaysPushes && signal instanceof Signal.Pushed) {
					this.pushes.add(() -> listener.accept(signal));
				}
				else {
					listener.accept(signal);
				}
			});
		}

	}

}
