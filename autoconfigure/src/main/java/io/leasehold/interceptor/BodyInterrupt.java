package io.leasehold.interceptor;

import io.leasehold.HeldLock;

/**
 * Interrupt of the thread that runs a method's body, sent if the lock is lost. It does
 * not outlast the body, and leaves an earlier interrupt by other code in place.
 */
final class BodyInterrupt implements AutoCloseable {

	private final Thread thread = Thread.currentThread();

	private boolean over;

	private boolean ours;

	private BodyInterrupt() {
	}

	/** Interrupt the current thread if the lock is lost before the result is closed. */
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

	/** Mark the body as ended, and clear an interrupt that it did not notice. */
	@Override
	public synchronized void close() {
		this.over = true;
		if (this.ours) {
			Thread.interrupted();
		}
	}

}
