package io.leasehold.shedlock;

import java.time.Duration;
import java.util.Optional;

import io.leasehold.DistributedLocks;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.LockTerms;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * ShedLock's provider of locks, on the default engine. The name of a lock is its key.
 * {@code lockAtMostFor} is the lease, so that the key of a dead process stays locked for
 * that time, and {@code lockAtLeastFor} is the minimum hold. A job that takes longer than
 * {@code lockAtMostFor} loses its lock, which is reported, unless locks are kept alive.
 * Thread-safe.
 *
 * @param minLease shortest lease that the default engine accepts; the lease of a shorter
 * {@code lockAtMostFor}
 * @param keepAlive whether a lock is renewed until it is unlocked, so that its job may
 * take longer than {@code lockAtMostFor}
 */
public record LeaseholdLockProvider(DistributedLocks locks, Duration minLease,
		boolean keepAlive) implements ExtensibleLockProvider {

	/** Name in metrics and messages, since the names of ShedLock's locks are keys. */
	static final String NAME = "shedlock";

	/**
	 * Acquire a lock in one attempt.
	 * @return the lock, empty if another owner holds it
	 * @throws io.leasehold.LockEngineException if the store did not respond
	 */
	@Override
	public Optional<SimpleLock> lock(LockConfiguration configuration) {
		return this.locks.tryAcquire(configuration.getName(), options(configuration))
			.map((held) -> new HeldSimpleLock(held, configuration.getLockAtLeastFor(), this.keepAlive));
	}

	private LockOptions options(LockConfiguration configuration) {
		Duration most = configuration.getLockAtMostFor();
		return this.locks.defaults()
			.toBuilder()
			.name(NAME)
			.mode(LockMode.EXCLUSIVE)
			.reentrant(false)
			.waitTime(Duration.ZERO)
			.linger(Duration.ZERO)
			.lease(lease(most))
			.minHold(configuration.getLockAtLeastFor())
			.maxHold(this.keepAlive ? LockOptions.UNLIMITED : most)
			.build();
	}

	private Duration lease(Duration most) {
		Duration lease = (most.compareTo(this.minLease) < 0) ? this.minLease : most;
		return (lease.compareTo(LockTerms.MAX_LEASE) > 0) ? LockTerms.MAX_LEASE : lease;
	}

}
