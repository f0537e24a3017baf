package io.leasehold.engine;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;

/**
 * One store and its protocol. Knows owners and grants, nothing of threads, re-entry or
 * waiting callers: that is the service's part, which makes at most one request at a time
 * for a claim.
 * <p>
 * Thread-safe. No call blocks longer than the engine's own bound, whatever the network
 * does, and none is answered with <em>no</em> when the store did not answer at all: that
 * is a {@link LockEngineException}, or <em>unknown</em>.
 */
public interface LockEngine {

	/**
	 * Return the name by which configuration, metrics and messages know this engine.
	 * @return a lower-case word such as {@code redis}
	 */
	String name();

	/**
	 * Return what this engine can do beyond the common contract.
	 * @return the capabilities, the same at each call
	 */
	Set<Capability> capabilities();

	/**
	 * Return the shortest lease that can be renewed in time.
	 * @return the least lease to be accepted from users
	 */
	Duration minLease();

	/**
	 * Ask for a claim's key, in the caller's thread, by one round trip. Idempotent:
	 * repeated for the same claim it finds the grant that a lost reply hid, with the same
	 * number.
	 * @param claim the claim
	 * @return granted, busy, or contradicted by those who hold the key
	 * @throws LockEngineException if the store did not answer; the claim may have been
	 * granted or queued nevertheless, and is to be asked again or
	 * {@linkplain #release(Claim) released}
	 */
	Attempt tryAcquire(Claim claim);

	/**
	 * Listen to what the store tells a claim that was answered <em>busy</em>. Nothing is
	 * lost between the answer and this call.
	 * @param claim the claim
	 * @param listener called in any thread, must not block
	 * @return closes the ear
	 */
	default Waiting enqueue(Claim claim, Consumer<Signal> listener) {
		return Waiting.POLLING;
	}

	/**
	 * Extend grants, all by one round trip where the store can. The failure of one does
	 * not touch the others.
	 * @param renewals what to extend, not empty
	 * @return the outcomes in the same order; never throws for a store that fails
	 */
	List<RenewalOutcome> renew(List<Renewal> renewals);

	/**
	 * Return whether a grant that was believed in may be over for a reason other than its
	 * time, as long as a broken connection leaves its session in doubt. Never asks the
	 * store and never blocks.
	 * @param claim the claim that was granted
	 * @return {@code false} where nothing but time ends a grant unheard
	 */
	default boolean inDoubt(Claim claim) {
		return false;
	}

	/**
	 * End a claim, whatever has become of it: leave the queue, free the key if the
	 * claim's owner has it, and let the next waiting one in. Idempotent.
	 * @param claim the claim
	 * @return the store's definite answer
	 * @throws LockEngineException if there was none: to be called again until there is
	 */
	ReleaseOutcome release(Claim claim);

	/**
	 * Tell who holds a key.
	 * @param key the key
	 * @return the holders in the order of their grants, empty if nobody holds it
	 * @throws LockEngineException if the store did not answer
	 */
	List<Holder> inspect(LockKey key);

	/**
	 * Release a key in place of whoever holds it, for operators: the next waiting claim
	 * is let in, and a min hold that the store itself keeps goes on. The next renewal or
	 * release of a holder is told that it is not the owner.
	 * @param key the key
	 * @return the holders that lost it, empty if nobody held it
	 * @throws LockEngineException if the store did not answer; the key may have been
	 * released nevertheless
	 */
	List<Holder> forceRelease(LockKey key);

}
