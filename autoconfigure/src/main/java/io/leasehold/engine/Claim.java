package io.leasehold.engine;

import java.time.Duration;

import io.leasehold.LockKey;

/**
 * Request of a process for a key, from its first message until the store has confirmed
 * its end. The store identifies it only by its {@linkplain Owner owner}.
 *
 * @param key the key
 * @param owner the owner, created for this claim
 * @param access access to the key
 * @param lease how long a grant outlives a silent owner
 * @param lockDelay how long the key stays locked after the lease of an owner that did not
 * release it; zero for engines without that capability
 * @param minHold minimum time for which the key stays locked, counted from the grant;
 * zero for none
 * @param waits whether the claim waits if the key is busy, so that the store may enqueue
 * it with the same request
 * @param since reading of the monotonic clock at the start of the claim
 */
public record Claim(LockKey key, Owner owner, Access access, Duration lease, Duration lockDelay, Duration minHold,
		boolean waits, long since) {

	/**
	 * Create an exclusive claim.
	 * @param key the key
	 * @param owner the owner, created for this claim
	 * @param lease how long a grant outlives a silent owner
	 * @param minHold minimum time for which the key stays locked
	 * @param waits whether the claim waits if the key is busy
	 * @param since reading of the monotonic clock at the start of the claim
	 */
	public Claim(LockKey key, Owner owner, Duration lease, Duration minHold, boolean waits, long since) {
		this(key, owner, Access.EXCLUSIVE, lease, Duration.ZERO, minHold, waits, since);
	}

	/** Return this claim as a waiting one, with the same owner. */
	public Claim waiting() {
		return this.waits ? this : new Claim(this.key, this.owner, this.access, this.lease, this.lockDelay,
				this.minHold, true, this.since);
	}

}
