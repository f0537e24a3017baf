package io.leasehold.service;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.leasehold.LockKey;
import io.leasehold.event.AcquisitionListener;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEventListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Publisher of events to listeners, whose failures are logged.
 */
final class Events {

	private static final Log logger = LogFactory.getLog(Events.class);

	private final LockEventListener[] listeners;

	private final EngineThreads threads;

	Events(List<? extends LockEventListener> listeners, EngineThreads threads) {
		this.listeners = listeners.toArray(LockEventListener[]::new);
		this.threads = threads;
	}

	/** Return whether anyone receives events. Otherwise none has to be created. */
	boolean haveListeners() {
		return this.listeners.length > 0;
	}

	/** Publish an event in the current thread. */
	void publish(LockEvent event) {
		for (LockEventListener listener : this.listeners) {
			try {
				listener.onEvent(event);
			}
			catch (Throwable ex) {
				logger.warn("Listener %s failed on %s".formatted(listener, event), ex);
			}
		}
	}

	/**
	 * Publish events in a thread of the library, for threads that must not block. Each
	 * may occur at most once per hold. Before these threads start, only health checks
	 * publish events, in their own thread.
	 */
	void publishLater(LockEvent... events) {
		if (haveListeners() && this.threads.haveStarted()) {
			this.threads.events().add(kindOf(events[0]), () -> List.of(events).forEach(this::publish));
		}
		else {
			List.of(events).forEach(this::publish);
		}
	}

	/** Publish in a thread of the library; drop the events if too many renewals wait. */
	void publishRenewals(List<? extends LockEvent> events) {
		if (haveListeners()) {
			this.threads.events().addFrequent(kindOf(events.get(0)), () -> events.forEach(this::publish));
		}
	}

	private static String kindOf(LockEvent event) {
		return event.getClass().getSimpleName();
	}

	/** Collect the listeners of an acquisition. Allocates nothing if there are none. */
	List<AcquisitionListener> follow(String engine, String name, LockKey key) {
		List<AcquisitionListener> followers = List.of();
		for (LockEventListener listener : this.listeners) {
			AcquisitionListener follower = null;
			try {
				follower = listener.follow(engine, name, key);
			}
			catch (Throwable ex) {
				logger.warn("Listener %s could not follow lock '%s'".formatted(listener, key), ex);
			}
			if (follower != null) {
				followers = followers.isEmpty() ? new ArrayList<>(1) : followers;
				followers.add(follower);
			}
		}
		return followers;
	}

	/** Notify the listeners of an acquisition in the current thread. */
	void notifyEach(List<AcquisitionListener> followers, Consumer<AcquisitionListener> news) {
		for (AcquisitionListener follower : followers) {
			try {
				news.accept(follower);
			}
			catch (Throwable ex) {
				logger.warn("Listener %s failed".formatted(follower), ex);
			}
		}
	}

	/** Notify the listeners of an acquisition in a thread of the library. */
	void notifyLater(List<AcquisitionListener> followers, Consumer<AcquisitionListener> news) {
		if (!followers.isEmpty()) {
			this.threads.events().add("HoldEnded", () -> notifyEach(followers, news));
		}
	}

}
