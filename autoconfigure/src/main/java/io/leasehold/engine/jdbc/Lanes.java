package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;

/**
 * Division of a pool's connections among the kinds of calls, so that acquisitions that
 * wait for locked rows delay neither renewals nor releases. Thread-safe.
 */
final class Lanes {

	/** Number of batches that are renewed concurrently. */
	static final int RENEWALS = 2;

	private final int size;

	private final Lane acquisitions;

	private final Lane releases;

	private final Lane renewals = new Lane(RENEWALS, null);

	private final Lane closings = new Lane(1, null);

	/** Create lanes for a maximum number of concurrent acquisitions. */
	Lanes(int size) {
		this.size = size;
		this.releases = new Lane(size + 1, null);
		this.acquisitions = new Lane(size, this.releases);
	}

	int total() {
		return this.size + 1 + RENEWALS + 1;
	}

	/**
	 * Wait for a connection.
	 * @param deadline reading of {@link System#nanoTime()} at which the wait ends
	 * @return the lane, to be left when the connection is closed
	 */
	Lane enter(CallKind kind, long deadline) throws SQLException {
		Lane lane = of(kind);
		try {
			if (lane.enter((kind == CallKind.CLOSE) ? System.nanoTime() : deadline)) {
				return lane;
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new SQLTransientConnectionException("Interrupted while waiting for a connection");
		}
		throw new SQLTransientConnectionException(
				"No connection became free in time, all are in use by calls that wait for the database"
						+ ((kind == CallKind.ACQUIRE) ? " (leasehold.jdbc.pool-size: %s)".formatted(this.size) : ""));
	}

	private Lane of(CallKind kind) {
		return switch (kind) {
			case ACQUIRE -> this.acquisitions;
			case RENEW -> this.renewals;
			case RELEASE -> this.releases;
			case CLOSE -> this.closings;
		};
	}

}
