package io.leasehold.service;

import java.time.Duration;
import java.util.List;

import io.leasehold.KeptLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockHolder;
import io.leasehold.LockKey;
import io.leasehold.LockTerms;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import org.jspecify.annotations.Nullable;

/**
 * Keys of one engine that a minimum hold keeps locked, for operators. A pause is a long
 * minimum hold whose last holder is this process; the name of its thread contains that of
 * the operator, so the store needs nothing else. It replaces the present minimum hold in
 * one step. A key without one is acquired, and released at once. Thread-safe.
 *
 * @param lease a usual lease, of the grants that pause a key
 */
record KeptLocks(LockEngine engine, Member member, Duration lease, MonotonicClock clock, ClaimCloser closer) {

	private static final Duration LEAST = Duration.ofMillis(1);

	@Nullable KeptLock open(LockKey key) {
		KeptKeys.Kept opened = keys().open(key);
		if (opened != null) {
			return StoreHolders.describe(opened);
		}
		List<LockHolder> holders = StoreHolders.describe(this.engine.inspect(key));
		if (!holders.isEmpty()) {
			throw busy(key, "opened", holders);
		}
		return null;
	}

	@Nullable KeptLock pause(LockKey key, @Nullable Duration duration, String operator) {
		KeptKeys keys = keys();
		Duration minHold = minHold(key, duration);
		String thread = StoreHolders.PAUSE + operator;
		KeptKeys.Kept replaced = keys.replace(key, this.member.newOwner(thread), minHold);
		if (replaced != null) {
			return StoreHolders.describe(replaced);
		}
		acquireAndRelease(
				new Claim(key, this.member.newOwner(thread), this.lease, minHold, false, this.clock.nanoTime()));
		return null;
	}

	private void acquireAndRelease(Claim claim) {
		if (!isGranted(claim)) {
			LockKey key = claim.key();
			throw busy(key, "paused", StoreHolders.describe(this.engine.inspect(key)));
		}
		try {
			this.engine.release(claim);
		}
		catch (RuntimeException | Error ex) {
			this.closer.close(claim); // the key is locked, whatever the response was
		}
	}

	private boolean isGranted(Claim claim) {
		try {
			return this.engine.tryAcquire(claim) instanceof AcquisitionOutcome.Granted;
		}
		catch (RuntimeException | Error ex) {
			this.closer.close(claim);
			throw ex;
		}
	}

	private Duration minHold(LockKey key, @Nullable Duration duration) {
		Duration most = this.engine.maxLease();
		if (most.compareTo(LockTerms.MAX_LEASE) > 0) {
			most = LockTerms.MAX_LEASE;
		}
		if (duration == null) {
			return most;
		}
		if (duration.compareTo(LEAST) < 0 || duration.compareTo(most) > 0) {
			throw new IllegalArgumentException("Lock '%s' cannot be paused for %s: engine '%s' accepts 1 ms to %s"
				.formatted(key, duration, this.engine.name(), most));
		}
		return duration;
	}

	private KeptKeys keys() {
		KeptKeys keys = this.engine.keptKeys();
		if (keys == null) {
			throw new UnsupportedOperationException(
					"Engine '%s' can neither pause nor open a lock: its store does not show minimum holds"
						.formatted(this.engine.name()));
		}
		return keys;
	}

	private LockBusyException busy(LockKey key, String action, List<LockHolder> holders) {
		return new LockBusyException(key,
				"Lock '%s' was not %s, because it is held or its next owner waits (engine: %s)%s".formatted(key, action,
						this.engine.name(), StoreHolders.name(holders)),
				Duration.ZERO, holders, List.of());
	}

}
