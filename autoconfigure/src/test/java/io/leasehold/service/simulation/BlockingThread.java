package io.leasehold.service.simulation;

import io.leasehold.service.SimulatedService;

/**
 * Thread of a process whose code blocks: it waits for responses, parks, and may be
 * interrupted.
 */
final class BlockingThread implements SimulatedService.Parking {

	private final SimulatedProcess process;

	private final Scheduler scheduler;

	private final Coroutine coroutine;

	/** Identifies what the thread waits for, so that it continues only once. */
	private int wait;

	private boolean parked;

	/** Whether the next park returns at once. */
	private boolean permit;

	private boolean interrupts;

	private long interruptedAt;

	private boolean interrupted;

	BlockingThread(SimulatedProcess process, Scheduler scheduler, Runnable code) {
		this.process = process;
		this.scheduler = scheduler;
		this.coroutine = new Coroutine(() -> {
			passInterrupt();
			code.run();
		});
	}

	/** Let the thread run soon. */
	void start() {
		this.process.execute(continuation(), false);
	}

	/** Let the thread end, because its process has crashed. */
	void kill() {
		this.wait++;
		this.coroutine.kill();
	}

	/** Wait for the response to a request. */
	void await(Link.Request<?> request) {
		Runnable continuation = continuation();
		request.onEnd(() -> this.process.execute(continuation, false));
		suspend();
	}

	/** Use the time in some other way than with a lock. */
	void sleep(long nanos) {
		this.scheduler.after(nanos, this.process, false, continuation());
		suspend();
	}

	@Override
	public void park(long nanos) {
		if (!this.permit && !Thread.currentThread().isInterrupted()) {
			this.parked = true;
			Runnable continuation = continuation();
			if (nanos < Long.MAX_VALUE) {
				this.process.schedule(continuation, nanos);
			}
			if (this.scheduler.dice.chance(0.05)) {
				this.scheduler.after(this.scheduler.dice.between(0, 1_000_000_000), this.process, false, continuation);
			}
			suspend();
			this.parked = false;
		}
		this.permit = false;
	}

	@Override
	public void unpark() {
		this.permit = true;
		continueIfParked();
	}

	void interrupt() {
		if (!this.interrupted) {
			this.interrupted = true;
			this.interruptedAt = this.process.clock.nanoTime();
			this.interrupts = true;
			continueIfParked();
		}
	}

	private void continueIfParked() {
		if (this.parked) {
			int parkedFor = this.wait;
			this.process.execute(() -> proceed(parkedFor), false);
		}
	}

	/** Return whether the thread was ever interrupted. */
	boolean isInterrupted() {
		return this.interrupted;
	}

	/** Return the time of the interrupt, on the clock of the process. */
	long interruptedAt() {
		return this.interruptedAt;
	}

	private Runnable continuation() {
		int next = ++this.wait;
		return () -> proceed(next);
	}

	private void proceed(int awaited) {
		if (awaited == this.wait) {
			this.wait++;
			this.process.run(this, this.coroutine);
		}
	}

	private void suspend() {
		this.coroutine.suspend();
		passInterrupt();
	}

	/** Set the interrupt flag in the thread itself: the thread must not be blocked. */
	private void passInterrupt() {
		if (this.interrupts) {
			this.interrupts = false;
			Thread.currentThread().interrupt();
		}
	}

}
