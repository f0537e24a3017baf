package io.leasehold.engine.etcd;

import java.util.function.Consumer;

import io.leasehold.engine.Signal;
import org.jspecify.annotations.Nullable;

/**
 * Notification of a waiting claim that it may hold its lock now. Has at most one open
 * watch, on the claim's obstacle. Thread-safe; never blocks.
 */
final class Turn {

	private final Watches watches;

	private @Nullable Consumer<Signal> listener;

	private @Nullable Obstacle obstacle;

	private @Nullable Watch watch;

	Turn(Watches watches) {
		this.watches = watches;
	}

	/** Record the obstacle, and watch it if there is a listener. */
	void busy(Obstacle by) {
		synchronized (this) {
			this.obstacle = by;
		}
		watch();
	}

	void listen(Consumer<Signal> to) {
		synchronized (this) {
			this.listener = to;
		}
		watch();
	}

	/** Remove the listener and the watch. */
	void unsubscribe() {
		synchronized (this) {
			this.listener = null;
		}
		forget();
	}

	/** Forget the obstacle, because the claim's place has changed. */
	void forget() {
		Watch useless;
		synchronized (this) {
			useless = this.watch;
			this.watch = null;
			this.obstacle = null;
		}
		if (useless != null) {
			this.watches.close(useless);
		}
	}

	private void watch() {
		Watch useless;
		Watch begun;
		synchronized (this) {
			Obstacle present = this.obstacle;
			useless = this.watch;
			if (this.listener == null || present == null || (useless != null && useless.key().equals(present.key()))) {
				return;
			}
			begun = present.watch(this::end);
			this.watch = begun;
		}
		if (useless != null) {
			this.watches.close(useless);
		}
		this.watches.open(begun);
	}

	/** Record that a watch has ended, and report a change. */
	private void end(Watch by, Watch.End how) {
		synchronized (this) {
			if (this.watch != by) {
				return;
			}
			this.watch = null;
		}
		if (how != Watch.End.UNAVAILABLE) {
			retry();
		}
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

}
