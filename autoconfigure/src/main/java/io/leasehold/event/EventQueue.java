package io.leasehold.event;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Queue of notifications with a single thread, so that a listener that blocks delays only
 * other listeners. Losses and other events that occur at most once per hold have a
 * separate queue, which is served first. Frequent events never displace them and are
 * dropped when too many wait. Adding an event never blocks and starts no thread.
 * Thread-safe.
 */
public final class EventQueue implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(EventQueue.class);

	/** Memory limit, far above the number of locks that a process loses at once. */
	private static final int MOST_IMPORTANT = 100_000;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition added = this.lock.newCondition();

	private final Queue<Runnable> important = new ArrayDeque<>();

	private final Queue<Runnable> frequent = new ArrayDeque<>();

	private final int mostFrequent;

	private final ThreadFactory threads;

	private final DroppedEvents dropped;

	private @Nullable Thread thread;

	private boolean closed;

	private boolean busy;

	private long busySince;

	/**
	 * Create a queue.
	 * @param name name of the queue in warnings
	 * @param mostFrequent maximum number of frequent events that wait
	 * @param threads creates the thread
	 */
	public EventQueue(String name, int mostFrequent, ThreadFactory threads) {
		this.mostFrequent = mostFrequent;
		this.threads = threads;
		this.dropped = new DroppedEvents(name);
	}

	/**
	 * Start the thread, unless it was started before.
	 * @throws OutOfMemoryError if the system has no thread left; the call may be repeated
	 */
	public void start() {
		this.lock.lock();
		try {
			if (this.thread == null && !this.closed) {
				Thread created = this.threads.newThread(this::serve);
				created.start();
				this.thread = created;
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Add a notification that frequent events never displace.
	 * @param event kind of the event, for warnings
	 * @param notification notifies the listeners
	 */
	public void add(String event, Runnable notification) {
		add(this.important, MOST_IMPORTANT, event, notification);
	}

	/**
	 * Add a notification of a frequent event, or drop it if too many are waiting.
	 * @param event kind of the event, for warnings
	 * @param notification notifies the listeners
	 */
	public void addFrequent(String event, Runnable notification) {
		add(this.frequent, this.mostFrequent, event, notification);
	}

	private void add(Queue<Runnable> queue, int most, String event, Runnable notification) {
		Duration busyFor;
		this.lock.lock();
		try {
			if (this.closed) {
				return;
			}
			if (queue.size() < most) {
				queue.add(notification);
				this.added.signal();
				return;
			}
			busyFor = this.busy ? Duration.ofNanos(System.nanoTime() - this.busySince) : Duration.ZERO;
		}
		finally {
			this.lock.unlock();
		}
		this.dropped.drop(event, most, busyFor);
	}

	/** Return how many events were dropped since the queue was created. */
	public long dropped() {
		return this.dropped.count();
	}

	private void serve() {
		for (Runnable next = take(); next != null; next = take()) {
			try {
				next.run();
			}
			catch (Throwable ex) {
				logger.warn("A notification failed", ex);
			}
		}
	}

	private @Nullable Runnable take() {
		this.lock.lock();
		try {
			this.busy = false;
			while (!this.closed && this.important.isEmpty() && this.frequent.isEmpty()) {
				this.added.awaitUninterruptibly();
			}
			this.busy = true;
			this.busySince = System.nanoTime();
			Runnable next = this.important.poll();
			return (next != null) ? next : this.frequent.poll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Reject further events. Waiting events are still published, then the thread ends.
	 */
	@Override
	public void close() {
		this.lock.lock();
		try {
			this.closed = true;
			this.added.signal();
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Drop the waiting events and interrupt the running listener. */
	void closeNow() {
		this.lock.lock();
		try {
			this.closed = true;
			this.important.clear();
			this.frequent.clear();
			this.added.signal();
			if (this.thread != null) {
				this.thread.interrupt();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

}
