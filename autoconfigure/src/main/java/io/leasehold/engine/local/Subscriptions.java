package io.leasehold.engine.local;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import io.leasehold.engine.Claim;
import io.leasehold.engine.Owner;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;

/**
 * Listeners of waiting claims. They outlive a place in the queue, because a claim whose
 * grant expired may be enqueued again. Thread-safe.
 */
final class Subscriptions {

	private final Map<Owner, Consumer<Signal>> listeners = new ConcurrentHashMap<>();

	/** Send the signals of a claim to a listener until the result is closed. */
	Subscription add(Claim claim, Consumer<Signal> listener) {
		this.listeners.put(claim.owner(), listener);
		return () -> this.listeners.remove(claim.owner(), listener);
	}

	/** Add the notification of a claim, if it is subscribed. */
	void addNotification(Claim claim, Signal signal, List<Runnable> notifications) {
		Consumer<Signal> listener = this.listeners.get(claim.owner());
		if (listener != null) {
			notifications.add(() -> listener.accept(signal));
		}
	}

}
