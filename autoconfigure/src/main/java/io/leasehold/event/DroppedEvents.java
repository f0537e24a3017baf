package io.leasehold.event;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Counts the events that find a full queue, and warns of them: of the first one at once,
 * then once a minute at most. Thread-safe.
 */
public final class DroppedEvents implements RejectedExecutionHandler {

	private static final Log logger = LogFactory.getLog(DroppedEvents.class);

	private static final long PAUSE = Duration.ofMinutes(1).toNanos();

	private final String queue;

	private final LongSupplier clock;

	private final AtomicLong dropped = new AtomicLong();

	private final AtomicLong nextWarning;

	/**
	 * Create a handler for a queue.
	 * @param queue what to call the queue in the warning
	 */
	public DroppedEvents(String queue) {
		this(queue, System::nanoTime);
	}

	DroppedEvents(String queue, LongSupplier clock) {
		this.queue = queue;
		this.clock = clock;
		this.nextWarning = new AtomicLong(clock.getAsLong());
	}

	@Override
	public void rejectedExecution(Runnable task, ThreadPoolExecutor pool) {
		if (pool.isShutdown()) {
			return;
		}
		this.dropped.incrementAndGet();
		long now = this.clock.getAsLong();
		long next = this.nextWarning.get();
		if (now - next >= 0 && this.nextWarning.compareAndSet(next, now + PAUSE)) {
			logger
				.warn("Lock events were dropped, %d since the last warning: the queue '%s' is full, its listeners block"
					.formatted(this.dropped.getAndSet(0), this.queue));
		}
	}

}
