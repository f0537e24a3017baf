package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/**
 * Watch of a waiting claim on its obstacle. A watch that fails after it was created may
 * have missed a change; one that cannot be created is left to the polls.
 */
final class Watch {

	/** A server that ends each watch at once must not cause a request at each end. */
	private static final Duration SHORT = Duration.ofSeconds(1);

	private final Store store;

	private final Obstacle obstacle;

	private final BiConsumer<Watch, Boolean> listener;

	private final Runnable whenOver;

	private final AtomicBoolean over = new AtomicBoolean();

	private final List<String> removed = new ArrayList<>();

	private final long opened = System.nanoTime();

	private volatile boolean created;

	private volatile @Nullable WatchStream stream;

	/**
	 * Create a watch that is not open yet.
	 * @param listener called at most once, with whether the obstacle may have changed
	 * @param whenOver called once
	 */
	Watch(Store store, Obstacle obstacle, BiConsumer<Watch, Boolean> listener, Runnable whenOver) {
		this.store = store;
		this.obstacle = obstacle;
		this.listener = listener;
		this.whenOver = whenOver;
	}

	boolean isOn(Obstacle other) {
		return this.obstacle.isSameAs(other);
	}

	void open() {
		WatchStream begun = this.store.watch(this.store.members().present(), this.obstacle.key(),
				this.obstacle.rangeEnd(), this.obstacle.revision(), this::received);
		this.stream = begun;
		if (this.over.get()) {
			begun.close();
		}
	}

	private void received(@Nullable Message message) {
		if (message == null) {
			end(this.created && System.nanoTime() - this.opened > SHORT.toNanos());
			return;
		}
		if (message.flag(Store.CANCELLED)) {
			// A change may be missed after a compaction; otherwise the token has expired
			end(message.number(Store.COMPACTED) > 0);
			return;
		}
		this.created |= message.flag(Store.CREATED);
		message.all(Store.EVENTS).forEach((event) -> this.removed.add(KeyValue.of(event.message(2)).key()));
		if (!this.removed.isEmpty() && this.obstacle.isOver(this.removed)) {
			end(true);
		}
	}

	private void end(boolean changed) {
		if (close()) {
			this.listener.accept(this, changed);
		}
	}

	/** End the watch, without a report. */
	boolean close() {
		if (!this.over.compareAndSet(false, true)) {
			return false;
		}
		this.whenOver.run();
		WatchStream open = this.stream;
		if (open != null) {
			open.close();
		}
		return true;
	}

}
