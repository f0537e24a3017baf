package io.leasehold.engine;

import java.time.Duration;
import java.time.Instant;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * Keys without a holder that a store keeps locked to the end of a minimum hold: jobs
 * between two runs. A holder is one whose lease has not ended, and whose lock delay has
 * not ended either. Only exclusive grants count. Thread-safe.
 */
public interface KeptKeys {

	/**
	 * Return who held a key that is kept.
	 * @param key the key
	 * @return its last holder, or {@code null} if the key is held or free
	 * @throws LockEngineException if the store did not respond
	 */
	@Nullable Kept find(LockKey key);

	/**
	 * End the minimum hold of a key without a holder; the next waiting claim proceeds as
	 * after a release, and grant numbers still increase. A minimum hold whose owner still
	 * holds the key continues. The former owner cannot renew or release the key any more.
	 * Idempotent.
	 * @param key the key
	 * @return who held the key, or {@code null} if no minimum hold kept it
	 * @throws LockEngineException if the store did not respond; the key may be free
	 */
	@Nullable Kept open(LockKey key);

	/**
	 * Keep a key that is kept now by another owner and for another time from now on, in
	 * one step, so that no claim is granted it meanwhile. The owner counts as the last
	 * holder, which acquired and released the key at this moment. Waiting claims still
	 * wait: they acquire the key when the new time ends, or when it is opened. The former
	 * owner cannot renew or release the key any more. A repetition replaces again.
	 * @param key the key
	 * @param owner the new owner, not used for a claim
	 * @param duration the new time, at least a millisecond, at most
	 * {@link LockEngine#maxLease()}
	 * @return how it was kept before, or {@code null} if no minimum hold kept it: then
	 * nothing has changed
	 * @throws LockEngineException if the store did not respond; the key may be kept by
	 * either owner
	 */
	@Nullable Kept replace(LockKey key, Owner owner, Duration duration);

	/**
	 * A key that is kept.
	 *
	 * @param last the last holder, without the rest of a lease
	 * @param released when it released the key or lost it by force, by the store's clock;
	 * {@code null} if its lease ended before
	 * @param remaining rest of the minimum hold, by the store's clock
	 */
	record Kept(Holder last, @Nullable Instant released, Duration remaining) {
	}

}
