package io.leasehold.service.gate;

import java.time.Duration;

import io.leasehold.engine.Claim;
import org.jspecify.annotations.Nullable;

/**
 * Decision of a gate: no action, one action, or a few related ones. The caller carries it
 * out after it has left the monitor. The decision to wake only a waiter that was granted
 * the key is that waiter, so that an uncontended acquisition creates no object for it.
 */
public sealed interface Actions permits Action, Decision, Waiter {

	/** Return whether the gate is out of use. */
	default boolean removesGate() {
		return false;
	}

	/** Return the new hold whose grant must be renewed at once, {@code null} for none. */
	default @Nullable Hold renewed() {
		return null;
	}

	/**
	 * Return the first of the waiters to wake, each with a result. A granted hold must be
	 * watched before its waiter is woken.
	 */
	default @Nullable Waiter woken() {
		return null;
	}

	/** Return a claim that is over, whose timer and listener must be stopped. */
	default @Nullable StoreClaim ended() {
		return null;
	}

	default @Nullable Claim released() {
		return null;
	}

	default @Nullable StoreClaim requested() {
		return null;
	}

	/** Return the number of the planned request. */
	default int plan() {
		return 0;
	}

	/** Return the delay before the request or the release. */
	default Duration delay() {
		return Duration.ZERO;
	}

	/** Return whether the busy claim must subscribe to the store's signals. */
	default boolean listens() {
		return false;
	}

}
