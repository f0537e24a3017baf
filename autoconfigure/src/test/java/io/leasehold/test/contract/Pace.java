package io.leasehold.test.contract;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.ref.WeakReference;
import java.time.Duration;

/**
 * A stopwatch that also measures how much slower than an idle one the machine is
 * meanwhile. An upper bound of a test is what the tested code may take, plus a slack for
 * the machine: the slack is stretched by that measure, and stays as it is on a machine
 * that has nothing else to do. Thread-safe.
 */
public final class Pace {

	private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

	/** Up to this a machine counts as idle: other threads of the test run, too. */
	private static final double IDLE = 1.5;

	private static final long WORK = Duration.ofMillis(1).toNanos();

	private static final long PAUSE = Duration.ofMillis(20).toNanos();

	private final long begin = System.nanoTime();

	private final Probe probe = new Probe(this);

	private Pace() {
		this.probe.setDaemon(true);
		this.probe.start();
	}

	/**
	 * Begin to measure; that ends when the result is no longer referred to.
	 * @return the time from now on
	 */
	public static Pace begin() {
		return new Pace();
	}

	/**
	 * Return the time since the beginning.
	 */
	public Duration elapsed() {
		return Duration.ofNanos(System.nanoTime() - this.begin);
	}

	/**
	 * Return how long something may take on this machine now.
	 * @param idle how long it may take on a machine that has nothing else to do
	 * @return that time, or a longer one if the machine was slower since the beginning
	 */
	public Duration slack(Duration idle) {
		return stretched(idle, this.probe.slowness(System.nanoTime() - this.begin));
	}

	static Duration stretched(Duration idle, double slowness) {
		return (slowness > IDLE) ? Duration.ofNanos((long) (idle.toNanos() * slowness)) : idle;
	}

	/**
	 * Works a little, again and again: what it takes beyond its processor time is delay.
	 */
	private static final class Probe extends Thread {

		private final WeakReference<Pace> user;

		private volatile long paused;

		private volatile long pauseBegin;

		Probe(Pace user) {
			super("pace");
			this.user = new WeakReference<>(user);
		}

		@Override
		public void run() {
			try {
				while (this.user.get() != null) {
					work(THREADS.getCurrentThreadCpuTime());
					this.pauseBegin = System.nanoTime();
					Thread.sleep(Duration.ofNanos(PAUSE).toMillis());
					this.paused += PAUSE;
					this.pauseBegin = 0;
				}
			}
			catch (InterruptedException ex) {
				// Nobody does
			}
		}

		private static void work(long begin) {
			while (THREADS.getCurrentThreadCpuTime() - begin < WORK) {
				Thread.onSpinWait();
			}
		}

		/** How many times longer than its processor time the probe took for its work. */
		double slowness(long elapsed) {
			long cpu = THREADS.getThreadCpuTime(getId());
			long pausing = this.pauseBegin;
			long pauses = this.paused + ((pausing != 0) ? Math.min(System.nanoTime() - pausing, PAUSE) : 0);
			return (elapsed - pauses) / (double) Math.max(cpu, 1);
		}

	}

}
