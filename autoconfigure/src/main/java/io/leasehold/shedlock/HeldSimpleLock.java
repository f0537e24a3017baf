package io.leasehold.shedlock;

import java.time.Duration;
import java.util.Optional;

import io.leasehold.HeldLock;
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
	 * Move the end of the lock, but not before that of its minimum hold, and move the
	 * minimum hold forward. A lock that is kept alive has no end.
	 * @return the lock, empty if it was lost
	 * @throws IllegalArgumentException if the lock must be held for longer than it may be
	 */
	@Override
	public Optional<SimpleLock> extend(Duration lockAtMostFor, Duration lockAtLeastFor) {
		Duration maxHold = longer(lockAtMostFor, this.minHold);
		try {
			this.held.extend(this.keepAlive ? LockOptions.UNLIMITED : maxHold, lockAtLeastFor);
			return Optional.of(new HeldSimpleLock(this.held, longer(lockAtLeastFor, this.minHold), this.keepAlive));
		}
		catch (LockLostException ex) {
			return Optional.empty();
		}
	}

	private static Duration longer(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? other : one;
	}

}
