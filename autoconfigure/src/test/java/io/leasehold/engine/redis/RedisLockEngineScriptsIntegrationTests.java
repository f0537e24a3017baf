package io.leasehold.engine.redis;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ScriptOutputType;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

/**
 * The atomic steps of an exclusive lock, line by line of the protocol's section 2.
 */
class RedisLockEngineScriptsIntegrationTests extends RedisScripts {

	@Test
	void freeLockIsGrantedWithItsLease() {
		long before = serverMicros();
		long number = granted(acquire(A, LEASE, ""));
		assertThat(number).isBetween(before, serverMicros());
		assertThat(redis.get(KEYS.lock())).isEqualTo(number + ":" + A);
		assertThat(redis.pttl(KEYS.lock())).isCloseTo(LEASE, within(gone()));
	}

	@Test
	void freeLockIsGrantedToAWaitingClaimWithoutAQueue() {
		granted(acquire(A, LEASE, "+"));
		assertThat(redis.exists(KEYS.queue())).isZero();
	}

	@Test
	void repeatedRequestFindsItsGrant() {
		long number = granted(acquire(A, LEASE, "+"));
		assertThat(granted(acquire(A, LEASE, "+"))).isEqualTo(number);
		assertThat(redis.exists(KEYS.queue())).isZero();
	}

	@Test
	void repeatedRequestRaisesTheLeaseButNeverShortensIt() {
		granted(acquire(A, 1000, ""));
		acquire(A, LEASE, "");
		assertThat(redis.pttl(KEYS.lock())).isCloseTo(LEASE, within(gone()));
		acquire(A, 1000, "");
		assertThat(redis.pttl(KEYS.lock())).isCloseTo(LEASE, within(gone()));
	}

	@Test
	void heldLockIsBusyAndTellsFenceAndRest() {
		long number = granted(acquire(A, LEASE, ""));
		List<Object> response = acquire(B, LEASE, "");
		assertThat(response).element(0).isEqualTo("busy");
		assertThat(response).element(1).isEqualTo(Long.toString(number));
		assertThat((Long) response.get(2)).isCloseTo(LEASE, within(gone()));
		assertThat(redis.exists(KEYS.queue())).isZero();
	}

	@Test
	void fencesGrowAlsoWhenTheServerLosesItsData() {
		long first = granted(acquire(A, LEASE, ""));
		close(A);
		long second = granted(acquire(B, LEASE, ""));
		redis.flushall();
		long third = granted(acquire(C, LEASE, ""));
		assertThat(second).isGreaterThan(first);
		assertThat(third).isGreaterThan(second);
	}

	@Test
	void fencesGrowAlsoWhenTheServersClockGoesBack() {
		long future = serverMicros() + 1_000_000_000L;
		redis.set(KEYS.number(), Long.toString(future));
		assertThat(granted(acquire(A, LEASE, ""))).isEqualTo(future + 1);
		close(A);
		assertThat(granted(acquire(B, LEASE, ""))).isEqualTo(future + 2);
	}

	@Test
	void fenceIsWrittenWithAllItsDigits() {
		redis.set(KEYS.number(), "99999999999999999".substring(0, 16));
		granted(acquire(A, LEASE, ""));
		assertThat(redis.get(KEYS.number())).isEqualTo("10000000000000000");
	}

	@Test
	void fenceExpiresAfterItsRetentionAndIsKeptByEachGrant() {
		granted(acquire(A, LEASE, ""));
		redis.pexpire(KEYS.number(), 5000);
		close(A);
		granted(acquire(B, LEASE, ""));
		assertThat(redis.pttl(KEYS.number())).isCloseTo(RETENTION, within(gone()));
	}

	@Test
	void closedClaimStaysClosedByItsMarker() {
		assertThat(closeWithMarker(A)).isZero();
		assertThat(acquire(A, LEASE, "+")).containsExactly("closed");
		assertThat(redis.exists(KEYS.lock(), KEYS.queue())).isZero();
		assertThat(redis.pttl(KEYS.gone())).isCloseTo(20_000L, within(gone()));
	}

	@Test
	void markerEndsOnlyItsOwnClaim() {
		closeWithMarker(A);
		granted(acquire(B, LEASE, ""));
	}

	@Test
	void waitingClaimsAreServedInTheirOrder() throws Exception {
		BlockingQueue<String> inboxB = subscribe("b@h:2:0");
		BlockingQueue<String> inboxC = subscribe("c@h:3:0");
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "+"));
		busy(acquire(C, LEASE, "+"));
		busy(acquire(B, GRANT_LEASE, "+"));
		assertThat(close(A)).isOne();
		String message = inboxB.poll(1, TimeUnit.MINUTES);
		assertThat(message).isEqualTo(redis.get(KEYS.lock()).replace(" !", "") + " " + KEYS.lock()).contains(B);
		assertThat(redis.pttl(KEYS.lock())).isCloseTo(GRANT_LEASE, within(gone()));
		assertThat(close(B)).isOne();
		assertThat(inboxC.poll(1, TimeUnit.MINUTES)).contains(C);
		assertThat(inboxB).isEmpty();
		assertThat(redis.exists(KEYS.queue())).isZero();
	}

	@Test
	void pollKeepsThePlaceInTheQueueAndItsLifetime() {
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "-"));
		double place = redis.zscore(KEYS.queue(), GRANT_LEASE + "-" + B);
		redis.pexpire(KEYS.queue(), 2000);
		busy(acquire(B, GRANT_LEASE, "+"));
		assertThat(redis.zcard(KEYS.queue())).isOne();
		assertThat(redis.zscore(KEYS.queue(), GRANT_LEASE + "-" + B)).isEqualTo(place);
		assertThat(redis.pttl(KEYS.queue())).isCloseTo(QUEUE, within(gone()));
	}

	@Test
	void claimThatOnlyPollsIsGrantedWithoutAMessage() throws Exception {
		BlockingQueue<String> inbox = subscribe("b@h:2:0");
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "-"));
		close(A);
		assertThat(redis.get(KEYS.lock())).contains(":" + B);
		granted(acquire(B, GRANT_LEASE, "-"));
		assertThat(inbox.poll(100, TimeUnit.MILLISECONDS)).isNull();
	}

	@Test
	void deadWaiterIsSkipped() throws Exception {
		BlockingQueue<String> inboxC = subscribe("c@h:3:0");
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "+"));
		busy(acquire(C, LEASE, "+"));
		close(A);
		assertThat(inboxC.poll(1, TimeUnit.MINUTES)).contains(C);
		assertThat(redis.get(KEYS.lock())).contains(":" + C);
	}

	@Test
	void lockIsFreeWhenAllWaitersAreDead() {
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "+"));
		busy(acquire(C, LEASE, "+"));
		assertThat(close(A)).isOne();
		assertThat(redis.exists(KEYS.lock(), KEYS.queue())).isZero();
	}

	@Test
	void whoeverComesAfterAnExpiryServesTheFirstInTheQueue() throws Exception {
		BlockingQueue<String> inbox = subscribe("b@h:2:0");
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "+"));
		redis.del(KEYS.lock());
		List<Object> response = acquire(C, LEASE, "");
		assertThat(response).element(0).isEqualTo("busy");
		String message = inbox.poll(1, TimeUnit.MINUTES);
		assertThat(message).startsWith(response.get(1) + ":" + B);
	}

	@Test
	void claimWhoseTurnItIsAfterAnExpiryIsGrantedByItsOwnPoll() throws Exception {
		BlockingQueue<String> inbox = subscribe("b@h:2:0");
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "+"));
		redis.del(KEYS.lock());
		granted(acquire(B, GRANT_LEASE, "+"));
		assertThat(redis.exists(KEYS.queue())).isZero();
		assertThat(inbox.poll(100, TimeUnit.MILLISECONDS)).isNull();
	}

	@Test
	void claimBehindDeadOnesIsGrantedAndLeavesTheQueue() {
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "+"));
		redis.del(KEYS.lock());
		granted(acquire(C, LEASE, "+"));
		assertThat(redis.exists(KEYS.queue())).isZero();
	}

	@Test
	void closeOfAWaitingClaimTakesItFromTheQueueInEitherForm() {
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "+"));
		busy(acquire(C, LEASE, "-"));
		assertThat(close(B)).isZero();
		assertThat(close(C)).isZero();
		assertThat(redis.exists(KEYS.queue())).isZero();
		assertThat(redis.get(KEYS.lock())).contains(":" + A);
	}

	@Test
	void closeByAnotherThanTheOwnerPopsNoWaiter() {
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "-"));
		String held = redis.get(KEYS.lock());
		assertThat(close(C)).isZero();
		assertThat(redis.get(KEYS.lock())).isEqualTo(held);
		assertThat(redis.zcard(KEYS.queue())).isOne();
	}

	@Test
	void secondCloseChangesNothing() {
		granted(acquire(A, LEASE, ""));
		assertThat(close(A)).isOne();
		long number = granted(acquire(B, LEASE, ""));
		assertThat(close(A)).isZero();
		assertThat(redis.get(KEYS.lock())).isEqualTo(number + ":" + B);
	}

	@Test
	void renewalRaisesTheLeaseButNeverShortensIt() {
		long number = granted(acquire(A, 5000, ""));
		assertThat(renew(number + ":" + A, LEASE)).containsExactly(1L);
		assertThat(redis.pttl(KEYS.lock())).isCloseTo(LEASE, within(gone()));
		assertThat(renew(number + ":" + A, 1000)).containsExactly(1L);
		assertThat(redis.pttl(KEYS.lock())).isCloseTo(LEASE, within(gone()));
	}

	@Test
	void renewalComparesOwnerAndFence() {
		long number = granted(acquire(A, LEASE, ""));
		assertThat(renew(number + ":" + B, LEASE)).containsExactly(0L);
		assertThat(renew((number - 1) + ":" + A, LEASE)).containsExactly(0L);
	}

	@Test
	void renewalNeverCreatesALock() {
		assertThat(renew("1:" + A, LEASE)).containsExactly(0L);
		assertThat(redis.exists(KEYS.lock())).isZero();
	}

	@Test
	void foreignValueSpoilsNoOtherRenewal() {
		long number = granted(acquire(A, LEASE, ""));
		redis.lpush("ns:{list}", "x");
		List<Object> outcomes = redis.evalsha(load(Scripts.RENEW_EACH), ScriptOutputType.MULTI,
				new String[] { "ns:{list}", KEYS.lock() }, "1:" + B, "1000", number + ":" + A, "1000");
		assertThat(outcomes).containsExactly(0L, 1L);
	}

	@Test
	void keyOfForeignMakeIsLeftAsItIs() {
		redis.hset(KEYS.lock(), "foreign", "value");
		assertThatThrownBy(() -> acquire(A, LEASE, "")).hasMessageContaining("WRONGTYPE");
		assertThatThrownBy(() -> acquire(A, LEASE, "+")).hasMessageContaining("WRONGTYPE");
		assertThatThrownBy(() -> close(A)).hasMessageContaining("WRONGTYPE");
		assertThat(redis.hgetall(KEYS.lock())).containsEntry("foreign", "value");
	}

	@Test
	void everyKeyHasALifetime() {
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "-"));
		busy(acquire(C, LEASE, "+"));
		closeWithMarker("d@h:4:0/main/4");
		close(A);
		assertThat(redis.keys("*")).hasSize(4).allSatisfy((name) -> assertThat(redis.pttl(name)).isPositive());
	}

}
