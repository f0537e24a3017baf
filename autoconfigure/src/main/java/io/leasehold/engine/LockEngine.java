package io.leasehold.engine;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import org.jspecify.annotations.Nullable;

/**
 * Store and protocol of locks. An engine handles owners and grants. Threads, re-entry and
 * waiting callers belong to the service, which sends at most one request at a time for a
 * claim.
 * <p>
 * Thread-safe. No call blocks longer than the engine's own timeout, whatever the state of
 * the network. A call never reports a negative result if the store did not respond: it
 * throws a {@link LockEngineException} or returns <em>unknown</em>.
 * <p>
 * An engine with resources is {@link AutoCloseable}. After it was closed, every request
 * fails at once with a {@code LockEngineException} that names the lock and is not
 * retryable; a renewal returns it as <em>unknown</em>.
 */
public interface LockEngine {

	/**
	 * Return the engine's name in configuration, metrics and messages.
	 * @return a lower-case word such as {@code redis}
	 */
	String name();

	/**
	 * Return where the store is, for the log. Sends no request.
	 * @return addresses without credentials, or {@code null} for a store in this JVM, or
	 * while the address is unknown
	 */
	default @Nullable String location() {
		return null;
	}

	/** Return the engine's optional features, the same at each call. */
	Set<Capability> capabilities();

	/**
	 * Return the shortest lease that can be renewed in time.
	 * @return the minimum lease that users may configure
	 */
	Duration minLease();

	/**
	 * Return the longest time for which the store can keep a key locked without a
	 * renewal: a lease with its lock delay, or a minimum hold.
	 * @return the maximum that users may configure; no limit unless the engine overrides
	 * it
	 */
	default Duration maxLease() {
		return LockOptions.UNLIMITED;
	}

	/**
	 * Return how long the store keeps keys of a process that died, even if their leases
	 * are much shorter.
	 * @return the timeout of the engine's session; zero if the engine has none, or if
	 * sessions are as short as leases
	 */
	default Duration sessionTimeout() {
		return Duration.ZERO;
	}

	/**
	 * Return whether the grant numbers of a key increase even if the store loses data.
	 * Otherwise they then depend on the wall clocks of the processes, and methods that
	 * use this engine cannot be fenced.
	 * @return {@code true} unless the engine overrides it
	 */
	default boolean numbersAlwaysGrow() {
		return true;
	}

	/**
	 * Return the locks that are part of a caller's database transaction.
	 * @return the locks, or {@code null} if the engine has none
	 */
	default @Nullable TransactionLocks transactionLocks() {
		return null;
	}

	/**
	 * Return the keys that the store keeps locked to the end of a minimum hold.
	 * @return the keys, or {@code null} if the engine cannot show and open them
	 */
	default @Nullable KeptKeys keptKeys() {
		return null;
	}

	/**
	 * Return the list of the keys that any process holds.
	 * @return the list, or {@code null} if the engine cannot list its keys
	 */
	default @Nullable HeldKeys heldKeys() {
		return null;
	}

	/**
	 * Request a claim's key, in the caller's thread, with one round trip. Idempotent: if
	 * a response was lost, a repeated request for the same claim returns the same grant
	 * number.
	 * <p>
	 * The service repeats the request only for a claim that waits, after a failure or
	 * <em>busy</em>. A claim that was granted, also by a signal, or contradicted, or that
	 * does not wait, is never requested again: the service releases it, unless nothing of
	 * it remains, and requests the key by a new claim.
	 * @param claim the claim
	 * @return granted, busy, or contradicted by those who hold the key
	 * @throws LockEngineException if the store did not respond; the claim may have been
	 * granted or queued, and must be requested again or {@linkplain #release(Claim)
	 * released}
	 */
	AcquisitionOutcome tryAcquire(Claim claim);

	/**
	 * Subscribe to the store's signals for a claim whose request returned <em>busy</em>.
	 * No signal between that response and this call is lost.
	 * @param claim the claim
	 * @param listener called in any thread, must not block
	 * @return ends the subscription when closed
	 */
	default Subscription subscribe(Claim claim, Consumer<Signal> listener) {
		return Subscription.POLLING;
	}

	/**
	 * Set the listener for grants that another process revokes or wants, so that their
	 * holders are notified before the next renewal. Reports may be missing, late, or
	 * about grants of other processes.
	 * @param listener replaces any earlier listener
	 */
	default void reportRevocations(RevocationListener listener) {
	}

	/**
	 * Begin to receive recalls: notifications that another process wants the key of a
	 * lingering grant. Called before each request on behalf of a caller whose grant may
	 * linger, so repeated calls must be cheap. Never blocks: a subscription is completed
	 * in the background, and {@link #receivesRecalls()} reports it.
	 */
	default void subscribeToRecalls() {
	}

	/**
	 * Return whether recalls arrive at this process now, as far as is known. Otherwise no
	 * grant lingers. Called under monitors: only reads state, sends no request, starts
	 * nothing and never blocks.
	 * @return {@code true} unless the engine overrides it
	 */
	default boolean receivesRecalls() {
		return true;
	}

	/**
	 * Extend grants, in one round trip if the store supports it. A failure of one renewal
	 * does not affect the others.
	 * @param renewals the renewals, not empty
	 * @return the outcomes in the same order; a store failure is never thrown
	 */
	List<RenewalOutcome> renew(List<Renewal> renewals);

	/**
	 * Return whether a valid grant may have ended early because a broken connection
	 * leaves its session in doubt. Only reads state, like {@link #receivesRecalls()}.
	 * @param claim the claim that was granted
	 * @return {@code false} if a grant ends unnoticed only by the passage of time
	 */
	default boolean inDoubt(Claim claim) {
		return false;
	}

	/**
	 * End a claim in any state: remove it from the queue, free the key if the claim's
	 * owner holds it, and let the next waiting claim proceed. Idempotent.
	 * @param claim the claim
	 * @return the definite response of the store
	 * @throws LockEngineException if the store did not respond; the call must be repeated
	 */
	ReleaseOutcome release(Claim claim);

	/**
	 * Return the holders of a key.
	 * @param key the key
	 * @return the holders in the order of their grants, empty if the key is free
	 * @throws LockEngineException if the store did not respond
	 */
	List<Holder> inspect(LockKey key);

	/**
	 * Release a key by force, for operators. The next waiting claim proceeds; a minimum
	 * hold that the store enforces continues. The next renewal or release of a former
	 * holder returns that it is not the owner.
	 * @param key the key
	 * @return the holders that lost it, empty if the key was free
	 * @throws LockEngineException if the store did not respond; the key may have been
	 * released
	 */
	List<Holder> forceRelease(LockKey key);

}
