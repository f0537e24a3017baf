package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Divides the connections of a pool among the kinds of calls, so that acquisitions that
 * wait for locked rows delay neither renewals nor releases. Thread-safe.
 */
final class Lanes {

	/** How many batches are renewed concurrently. */
	static final int RENEWALS = 2;

	private static final int RESERVED = RENEWALS + 2;

	private final int size;

	private final Semaphore acquisitions;

	private final Semaphore renewals = new Semaphore(RENEWALS);

	private final Semaphore releases = new Semaphore(1);

	private final Semaphore closings = new Semaphore(1);

	/**
	 * Create lanes.
	 * @param size how many connections acquisitions may take
	 */
	Lanes(int size) {
		this.size = size;
		this.acquisitions = new Semaphore(size);
	}

	/** Return how many connections there are in all. */
	int total() {
		return this.size + RESERVED;
	}

	/**
	 * Wait for a connection.
	 * @param deadline reading of {@link System#nanoTime()} until when
	 * @return to be released when the connection is given back
	 */
	Semaphore enter(CallKind kind, long deadline) throws SQLException {
		Semaphore free = free(kind);
		if (free != null) {
			return free;
		}
		Semaphore lane = of(kind);
		long patience = (kind == CallKind.CLOSE) ? 0 : deadline - System.nanoTime();
		try {
			if (lane.tryAcquire(patience, TimeUnit.NANOSECONDS)) {
				return lane;
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new SQLTransientConnectionException("Interrupted while waiting for a connection");
		}
		throw new SQLTransientConnectionException(
				"No connection became free in time, all are in use by calls that wait for the database"
						+ ((kind == CallKind.ACQUIRE) ? " (leasehold.jdbc.pool-size: %d)".formatted(this.size) : ""));
	}

	/** Releases use the connections of acquisitions while there are any. */
	private @Nullable Semaphore free(CallKind kind) {
		boolean general = kind == CallKind.ACQUIRE || kind == CallKind.RELEASE;
		return (general && this.acquisitions.tryAcquire()) ? this.acquisitions : null;
	}

	private Semaphore of(CallKind kind) {
		return switch (kind) {
			case ACQUIRE -> this.acquisitions;
			case RENEW -> this.renewals;
			case RELEASE -> this.releases;
			case CLOSE -> this.closings;
		};
	}

}
