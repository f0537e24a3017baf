package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.Claim;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.server.RedisTestServer;
import io.leasehold.service.LockService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void holderLearnsOfItsForcedReleaseLongBeforeItsNextRenewal(boolean lettuce) throws Exception {
		TestMember remote = lettuce ? this.operator : this.engines.byJedis(RedisTestServer.shared().port());
		HeldLock held = service().acquire(KEY.value(), OPTIONS);
		CompletableFuture<LockLostException> loss = lossOf(held);
		assertThat(remote.engine().forceRelease(KEY)).hasSize(1);
		assertThat(loss.get(30, TimeUnit.SECONDS).getLossCause()).isEqualTo(LossCause.NOT_OWNER);
		assertThat(held.isValid()).isFalse();
	}

	@Test
	void eachOfSeveralReadersLearnsOfTheForcedRelease() throws Exception {
		LockOptions shared = OPTIONS.toBuilder().mode(LockMode.SHARED).lockDelay(Duration.ofSeconds(1)).build();
		LockService service = service();
		CompletableFuture<LockLostException> one = lossOf(service.acquire(KEY.value(), shared));
		CompletableFuture<LockLostException> two = lossOf(service.acquireAsync(KEY.value(), shared).get());
		assertThat(this.operator.engine().forceRelease(KEY)).hasSize(2);
		assertThat(one.get(30, TimeUnit.SECONDS).getLossCause()).isEqualTo(LossCause.NOT_OWNER);
		assertThat(two.get(30, TimeUnit.SECONDS).getLossCause()).isEqualTo(LossCause.NOT_OWNER);
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
		lossOfOther.get(30, TimeUnit.SECONDS);
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
		Predicate<Claim> matched = revoked.poll(30, TimeUnit.SECONDS);
		assertThat(matched).accepts(claim).rejects(this.member.claim(KEY.value()));
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

}
