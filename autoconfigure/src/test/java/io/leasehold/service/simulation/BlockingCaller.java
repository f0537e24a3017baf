package io.leasehold.service.simulation;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockOptions;

/**
 * A caller that blocks its thread, which may be interrupted.
 */
final class BlockingCaller extends Caller {

	private BlockingThread thread;

	BlockingCaller(World world, SimulatedProcess process, String key, LockOptions options, long use, boolean calm) {
		super(world, process, key, options, use, calm);
	}

	@Override
	void start() {
		this.thread = this.process.start(this::run);
		Dice dice = this.world.dice;
		if (!this.calm && dice.chance(0.1)) {
			long nanos = dice.between(0, this.options.waitTime().toNanos() + this.use + 1_000_000);
			this.world.scheduler.after(nanos, this.process, false, this::interrupt);
		}
	}

	private void run() {
		acquire(null);
		boolean flag = Thread.currentThread().isInterrupted();
		this.world.promises.require(flag == this.thread.isInterrupted() || this.process.isDead(),
				"The thread of %s has the wrong interrupt flag", this);
	}

	private void interrupt() {
		if (!hasEnded()) {
			note("is interrupted");
			this.world.figures.interrupts++;
			this.thread.interrupt();
		}
	}

	private void acquire(BlockingCaller outer) {
		begins(outer);
		HeldLock held;
		try {
			held = this.process.locks.acquire(this.key, this.options);
		}
		catch (LockException ex) {
			if (!this.process.isDead()) {
				failed(ex);
			}
			return;
		}
		opened(held);
		HeldLockScope scope = HeldLockScope.open(held);
		try {
			use();
		}
		finally {
			scope.close();
		}
		close();
	}

	@Override
	boolean expects(Throwable failure) {
		if (!(failure instanceof LockInterruptedException) || !this.thread.isInterrupted()) {
			return false;
		}
		requireInTime(now() - Math.max(began(), this.thread.interruptedAt()));
		return true;
	}

	private void use() {
		Dice dice = this.world.dice;
		if (this.calm || dice.chance(0.85)) {
			this.thread.sleep(this.use);
			return;
		}
		long first = dice.between(0, this.use + 1);
		this.thread.sleep(first);
		reenter();
		this.thread.sleep(this.use - first);
	}

	private void reenter() {
		this.world.figures.reentries++;
		BlockingCaller inner = new BlockingCaller(this.world, this.process, this.key, this.options,
				this.world.workload.use(), false);
		inner.thread = this.thread;
		inner.acquire(this);
	}

}
