package io.leasehold.test.contract;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import io.leasehold.LockOptions;
import io.leasehold.LockOverview;
import io.leasehold.service.LockService;

import static org.awaitility.Awaitility.await;

/**
 * Locks that a process keeps for its next caller.
 */
public final class ParkedLocks {

	/** A parked grant has this many tokens after that of its first hold. */
	public static final int TOKENS = 32 * 64 - 1;

	/**
	 * A key does not linger for one linger time after it was busy, and on a slow machine
	 * it may be: a request that is repeated finds what the first one left.
	 */
	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private ParkedLocks() {
	}

	/**
	 * Acquire and release a lock until the process parks it.
	 * @param locks locks of the process
	 * @param key the key
	 * @param options options with a linger time
	 * @return the fencing token of the last hold
	 */
	public static long park(LockService locks, String key, LockOptions options) {
		return await().pollDelay(Duration.ZERO).atMost(PATIENCE).until(() -> {
			locks.acquire(key, options).close();
			return of(locks).get(key);
		}, Objects::nonNull);
	}

	/**
	 * Return the parked locks.
	 * @param locks locks of the process
	 * @return the fencing tokens of their last holds, by their keys
	 */
	public static Map<String, Long> of(LockService locks) {
		return locks.inspector()
			.overview()
			.parked()
			.stream()
			.collect(Collectors.toMap((lock) -> lock.key().value(), LockOverview.Parked::fencingToken));
	}

}
