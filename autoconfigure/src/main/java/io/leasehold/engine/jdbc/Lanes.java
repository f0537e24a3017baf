package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.leasehold.engine.support.Deadlines;

/**
 * Division of a pool's connections among the kinds of calls, so that acquisitions that
 * wait for locked rows delay neither renewals nor releases. Thread-safe.
 */
final class Lanes {

	/** Number of batches that are renewed concurrently. */
	static final int RENEWALS = 2;

	private final int size;

	/** Permits that a call of each kind needs, in this order. */
	private final Map<CallKind, List<Semaphore>> permits;

	/** Create lanes for a maximum number of concurrent acquisitions. */
	Lanes(int size) {
		this.size = size;
		// Releases may use the connections of acquisitions, and one more
		Semaphore releases = new Semaphore(size + 1);
		this.permits = Map.of(CallKind.ACQUIRE, List.of(new Semaphore(size), releases), CallKind.RELEASE,
				List.of(releases), CallKind.RENEW, List.of(new Semaphore(RENEWALS)), CallKind.CLOSE,
				List.of(new Semaphore(1)));
	}

	int total() {
		return this.size + 1 + RENEWALS + 1;
	}

	/**
	 * Wait for a connection.
	 * @param deadline reading of {@link System#nanoTime()} at which the wait ends
	 * @return action that leaves the lane, to be run when the connection is closed
	 */
	Runnable enter(CallKind kind, long deadline) throws SQLException {
		long until = (kind == CallKind.CLOSE) ? System.nanoTime() : deadline;
		List<Semaphore> entered = new ArrayList<>();
		Runnable leave = () -> entered.forEach(Semaphore::release);
		try {
			for (Semaphore permit : Objects.requireNonNull(this.permits.get(kind))) {
				if (!permit.tryAcquire() && !permit.tryAcquire(Deadlines.left(until), TimeUnit.NANOSECONDS)) {
					throw new SQLTransientConnectionException(
							"No connection became free in time, all are in use by calls that wait for the database"
									+ hint(kind));
				}
				entered.add(permit);
			}
			return leave;
		}
		catch (InterruptedException ex) {
			leave.run();
			Thread.currentThread().interrupt();
			throw new SQLTransientConnectionException("Interrupted while waiting for a connection");
		}
		catch (SQLException ex) {
			leave.run();
			throw ex;
		}
	}

	private String hint(CallKind kind) {
		return (kind == CallKind.ACQUIRE) ? " (leasehold.jdbc.pool-size: %s)".formatted(this.size) : "";
	}

}
