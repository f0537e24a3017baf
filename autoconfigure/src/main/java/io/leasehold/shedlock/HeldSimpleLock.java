package io.leasehold.shedlock;

import java.time.Duration;
import java.util.Optional;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * Lock of a {@link LeaseholdLockProvider} that is held.
 *
 * @param keepAlive whether the lock is held until it is unlocked
 */
record HeldSimpleLock(HeldLock held, Duration minHold, boolean keepAlive) implements SimpleLock {

	@Override
	public void unlock() {
		try {
			this.held.close();
		}
		catch (LockLostException ex) {
			// It was reported, and would replace the job's own exception
		}
	}

	/**
	 * Move the end of the lock, but not before that of its minimum hold. A lock that is
	 * kept alive has no end.
	 * @return this lock, empty if it was lost
	 * @throws IllegalArgumentException if a minimum hold is given, because it is fixed
	 * when the lock is acquired
	 */
	@Override
	public Optional<SimpleLock> extend(Duration lockAtMostFor, Duration lockAtLeastFor) {
		if (!lockAtLeastFor.isZero()) {
			throw new IllegalArgumentException(
					("Lock '%s' cannot be extended with lockAtLeastFor %s, because a minimum hold"
							+ " is fixed when the lock is acquired. Pass Duration.ZERO")
						.formatted(LockKey.readable(this.held.key()), lockAtLeastFor));
		}
		Duration maxHold = (lockAtMostFor.compareTo(this.minHold) < 0) ? this.minHold : lockAtMostFor;
		try {
			this.held.extend(this.keepAlive ? LockOptions.UNLIMITED : maxHold);
			return Optional.of(this);
		}
		catch (LockLostException ex) {
			return Optional.empty();
		}
	}

}
