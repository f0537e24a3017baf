package io.leasehold.service;

import java.util.List;

import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEventListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Tells the listeners, and survives them.
 */
final class Events {

	private static final Log logger = LogFactory.getLog(Events.class);

	private final LockEventListener[] listeners;

	private final EngineThreads threads;

	Events(List<? extends LockEventListener> listeners, EngineThreads threads) {
		this.listeners = listeners.toArray(LockEventListener[]::new);
		this.threads = threads;
	}

	/** Tell in this thread, which is a caller's. */
	void publish(LockEvent event) {
		for (LockEventListener listener : this.listeners) {
			try {
				listener.onEvent(event);
			}
			catch (Exception | LinkageError | AssertionError ex) {
				logger.warn("Listener %s failed on %s".formatted(listener, event), ex);
			}
		}
	}

	/**
	 * Tell in a thread of the library, for what happens in threads that must not block.
	 */
	void publishLater(List<LockEvent> events) {
		if (this.listeners.length > 0) {
			this.threads.notices().execute(() -> events.forEach(this::publish));
		}
	}

}
