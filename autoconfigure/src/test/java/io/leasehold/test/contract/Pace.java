package io.leasehold.test.contract;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.ref.WeakReference;
import java.time.Duration;

/**
 * A stopwatch that also measures how much slower than an idle machine this one is. The
 * upper bound of a test is the time that the tested code may take, plus a slack for the
 * machine. The slack is multiplied by the measured slowness, and unchanged on an idle
 * machine. Concurrent stopwatches measure the same slowness. Thread-safe.
 */
public final class Pace {

	private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

	/**
	 * Slowness up to which a machine counts as idle: other threads of the test run, too.
	 */
	private static final double IDLE = 1.5;

	private static final long WORK = Duration.ofMillis(1).toNanos();

	private static final long PAUSE = Duration.ofMillis(100).toNanos();

	private static WeakReference<Probe> shared = new WeakReference<>(null);

	private final Probe probe = shared();

	private final long begin = System.nanoTime();

	private final long cpu = this.probe.cpu();

	private final long paused = this.probe.paused(this.begin);

	private Pace() {
	}

	/**
	 * Begin to measure, until the returned object is no longer referenced.
	 * @return a stopwatch that starts now
	 */
	public static Pace begin() {
		return new Pace();
	}

	private static synchronized Probe shared() {
		Probe probe = shared.get();
		if (probe == null) {
			probe = new Probe();
			shared = new WeakReference<>(probe);
		}
		return probe;
	}

	/**
	 * Return the time since the beginning.
	 */
	public Duration elapsed() {
		return Duration.ofNanos(System.nanoTime() - this.begin);
	}

	/**
	 * Return the slack of an upper bound on this machine.
	 * @param idle slack on an idle machine
	 * @return that slack, or a longer one if the machine was slower since the beginning
	 */
	public Duration slack(Duration idle) {
		return stretched(idle, slowness(System.nanoTime()));
	}

	/** Return the working time of the probe as a multiple of its processor time. */
	private double slowness(long now) {
		long working = now - this.begin - (this.probe.paused(now) - this.paused);
		return working / (double) Math.max(this.probe.cpu() - this.cpu, 1);
	}

	static Duration stretched(Duration idle, double slowness) {
		return (slowness > IDLE) ? Duration.ofNanos((long) (idle.toNanos() * slowness)) : idle;
	}

	/**
	 * A thread that does a little work repeatedly. Its working time minus its processor
	 * time is the delay by the machine.
	 */
	private static final class Probe {

		private final long thread;

		private volatile long paused;

		private volatile long pauseBegin;

		Probe() {
			WeakReference<Probe> self = new WeakReference<>(this);
			Thread worker = new Thread(() -> run(self), "pace");
			worker.setDaemon(true);
			worker.start();
			this.thread = worker.getId();
		}

		private static void run(WeakReference<Probe> self) {
			try {
				while (goesOn(self)) {
					work(THREADS.getCurrentThreadCpuTime());
					pause(self, System.nanoTime());
				}
			}
			catch (InterruptedException ex) {
				// this thread is never interrupted
			}
		}

		private static boolean goesOn(WeakReference<Probe> self) {
			return self.get() != null;
		}

		private static void work(long begin) {
			while (THREADS.getCurrentThreadCpuTime() - begin < WORK) {
				Thread.onSpinWait();
			}
		}

		private static void pause(WeakReference<Probe> self, long now) throws InterruptedException {
			Probe probe = self.get();
			if (probe != null) {
				probe.pauseBegin = now;
			}
			probe = null;
			Thread.sleep(Duration.ofNanos(PAUSE).toMillis());
			probe = self.get();
			if (probe != null) {
				probe.paused += PAUSE;
				probe.pauseBegin = 0;
			}
		}

		long cpu() {
			return THREADS.getThreadCpuTime(this.thread);
		}

		/** Return how long the probe has paused by now. */
		long paused(long now) {
			long pausing = this.pauseBegin;
			long pauses = this.paused;
			return (pausing != 0) ? pauses + Math.min(now - pausing, PAUSE) : pauses;
		}

	}

}
