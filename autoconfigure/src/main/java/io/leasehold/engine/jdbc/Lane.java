package io.leasehold.engine.jdbc;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.leasehold.engine.support.Deadlines;
import org.jspecify.annotations.Nullable;

/**
 * Connections for one kind of call, some of which another kind may share. Thread-safe.
 */
final class Lane {

	private final Semaphore permits;

	private final @Nullable Lane within;

	/**
	 * Create a lane.
	 * @param connections maximum number of concurrent calls
	 * @param within a wider lane that these calls occupy as well, or {@code null}
	 */
	Lane(int connections, @Nullable Lane within) {
		this.permits = new Semaphore(connections);
		this.within = within;
	}

	/**
	 * Wait for a connection.
	 * @param deadline reading of {@link System#nanoTime()} at which the wait ends
	 * @return whether there is one; then {@link #leave} returns it
	 */
	boolean enter(long deadline) throws InterruptedException {
		if (!this.permits.tryAcquire() && !this.permits.tryAcquire(Deadlines.left(deadline), TimeUnit.NANOSECONDS)) {
			return false;
		}
		boolean entered = false;
		try {
			entered = this.within == null || this.within.enter(deadline);
		}
		finally {
			if (!entered) {
				this.permits.release();
			}
		}
		return entered;
	}

	void leave() {
		if (this.within != null) {
			this.within.leave();
		}
		this.permits.release();
	}

}
