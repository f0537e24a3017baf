package io.leasehold.engine.zookeeper;

import java.util.function.Consumer;

import io.leasehold.engine.Signal;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * Notification of a waiting claim that its turn may have come. Thread-safe; never blocks.
 */
final class Turn {

	private @Nullable Consumer<Signal> listener;

	private @Nullable AwaitedChange awaited;

	private @Nullable Watch watch;

	private boolean expected;

	/** Return whether the turn has most likely come since the last response. */
	synchronized boolean isExpected() {
		return this.expected;
	}

	synchronized void expect() {
		this.expected = true;
	}

	/** Record the obstacle, and return the watch to set now, if any. */
	synchronized @Nullable Watch busy(AwaitedChange by) {
		this.expected = false;
		this.awaited = by;
		return newWatch();
	}

	synchronized @Nullable Watch listen(Consumer<Signal> to) {
		this.listener = to;
		return newWatch();
	}

	/** Remove the listener, and return the watch that is useless now, if any. */
	synchronized @Nullable Watch unsubscribe() {
		this.listener = null;
		return forget();
	}

	/** Discard the watch and its result, and return the watch, if any. */
	synchronized @Nullable Watch forget() {
		Watch useless = this.watch;
		this.watch = null;
		this.expected = false;
		return useless;
	}

	private @Nullable Watch newWatch() {
		AwaitedChange present = this.awaited;
		if (this.listener == null || present == null || (this.watch != null && this.watch.awaited.equals(present))) {
			return null;
		}
		this.watch = new Watch(this, present);
		return this.watch;
	}

	private void end(Watch by, boolean last) {
		synchronized (this) {
			if (this.watch == by) {
				this.watch = null;
				this.expected |= last;
			}
		}
		retry();
	}

	void retry() {
		Consumer<Signal> to;
		synchronized (this) {
			to = this.listener;
		}
		if (to != null) {
			to.accept(new Signal.Retry());
		}
	}

	/**
	 * Watch on an obstacle.
	 */
	static final class Watch implements Watcher {

		private final Turn turn;

		private final AwaitedChange awaited;

		private Watch(Turn turn, AwaitedChange awaited) {
			this.turn = turn;
			this.awaited = awaited;
		}

		AwaitedChange awaited() {
			return this.awaited;
		}

		@Override
		public void process(WatchedEvent event) {
			if (event.getType() != Event.EventType.None) {
				end();
			}
		}

		/** Report that the watched change has happened. */
		void end() {
			this.turn.end(this, this.awaited.last());
		}

		/** Report that the watched change may have happened. */
		void fail() {
			this.turn.end(this, false);
		}

	}

}
