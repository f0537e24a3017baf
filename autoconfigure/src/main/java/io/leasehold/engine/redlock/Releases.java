package io.leasehold.engine.redlock;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

import io.leasehold.engine.Signal;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Masters that have published the release of a waiting claim's lock since its last
 * request. The claim is notified once they are a majority: its next request must not
 * arrive at most of the masters before the release does. Thread-safe.
 */
final class Releases {

	private static final Log logger = LogFactory.getLog(Releases.class);

	private final Set<Master> masters = new HashSet<>();

	private @Nullable Consumer<Signal> listener;

	/**
	 * Forget the releases, because a request follows them.
	 * @return whether there is a listener
	 */
	synchronized boolean clear() {
		this.masters.clear();
		return this.listener != null;
	}

	/** Record a release at a master, or that one may have been missed there. */
	void add(Master master, int majority) {
		Consumer<Signal> decided = addAndDecide(master, majority);
		if (decided != null) {
			notify(decided);
		}
	}

	private synchronized @Nullable Consumer<Signal> addAndDecide(Master master, int majority) {
		boolean decides = this.masters.add(master) && this.masters.size() == majority;
		return decides ? this.listener : null;
	}

	/** Notify a listener from now on, and at once if a majority has published. */
	void listen(Consumer<Signal> newListener, int majority) {
		if (set(newListener) >= majority) {
			notify(newListener);
		}
	}

	private synchronized int set(Consumer<Signal> newListener) {
		this.listener = newListener;
		return this.masters.size();
	}

	synchronized void stopListening() {
		this.listener = null;
	}

	private static void notify(Consumer<Signal> listener) {
		try {
			listener.accept(new Signal.Retry());
		}
		catch (RuntimeException ex) {
			logger.warn("Could not notify a waiting claim; it continues to poll", ex);
		}
	}

}
