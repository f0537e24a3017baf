package io.leasehold.engine.zookeeper;

import java.util.function.Consumer;

import io.leasehold.engine.Signal;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * How a waiting claim learns that its turn may have come. Thread-safe, and never waits
 * for anything.
 */
final class Turn {

	private @Nullable Consumer<Signal> listener;

	private @Nullable Obstacle obstacle;

	private @Nullable Watch watch;

	private boolean expected;

	/** Whether it most likely came after the last answer. */
	synchronized boolean isExpected() {
		return this.expected;
	}

	synchronized void expect() {
		this.expected = true;
	}

	/** Note what is in the way, and return what to watch now, if anything. */
	synchronized @Nullable Watch busy(Obstacle by) {
		this.expected = false;
		this.obstacle = by;
		return newWatch();
	}

	synchronized @Nullable Watch listen(Consumer<Signal> to) {
		this.listener = to;
		return newWatch();
	}

	/** Hear nothing any more, and return the watch that is of no use now. */
	synchronized @Nullable Watch deafen() {
		this.listener = null;
		return forget();
	}

	/** What was watched does not count any more, nor what that told. */
	synchronized @Nullable Watch forget() {
		Watch useless = this.watch;
		this.watch = null;
		this.expected = false;
		return useless;
	}

	private @Nullable Watch newWatch() {
		Obstacle present = this.obstacle;
		if (this.listener == null || present == null || (this.watch != null && this.watch.obstacle.equals(present))) {
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
		askAgain();
	}

	/** Something may have changed. */
	void askAgain() {
		Consumer<Signal> to;
		synchronized (this) {
			to = this.listener;
		}
		if (to != null) {
			to.accept(new Signal.AskAgain());
		}
	}

	/**
	 * A watch on an obstacle.
	 */
	static final class Watch implements Watcher {

		private final Turn turn;

		private final Obstacle obstacle;

		private Watch(Turn turn, Obstacle obstacle) {
			this.turn = turn;
			this.obstacle = obstacle;
		}

		Obstacle obstacle() {
			return this.obstacle;
		}

		@Override
		public void process(WatchedEvent event) {
			if (event.getType() != Event.EventType.None) {
				end();
			}
		}

		/** What was to be heard of has come. */
		void end() {
			this.turn.end(this, this.obstacle.last());
		}

		/** It may have come. */
		void fail() {
			this.turn.end(this, false);
		}

	}

}
