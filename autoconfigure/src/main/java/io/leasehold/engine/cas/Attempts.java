package io.leasehold.engine.cas;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.support.Deadlines;
import io.leasehold.engine.support.Jitter;
import io.leasehold.engine.support.OpenState;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Reads a key's entry, applies a rule to it and writes the result, again if the entry has
 * changed meanwhile. Thread-safe.
 */
record Attempts(CompareAndSetStore store, CasSettings settings, MonotonicClock clock, StoreKeys keys, Sights sights,
		OpenState state, String engine) {

	private static final Log logger = LogFactory.getLog(Attempts.class);

	private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);

	private static final int MOST_DOUBLINGS = 5;

	/** Return the key of a lock's entry. */
	String storeKey(LockKey key) {
		return this.keys.of(key);
	}

	/** Return how many keys are remembered. */
	int size() {
		return this.sights.size();
	}

	/**
	 * Read a key's entry.
	 * @param action what the caller does, such as {@code inspect}, for messages
	 * @throws LockEngineException if the store did not respond
	 */
	Sight read(String action, LockKey key) {
		return read(action, key, this.keys.of(key)).sight();
	}

	private Found read(String action, LockKey key, String storeKey) {
		this.state.check(key);
		try {
			long sent = this.clock.nanoTime();
			CompareAndSetStore.Entry entry = this.store.read(storeKey);
			LockRecord record = (entry != null) ? LockRecord.parse(entry.value()) : null;
			return new Found(entry, this.sights.look(storeKey, record, sent));
		}
		catch (Exception ex) {
			throw failure(action, key, ex);
		}
	}

	/**
	 * Change a key's entry.
	 * @param action what the caller does, for messages
	 * @param withoutResponse called if a write had no response, so that it may still
	 * happen
	 * @param rule the decision on each state of the entry
	 * @throws LockEngineException if the store did not respond, or the entry kept
	 * changing for the call timeout
	 */
	<T> T change(String action, LockKey key, Runnable withoutResponse, Function<Sight, Step<T>> rule) {
		String storeKey = this.keys.of(key);
		long deadline = Deadlines.after(this.settings.callTimeout());
		int conflicts = 0;
		do {
			Found found = read(action, key, storeKey);
			Step<T> step = rule.apply(found.sight());
			LockRecord next = step.next();
			long sent = this.clock.nanoTime();
			if (next == null || step.optional()) {
				writeIfPossible(key, storeKey, found, next);
				return step.result().apply(sent);
			}
			try {
				if (write(storeKey, found, next)) {
					return step.result().apply(sent);
				}
			}
			catch (Exception ex) {
				withoutResponse.run();
				throw failure(action, key, ex);
			}
			pause(++conflicts);
		}
		while (Deadlines.left(deadline) > 0);
		throw new LockEngineException(key,
				"Could not %s lock '%s' on engine '%s': other processes changed its entry for %s ms".formatted(action,
						key, this.engine, this.settings.callTimeout().toMillis()),
				null);
	}

	private void writeIfPossible(LockKey key, String storeKey, Found found, @Nullable LockRecord next) {
		try {
			if (next != null) {
				write(storeKey, found, next);
			}
		}
		catch (Exception ex) {
			logger.debug("Could not mark the entry of lock '%s' as awaited".formatted(key), ex);
		}
	}

	private boolean write(String storeKey, Found found, LockRecord next) throws Exception {
		Duration timeToLive = timeToLive(found.sight(), next);
		CompareAndSetStore.Entry entry = found.entry();
		boolean written = (entry != null) ? this.store.replace(storeKey, entry, next.text(), timeToLive)
				: this.store.create(storeKey, next.text(), timeToLive);
		if (written) {
			this.sights.look(storeKey, next, found.sight().now());
		}
		return written;
	}

	/**
	 * Return the time to live of a record: until the last place has ended, or for the
	 * retention without places. A second is added, since stores count whole seconds from
	 * the middle of one.
	 */
	private Duration timeToLive(Sight sight, LockRecord next) {
		if (next.places().isEmpty()) {
			return this.settings.retention().plusSeconds(1).truncatedTo(ChronoUnit.SECONDS);
		}
		long longest = 0;
		for (Place place : next.places()) {
			longest = Math.max(longest, (place.stamp() == next.writes()) ? place.length() : sight.left(place));
		}
		return Duration.ofSeconds(Micros.toDuration(longest + 999_999).toSeconds() + 1);
	}

	/** Return the longest time that a place may be taken within a time to live. */
	static Duration longestWithin(Duration timeToLive) {
		return timeToLive.truncatedTo(ChronoUnit.SECONDS).minusSeconds(1);
	}

	private static void pause(int conflicts) {
		Duration most = SHORTEST_PAUSE.multipliedBy(1L << Math.min(conflicts, MOST_DOUBLINGS));
		LockSupport.parkNanos(Jitter.shorten(most, 1).toNanos());
	}

	private LockEngineException failure(String action, LockKey key, Exception cause) {
		if (cause instanceof InterruptedException) {
			Thread.currentThread().interrupt();
		}
		if (cause instanceof ExecutionException && cause.getCause() instanceof Exception failed) {
			return failure(action, key, failed);
		}
		if (cause instanceof LockEngineException known) {
			return this.state.reason(key, known);
		}
		boolean retryable = !(cause instanceof IllegalArgumentException);
		return this.state.reason(key,
				new LockEngineException(key,
						"Could not %s lock '%s' on engine '%s': %s".formatted(action, key, this.engine,
								(cause.getMessage() != null) ? cause.getMessage() : cause.toString()),
						cause, retryable));
	}

	/**
	 * Entry that was read.
	 *
	 * @param entry the entry, if there is one
	 * @param sight the state of its record
	 */
	private record Found(CompareAndSetStore.@Nullable Entry entry, Sight sight) {
	}

}
