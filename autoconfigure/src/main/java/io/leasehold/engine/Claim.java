package io.leasehold.engine;

import java.time.Duration;

import io.leasehold.LockKey;

/**
 * One attempt of a process to own a key, from its first request until the store has
 * confirmed its end. Known to the store by its {@linkplain Owner owner} alone.
 *
 * @param key the key
 * @param owner the owner, made for this claim
 * @param access who may own the key beside it
 * @param lease how long a grant outlives a silent owner
 * @param lockDelay how long the key stays closed after the lease of an owner that did not
 * release it; zero for engines without that capability
 * @param minHold how long the key stays closed at least, counted from the grant; zero for
 * none
 * @param waits whether the claim is going to wait if the key is busy, so that the store
 * may queue it by the same request
 * @param since reading of the monotonic clock when the claim began
 */
public record Claim(LockKey key, Owner owner, Access access, Duration lease, Duration lockDelay, Duration minHold,
		boolean waits, long since) {

	/**
	 * Create a claim on a key for its owner alone.
	 * @param key the key
	 * @param owner the owner, made for this claim
	 * @param lease how long a grant outlives a silent owner
	 * @param minHold how long the key stays closed at least
	 * @param waits whether the claim is going to wait if the key is busy
	 * @param since reading of the monotonic clock when the claim began
	 */
	public Claim(LockKey key, Owner owner, Duration lease, Duration minHold, boolean waits, long since) {
		this(key, owner, Access.EXCLUSIVE, lease, Duration.ZERO, minHold, waits, since);
	}

	/**
	 * Return this claim as one that waits.
	 * @return the same claim, with the same owner
	 */
	public Claim waiting() {
		return this.waits ? this : new Claim(this.key, this.owner, this.access, this.lease, this.lockDelay,
				this.minHold, true, this.since);
	}

}
