package io.leasehold.engine;

import java.time.Duration;

import io.leasehold.LockKey;
import io.leasehold.LockTerms;

/**
 * Request of a process for a key, from its first message until the store has confirmed
 * its end. The store identifies it only by its {@linkplain Owner owner}. A claim goes one
 * way: once it was granted or {@linkplain LockEngine#tryAcquire(Claim) has failed}, the
 * key is requested by a new claim of a new owner.
 *
 * @param key the key
 * @param owner the owner, created for this claim
 * @param terms the terms of the lock; a lock delay or minimum hold only for engines with
 * that capability
 * @param waits whether the claim waits if the key is busy, so that the store may enqueue
 * it with the same request
 * @param since reading of the monotonic clock at the start of the claim
 * @param lingers whether the grant should linger. Only for exclusive claims without
 * minimum hold and lock delay, and engines with {@link Capability#LINGER}
 */
public record Claim(LockKey key, Owner owner, LockTerms terms, boolean waits, long since, boolean lingers) {

	/**
	 * Create a claim whose grant does not linger.
	 * @param key the key
	 * @param owner the owner, created for this claim
	 * @param terms the terms of the lock
	 * @param waits whether the claim waits if the key is busy
	 * @param since reading of the monotonic clock at the start of the claim
	 */
	public Claim(LockKey key, Owner owner, LockTerms terms, boolean waits, long since) {
		this(key, owner, terms, waits, since, false);
	}

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
		this(key, owner, new LockTerms(lease, minHold), waits, since);
	}

	/** Return the access to the key. */
	public Access access() {
		return Access.of(this.terms);
	}

	/** Return how long a grant outlives a silent owner. */
	public Duration lease() {
		return this.terms.lease();
	}

	/** Return the minimum time for which the key stays locked. */
	public Duration minHold() {
		return this.terms.minHold();
	}

	/** Return how long the key stays locked after the lease of a silent owner. */
	public Duration lockDelay() {
		return this.terms.lockDelay();
	}

}
