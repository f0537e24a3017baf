package io.leasehold.engine.zookeeper;

import java.util.function.Consumer;
import java.util.function.Supplier;

import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.zookeeper.AwaitedChange.Effect;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.jspecify.annotations.Nullable;

/**
 * Notification of a waiting claim that its turn may have come. Thread-safe; never blocks.
 */
final class Turn {

	private @Nullable Consumer<Signal> listener;

	/** Grants the claim when its turn has certainly come, or returns {@code null}. */
	private volatile Supplier<AcquisitionOutcome.@Nullable Granted> granter = () -> null;

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

	/**
	 * Set the listener, and return the watch to set now, if any.
	 * @param grantNow grants the claim without a request, or returns {@code null} if that
	 * is not possible. Called when the turn has certainly come
	 */
	synchronized @Nullable Watch listen(Consumer<Signal> to, Supplier<AcquisitionOutcome.@Nullable Granted> grantNow) {
		this.listener = to;
		this.granter = grantNow;
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

	/** Process the end of a watch, and return whether the turn has certainly come. */
	private synchronized boolean end(Watch by, Effect effect) {
		if (this.watch != by) {
			return false;
		}
		this.watch = null;
		this.expected |= effect != Effect.UNKNOWN;
		return effect == Effect.CERTAIN;
	}

	/** Notify the claim that its turn may have come. */
	void retry() {
		signal(null);
	}

	private void signal(AcquisitionOutcome.@Nullable Granted granted) {
		Consumer<Signal> to;
		synchronized (this) {
			to = this.listener;
		}
		if (to != null) {
			to.accept((granted != null) ? new Signal.Pushed(granted) : new Signal.Retry());
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
			if (event.getType() == Event.EventType.NodeDeleted) {
				end();
			}
			else if (event.getType() != Event.EventType.None) {
				fail();
			}
		}

		/** Report that the watched node was removed. */
		void end() {
			boolean certain = this.turn.end(this, this.awaited.effect());
			this.turn.signal(certain ? this.turn.granter.get() : null);
		}

		/** Report that the watched change may have happened. */
		void fail() {
			this.turn.end(this, Effect.UNKNOWN);
			this.turn.retry();
		}

	}

}
