package io.leasehold.engine.redis;

import java.util.List;
import java.util.stream.Stream;

import io.leasehold.engine.Access;
import io.lettuce.core.ScriptOutputType;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * The scripts for a free lock, and the marks by which they detect that a lock has other
 * data.
 */
class RedisMarksIntegrationTests extends RedisScripts {

	private static final String READER = A + "#s,0,0";

	private static final String OTHER_READER = B + "#s,0,0";

	private static final String D = "d@h:4:0/main/4";

	@Test
	void freeLockIsAcquiredAndReleased() {
		long before = serverMicros();
		long number = acquireFree(A);
		assertThat(number).isBetween(before, serverMicros());
		assertThat(redis.get(KEYS.lock())).isEqualTo(number + ":" + A);
		assertThat(redis.pttl(KEYS.lock())).isCloseTo(LEASE, within(gone()));
		assertThat(redis.get(KEYS.number())).isEqualTo("" + number);
		assertThat(redis.pttl(KEYS.number())).isCloseTo(RETENTION, within(gone()));
		assertThat(releaseSole(A)).isOne();
		assertThat(redis.keys("*")).containsExactly(KEYS.number());
	}

	@Test
	void numbersGrowAlsoAfterALossOfData() {
		long first = acquireFree(A);
		releaseSole(A);
		long second = acquireFree(B);
		redis.flushall();
		long third = acquireFree(C);
		assertThat(second).isGreaterThan(first);
		assertThat(third).isGreaterThan(second);
	}

	@Test
	void lockWhoseNumberIsAheadOfTheClockIsLeftToTheWholeScript() {
		for (String future : List.of("" + (serverMicros() + 1_000_000_000L), "99999999999999999")) {
			redis.psetex(KEYS.number(), RETENTION, future);
			assertThat(acquireFree(A)).isZero();
			assertThat(redis.get(KEYS.number())).isEqualTo(future);
			assertThat(redis.exists(KEYS.lock())).isZero();
		}
	}

	@Test
	void heldLockIsNeitherAcquiredNorChanged() {
		long number = granted(acquire(A, LEASE, ""));
		assertThat(acquireFree(A)).isZero();
		assertThat(acquireFree(B)).isZero();
		assertThat(releaseSole(B)).isZero();
		assertThat(redis.get(KEYS.lock())).isEqualTo(number + ":" + A);
		assertThat(redis.get(KEYS.number())).isEqualTo("" + number);
	}

	@Test
	void expiredLockWithAQueueIsNotAcquired() {
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "-"));
		redis.del(KEYS.lock());
		assertNotFree();
		assertThat(acquire(C, LEASE, "")).element(0).isEqualTo("busy");
		assertThat(redis.get(KEYS.lock())).contains(":" + B);
	}

	@Test
	void lockWithAWaiterIsNotReleasedPastIt() {
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "-"));
		assertThat(releaseSole(A)).isZero();
		assertThat(close(A)).isOne();
		assertThat(redis.get(KEYS.lock())).contains(":" + B);
	}

	@Test
	void lockThatIsHandedOnWhileMoreWaitIsNotReleasedPastThem() {
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "-"));
		busy(acquire(C, LEASE, "-"));
		close(A);
		assertThat(releaseSole(B)).isZero();
		close(B);
		assertThat(redis.get(KEYS.lock())).contains(":" + C);
	}

	@Test
	void writerDoesNotJoinReaders() {
		granted(acquire(READER, LEASE, ""));
		assertNotFree();
	}

	@Test
	void markKeepsTheEndOfALeaseWithAMinimumHold() {
		String owner = A + "#x,60000,0";
		long number = granted(acquire(owner, LEASE, ""));
		long end = endOfLease(number + ":" + owner + " ");
		busy(acquire(B, LEASE, "-"));
		assertThat(endOfLease(number + ":" + owner + " !")).isEqualTo(end);
		assertThat(renew(number + ":" + owner, 2 * LEASE)).containsExactly(1L);
		long renewed = endOfLease(number + ":" + owner + " !");
		assertThat(renewed).isGreaterThanOrEqualTo(end + LEASE);
		renew(number + ":" + owner, LEASE);
		assertThat(endOfLease(number + ":" + owner + " !")).as("never earlier").isEqualTo(renewed);
		assertThat(granted(acquire(owner, 3 * LEASE, ""))).isEqualTo(number);
		assertThat(endOfLease(number + ":" + owner + " !")).isGreaterThanOrEqualTo(end + 2 * LEASE);
		assertThat(close(owner)).isOne();
		assertThat(redis.get(KEYS.lock())).matches(number + ":#x," + number + " !\\d{13},a@h:1:0/main/");
		assertThat(redis.pttl(KEYS.lock())).isCloseTo(60_000L, within(gone()));
	}

	private static long endOfLease(String grant) {
		String value = redis.get(KEYS.lock());
		assertThat(value).startsWith(grant);
		return Long.parseLong(value.substring(grant.length()));
	}

	@Test
	void openingHandsTheLockToTheHeadOfTheQueue() {
		String owner = A + "#x,60000,0";
		long number = granted(acquire(owner, LEASE, ""));
		busy(acquire(B, LEASE, "-"));
		assertThat(kept("open")).as("held").isEmpty();
		close(owner);
		assertThat(redis.get(KEYS.lock())).startsWith(number + ":#x," + number);
		assertThat(kept("inspect")).hasSize(2);
		assertThat(kept("open")).hasSize(2);
		assertThat(redis.get(KEYS.lock())).endsWith(":" + B + " !");
		assertThat(kept("open")).isEmpty();
		close(B);
		assertThat(acquireFree(C)).isPositive();
	}

	@Test
	void pauseKeepsTheQueueAndItsMark() {
		String owner = A + "#x,60000,0";
		long number = granted(acquire(owner, LEASE, ""));
		assertThat(kept("pause", "op@h:4:0/pause=alice/", "90000")).as("held").isEmpty();
		close(owner);
		busy(run(B, LEASE, "-"));
		String before = redis.get(KEYS.lock());
		String paused = pause();
		assertThat(paused).matches("\\d{16}:#x,\\d{16} !\\d{13},op@h:4:0/pause=alice/");
		long since = Long.parseLong(paused.substring(0, 16));
		assertThat(since).isGreaterThan(number).isLessThanOrEqualTo(serverMicros());
		assertThat(Long.parseLong(paused.substring(38, 51))).isEqualTo(since / 1000);
		assertThat(redis.pttl(KEYS.lock())).isCloseTo(90_000L, within(gone()));
		assertThat(redis.get(KEYS.number())).startsWith(since + "!");
		outlives(KEYS.queue());
		assertThat(kept("inspect")).element(0).isEqualTo(paused).isNotEqualTo(before);
		assertThat(pause()).isNotEqualTo(paused);
		assertNotFree();
		assertThat(redis.zrange(KEYS.queue(), 0, -1)).singleElement().asString().endsWith("-" + B);
		busy(acquire(B, LEASE, "-"));
		assertThat(kept("open")).hasSize(2);
		assertThat(redis.get(KEYS.lock())).endsWith(":" + B + " !");
		assertThat(kept("pause", "op@h:4:0/pause=alice/", "90000")).as("held").isEmpty();
		close(B);
		assertThat(acquireFree(C)).isPositive();
	}

	@Test
	void pauseOfAnUnmarkedPlaceLeavesNoMark() {
		String owner = A + "#x,60000,0";
		granted(acquire(owner, LEASE, ""));
		close(owner);
		assertThat(pause()).matches("\\d{16}:#x,\\d{16} \\d{13},op@h:4:0/pause=alice/");
		assertThat(kept("open")).hasSize(2);
		assertThat(acquireFree(C)).isPositive();
	}

	private static String pause() {
		assertThat(kept("pause", "op@h:4:0/pause=alice/", "90000")).hasSize(2);
		return redis.get(KEYS.lock());
	}

	/** Otherwise operators could not read the end of the lease or the last holder. */
	@Test
	void valueIsMarkedOnceAlsoWhenItsMarkExpired() {
		String owner = A + "#x,60000,0";
		long number = granted(acquire(owner, LEASE, ""));
		busy(acquire(B, LEASE, "-"));
		String marked = redis.get(KEYS.lock());
		redis.del(KEYS.number(), KEYS.queue());
		busy(acquire(B, LEASE, "-"));
		assertThat(redis.get(KEYS.lock())).isEqualTo(marked).startsWith(number + ":" + owner + " !");
		close(owner);
		marked = redis.get(KEYS.lock());
		redis.del(KEYS.number(), KEYS.queue());
		busy(acquire(B, LEASE, "-"));
		assertThat(redis.get(KEYS.lock())).isEqualTo(marked)
			.matches(number + ":#x," + number + " !\\d{13},a@h:1:0/main/");
	}

	private static List<Object> kept(String... action) {
		String[] arguments = Stream.concat(Stream.of("", "" + RETENTION, "ns:inbox:", ""), Stream.of(action))
			.toArray(String[]::new);
		return redis.evalsha(load(Scripts.KEPT.publishing()), ScriptOutputType.MULTI, KEYS.all(), arguments);
	}

	@Test
	void keyIsNotFreeDuringAMinimumHold() {
		String owner = A + "#s,60000,0";
		granted(acquire(owner, LEASE, ""));
		close(owner);
		assertNotFree();
	}

	@Test
	void lateRequestOfAnEndedClaimIsNotGranted() {
		closeWithMarker(A);
		assertNotFree();
		granted(acquire(B, LEASE, ""));
		assertThat(releaseSole(B)).isZero();
		assertThat(close(B)).isOne();
		assertNotFree();
		assertThat(acquire(A, LEASE, "+")).containsExactly("closed");
	}

	@Test
	void markerOfAHeldLockRemainsAfterItsRelease() {
		granted(acquire(B, LEASE, ""));
		closeWithMarker(A);
		assertThat(releaseSole(B)).isZero();
		close(B);
		assertNotFree();
	}

	@Test
	void expiredMarkersAreForgottenByTheNextMarker() {
		closeWithMarker(A);
		redis.zadd(KEYS.gone(), 1, A);
		granted(acquire(A, LEASE, ""));
		close(A);
		closeWithMarker(B);
		assertThat(redis.zrange(KEYS.gone(), 0, -1)).containsExactly(B);
	}

	@Test
	void lastReleaseRemovesTheMark() {
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "-"));
		close(A);
		close(B);
		assertThat(acquireFree(C)).isPositive();
	}

	@Test
	void lastReaderRemovesTheMark() {
		granted(acquire(READER, LEASE, ""));
		granted(acquire(OTHER_READER, LEASE, ""));
		close(READER);
		assertNotFree();
		close(OTHER_READER);
		assertThat(acquireFree(C)).isPositive();
	}

	@Test
	void claimThatGivesUpWaitingForReadersLeavesTheirMark() {
		granted(acquire(READER, LEASE, ""));
		busy(acquire(B, LEASE, "-"));
		close(B);
		assertNotFree();
	}

	@Test
	void releaseByForceRemovesTheMark() {
		granted(acquire(READER, LEASE, ""));
		redis.evalsha(load(Scripts.FORCE.publishing()), ScriptOutputType.MULTI, KEYS.all(), "", "" + RETENTION,
				"ns:inbox:", "");
		assertThat(acquireFree(C)).isPositive();
	}

	/** Then one request goes the long way. */
	@Test
	void markOfAQueueThatHasExpiredIsRemovedByTheNextGrant() {
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "-"));
		redis.del(KEYS.lock(), KEYS.queue());
		assertNotFree();
		granted(acquire(C, LEASE, ""));
		assertThat(releaseSole(C)).isOne();
	}

	@Test
	void allWaitersThatAreDeadLeaveNoMark() {
		granted(acquire(A, LEASE, ""));
		busy(acquire(B, LEASE, "+"));
		close(A);
		assertThat(acquireFree(C)).isPositive();
	}

	@Test
	void waiterMarksTheGrantAndKeepsItsLease() {
		long number = granted(acquire(A, LEASE, ""));
		redis.pexpire(KEYS.lock(), 60_000);
		busy(acquire(B, LEASE, "-"));
		busy(acquire(C, LEASE, "-"));
		assertThat(redis.get(KEYS.lock())).isEqualTo(number + ":" + A + " !");
		assertThat(redis.pttl(KEYS.lock())).isCloseTo(60_000L, within(gone()));
	}

	@Test
	void markedGrantIsRenewedAndFoundByItsClaimAlone() {
		long number = granted(acquire(A, 5000, ""));
		busy(acquire(B, LEASE, "-"));
		assertThat(renew(number + ":" + A, LEASE)).containsExactly(1L);
		assertThat(redis.pttl(KEYS.lock())).isCloseTo(LEASE, within(gone()));
		assertThat(renew(number + ":" + A.substring(0, A.length() - 1), LEASE)).containsExactly(0L);
		assertThat(renew((number - 1) + ":" + A, LEASE)).containsExactly(0L);
		assertThat(granted(acquire(A, 60_000, ""))).isEqualTo(number);
		assertThat(redis.pttl(KEYS.lock())).isCloseTo(60_000L, within(gone()));
		assertThat(redis.get(KEYS.lock())).isEqualTo(number + ":" + A + " !");
	}

	/** Else the lock would pass the queue, or a writer would join readers. */
	@Test
	void markOutlivesWhatNeedsItWhateverTheRetention() {
		granted(run(READER, 60_000, ""));
		outlives(KEYS.holders());
		long number = granted(run(OTHER_READER, 1000, ""));
		outlives(KEYS.holders());
		busy(run(C, LEASE, "-"));
		busy(run(C, LEASE, "-"));
		outlives(KEYS.holders());
		renew(Access.SHARED, number + ":" + OTHER_READER, 90_000);
		outlives(KEYS.holders());
		close(OTHER_READER);
		run(READER, 100_000, "");
		outlives(KEYS.holders());
		assertNotFree();
		outlives(KEYS.holders());
	}

	@Test
	void markOutlivesTheQueueAndTheMarkers() {
		granted(run(A, LEASE, ""));
		busy(run(B, LEASE, "-"));
		outlives(KEYS.queue());
		redis.pexpire(KEYS.number(), 10);
		busy(run(B, LEASE, "-"));
		outlives(KEYS.queue());
		redis.evalsha(load(Scripts.CLOSE.publishing()), ScriptOutputType.INTEGER, KEYS.all(), D, "1", "ns:inbox:",
				"" + GRANT_LEASE, "20000");
		outlives(KEYS.gone());
		redis.evalsha(load(Scripts.CLOSE.publishing()), ScriptOutputType.INTEGER, KEYS.all(), A, "1", "ns:inbox:",
				"" + GRANT_LEASE, "0");
		outlives(KEYS.gone());
	}

	/** Therefore an upgrade stops all processes with the other layout first. */
	@Test
	void lockOfAnotherLayoutIsNeitherSeenNorChanged() {
		redis.psetex("ns:{k}", LEASE, "5:" + A);
		redis.psetex("ns:{k}:fence", LEASE, "5");
		assertThat(acquireFree(B)).isPositive();
		granted(acquire(B, LEASE, ""));
		close(B);
		assertThat(redis.get("ns:{k}")).isEqualTo("5:" + A);
		assertThat(redis.get("ns:{k}:fence")).isEqualTo("5");
	}

	/** The script decides nothing, and leaves all data as it was. */
	private void assertNotFree() {
		List<String> names = redis.keys("*").stream().sorted().toList();
		String number = redis.get(KEYS.number());
		assertThat(acquireFree(D)).isZero();
		assertThat(releaseSole(D)).isZero();
		assertThat(redis.keys("*").stream().sorted().toList()).isEqualTo(names);
		assertThat(redis.get(KEYS.number())).isEqualTo(number);
	}

	private void outlives(String name) {
		assertThat(redis.pttl(KEYS.number())).isGreaterThan(redis.pttl(name) + 500).isPositive();
		assertThat(redis.exists(name)).isOne();
	}

	/** A request with the shortest retention. */
	private static List<Object> run(String claim, long ms, String form) {
		return redis.evalsha(load(Scripts.ACQUIRE.publishing()), ScriptOutputType.MULTI, KEYS.all(), claim, "1",
				"ns:inbox:", "" + GRANT_LEASE, "" + ms, form, "" + QUEUE);
	}

	/** Return the grant number, or 0. */
	private static long acquireFree(String claim) {
		List<Object> response = redis.evalsha(load(Scripts.ACQUIRE_FREE), ScriptOutputType.MULTI, KEYS.ofFree(), claim,
				"" + LEASE, "" + RETENTION);
		return Long.parseLong(response.get(0).toString());
	}

	private static long releaseSole(String claim) {
		Long released = redis.evalsha(load(Scripts.RELEASE_SOLE), ScriptOutputType.INTEGER, KEYS.ofExclusive(), claim);
		return released;
	}

}
