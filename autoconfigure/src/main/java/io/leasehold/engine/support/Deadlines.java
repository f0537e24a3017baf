package io.leasehold.engine.support;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalRule;
import org.jspecify.annotations.Nullable;

/**
 * Deadlines of calls, as readings of {@link System#nanoTime()}.
 */
public final class Deadlines {

	private Deadlines() {
	}

	/**
	 * Return the deadline of a call that begins now.
	 * @param timeout maximum duration of the call
	 * @return the deadline
	 */
	public static long after(Duration timeout) {
		return System.nanoTime() + timeout.toNanos();
	}

	/**
	 * Return the deadline of a batch of renewals that is sent now. It leaves time for a
	 * retry within the shortest lease.
	 * @param renewals the renewals, not empty
	 * @param timeout maximum duration of the call
	 * @return the deadline
	 */
	public static long ofRenewals(List<Renewal> renewals, Duration timeout) {
		long shortest = renewals.stream().mapToLong((renewal) -> renewal.lease().toNanos()).min().orElseThrow();
		return System.nanoTime() + Math.min(timeout.toNanos(), RenewalRule.period(shortest));
	}

	/**
	 * Return the time until a deadline.
	 * @param deadline the deadline
	 * @return nanoseconds, negative after the deadline
	 */
	public static long left(long deadline) {
		return deadline - System.nanoTime();
	}

	/**
	 * Wait for a response. An interrupt does not end the wait, because the request has
	 * been sent and its response matters. The interrupt flag is preserved.
	 * @param <T> type of the response
	 * @param response the response
	 * @param deadline the deadline; a response that has arrived is returned even after it
	 * @return the response
	 * @throws ExecutionException if the request failed
	 * @throws TimeoutException if the response did not arrive in time
	 */
	public static <T extends @Nullable Object> T await(Future<T> response, long deadline)
			throws ExecutionException, TimeoutException {
		boolean interrupted = false;
		long limit = Math.max(0, left(deadline));
		try {
			while (true) {
				try {
					return response.get(Math.max(0, left(deadline)), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		catch (TimeoutException ex) {
			throw new TimeoutException("no response in time (%s ms)".formatted(Math.round(limit / 1e6)));
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
