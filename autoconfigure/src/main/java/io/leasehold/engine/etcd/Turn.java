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

	/** Watch on the obstacle, open if there is a listener. */
	private @Nullable Watch watch;

	Turn(Watches watches) {
		this.watches = watches;
	}

	/**
	 * Record the obstacle, and watch it if there is a listener.
	 * @param order all claims up to this one
	 * @param prefix beginning of all keys of the lock
	 * @param revision revision of this order
	 */
	void busy(ClaimOrder order, String prefix, long revision) {
		Watch next = Watch.on(order, prefix, revision, this::end);
		Watch useless;
		synchronized (this) {
			useless = this.watch;
			if (useless != null && useless.key().equals(next.key())) {
				return;
			}
			this.watch = next;
		}
		close(useless);
		open();
	}

	void listen(Consumer<Signal> to) {
		synchronized (this) {
			this.listener = to;
		}
		open();
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
		}
		close(useless);
	}

	private void close(@Nullable Watch useless) {
		if (useless != null) {
			this.watches.close(useless);
		}
	}

	private void open() {
		Watch present;
		synchronized (this) {
			present = (this.listener != null) ? this.watch : null;
		}
		if (present != null && present.begin()) {
			this.watches.open(present);
		}
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
