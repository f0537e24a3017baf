package io.leasehold.service;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.UUID;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.engine.MonotonicClock;

/**
 * Acquisition of several permits of a key: all of them within one wait time, or none. An
 * exclusive lock of a derived key lets only one caller collect at a time. Otherwise two
 * callers with some of their permits each could deadlock.
 *
 * @param turns acquires the turn to collect, whose release does not wait for a
 * transaction
 */
record PermitCollector(String engine, MonotonicClock clock, Acquirer acquirer, Acquirer turns, HolderLookup holders,
		LockCloser closer) {

	private static final String PREFIX = "leasehold:permits:";

	HeldLock acquire(LockKey key, int count, LockOptions options) {
		if (count < 1 || count > options.permits()) {
			throw new IllegalArgumentException(
					"Lock '%s' has %s permits: %s cannot be acquired at once".formatted(key, options.permits(), count));
		}
		long start = this.clock.nanoTime();
		try {
			HeldLock turn = this.turns.acquire(turnOf(key), turnOptions(this.acquirer.rest(options, start)), false,
					Acquirer.BUSY_BYPASSED);
			try {
				return HeldLocks.take(
						Collections.nCopies(count, key), (permit) -> this.acquirer.acquire(permit,
								this.acquirer.rest(options, start), false, Acquirer.BUSY_BYPASSED),
						this.closer::discard);
			}
			finally {
				close(turn);
			}
		}
		catch (LockBusyException ex) {
			Duration waited = Duration.ofNanos(this.clock.nanoTime() - start);
			String message = "%s of the %s permits of lock '%s' could not be acquired within %s ms (engine: %s)"
				.formatted(count, options.permits(), key, waited.toMillis(), this.engine);
			throw this.holders.explain(new LockBusyException(key, message, waited), options, ThreadLocks.outer(), "");
		}
	}

	/** Close the turn, and ignore its loss: the caller already has its permits. */
	private static void close(HeldLock turn) {
		try {
			turn.close();
		}
		catch (LockLostException ex) {
			// The loss was logged
		}
	}

	private static LockOptions turnOptions(LockOptions options) {
		return new LockOptions(options.name() + ".permits", options.engine(), options.lease(), options.waitTime(),
				Duration.ZERO, LockOptions.UNLIMITED)
			.toBuilder()
			.reentrant(false)
			.build();
	}

	private static LockKey turnOf(LockKey key) {
		byte[] text = key.value().getBytes(StandardCharsets.UTF_8);
		boolean fits = PREFIX.length() + text.length <= LockKey.MAX_BYTES;
		return new LockKey(PREFIX + (fits ? key.value() : UUID.nameUUIDFromBytes(text)));
	}

}
