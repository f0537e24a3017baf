package io.leasehold.service.simulation;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/**
 * Code that has a thread, but runs only while {@link #resume()} waits for it. So exactly
 * one thread of the simulation runs at any moment.
 */
final class Coroutine {

	private static final ExecutorService THREADS = Executors.newCachedThreadPool((task) -> {
		Thread thread = new Thread(task, "simulated");
		thread.setDaemon(true);
		return thread;
	});

	private final Runnable code;

	private final Semaphore resumed = new Semaphore(0);

	private final Semaphore suspended = new Semaphore(0);

	private boolean started;

	private boolean ended;

	private boolean killed;

	private Throwable failure;

	Coroutine(Runnable code) {
		this.code = code;
	}

	/**
	 * Run the code until it suspends itself or ends.
	 * @throws IllegalStateException if it failed
	 */
	void resume() {
		if (this.started) {
			this.resumed.release();
		}
		else {
			this.started = true;
			THREADS.execute(this::run);
		}
		this.suspended.acquireUninterruptibly();
		if (this.failure != null && !this.killed) {
			throw new IllegalStateException(this.failure.toString(), this.failure);
		}
	}

	private void run() {
		try {
			this.code.run();
		}
		catch (Killed ex) {
			// As intended
		}
		catch (RuntimeException | Error ex) {
			this.failure = ex;
		}
		this.ended = true;
		Thread.interrupted();
		this.suspended.release();
	}

	/** Let {@link #resume()} return. Called by the code, whose interrupt flag stays. */
	void suspend() {
		if (!this.killed) {
			this.suspended.release();
			this.resumed.acquireUninterruptibly();
		}
		if (this.killed) {
			throw new Killed();
		}
	}

	/** End the code: from now on it fails wherever it would be suspended. */
	void kill() {
		this.killed = true;
		if (this.started && !this.ended) {
			resume();
		}
	}

	/** End of a coroutine that is no longer needed. */
	private static final class Killed extends Error {

		Killed() {
			super(null, null, false, false);
		}

	}

}
