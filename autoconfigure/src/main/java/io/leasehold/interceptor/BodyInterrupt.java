package io.leasehold.interceptor;

import io.leasehold.HeldLock;

/**
 * Interrupts the thread that runs a method's body when its lock is lost, and nothing but
 * the body: not what the thread does afterwards, nor what it was interrupted for by
 * others.
 */
final class BodyInterrupt implements AutoCloseable {

	private final Thread thread = Thread.currentThread();

	private boolean over;

	private boolean ours;

	private BodyInterrupt() {
	}

	/** Watch over the body that the current thread is about to run. */
	static BodyInterrupt onLossOf(HeldLock held) {
		BodyInterrupt result = new BodyInterrupt();
		held.onLost((loss) -> result.interrupt());
		return result;
	}

	private synchronized void interrupt() {
		if (!this.over && !this.thread.isInterrupted()) {
			this.ours = true;
			this.thread.interrupt();
		}
	}

	/** The body is over: take back an interrupt that it did not notice. */
	@Override
	public synchronized void close() {
		this.over = true;
		if (this.ours) {
			Thread.interrupted();
		}
	}

}
