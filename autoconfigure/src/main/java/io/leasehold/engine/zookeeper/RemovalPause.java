package io.leasehold.engine.zookeeper;

import java.time.Duration;

/**
 * Pause before a removal is repeated that the store rejected, such as for a missing
 * permission. It doubles with each rejection. Thread-safe.
 */
final class RemovalPause {

	private static final long SHORTEST = Duration.ofMillis(200).toNanos();

	private static final long LONGEST = Duration.ofSeconds(10).toNanos();

	private long length = SHORTEST;

	private long end;

	private boolean begun;

	/** Begin the next pause, after a rejection. */
	synchronized void begin(long now) {
		this.end = now + this.length;
		this.length = Math.min(2 * this.length, LONGEST);
		this.begun = true;
	}

	/** Return whether the last pause is over, or no removal was rejected. */
	synchronized boolean isOver(long now) {
		return !this.begun || now - this.end >= 0;
	}

}
