package io.leasehold.benchmark.worker;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.leasehold.benchmark.contender.Contender;
import org.HdrHistogram.Histogram;

/**
 * Two workers that pass one lock to each other: the time from the call that releases it
 * in one JVM until the call that waits for it returns in the other, by the clock of the
 * machine.
 *
 * @param file the board by which they see each other
 * @param time how long they do so
 * @param hold how long each of them holds the lock while the other waits; long enough
 * that the request of the other has arrived
 */
public record Handoff(String file, Duration time, Duration hold) implements Task {

	/** Time after which a request has arrived and its caller sleeps. */
	public static final Duration SETTLED = Duration.ofMillis(5);

	private static final int HOLDER = 0;

	private static final int RELEASED = 1;

	private static final int WAITING = 2;

	private static final int INSIDE = 4;

	private static final long GLANCE = TimeUnit.MICROSECONDS.toNanos(100);

	@Override
	public Sample run(Contender contender, int worker) throws Exception {
		Board board = Board.open(this.file);
		long end = System.nanoTime() + this.time.toNanos();
		Histogram latency = new Histogram(3);
		long turns = 0;
		long violations = 0;
		while (System.nanoTime() < end) {
			board.set(WAITING + worker, 1);
			Contender.Held held = contender.acquire("handoff");
			long acquired = System.nanoTime();
			board.set(WAITING + worker, 0);
			if (board.add(INSIDE, 1) != 1) {
				violations++;
			}
			long released = board.get(RELEASED);
			if (released != 0 && acquired < end) {
				latency.recordValue(acquired - released);
			}
			turns++;
			board.set(HOLDER, worker + 1);
			passOn(board, held, worker, end);
		}
		return new Sample(new long[] { latency.getTotalCount() }, turns, this.time.toNanos(), 0, latency, violations,
				Map.of());
	}

	/**
	 * A polling worker would often be faster than the other one, so it waits until the
	 * other one has acquired the lock.
	 */
	private void passOn(Board board, Contender.Held held, int worker, long end) throws Exception {
		while (board.get(WAITING + 1 - worker) == 0 && System.nanoTime() < end) {
			LockSupport.parkNanos(GLANCE);
		}
		LockSupport.parkNanos(this.hold.toNanos());
		board.add(INSIDE, -1);
		board.set(RELEASED, System.nanoTime());
		held.release();
		while (board.get(HOLDER) == worker + 1 && System.nanoTime() < end) {
			LockSupport.parkNanos(GLANCE);
		}
	}

}
