package io.leasehold.service.simulation;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

import io.leasehold.HeldLock;
import io.leasehold.LockOptions;

/**
 * A caller that does not block a thread.
 */
final class AsyncCaller extends Caller {

	private CompletableFuture<HeldLock> result;

	/** End of the lease of a lock whose result was cancelled. */
	private long cancelledUntil;

	AsyncCaller(World world, SimulatedProcess process, String key, LockOptions options, long use, boolean calm) {
		super(world, process, key, options, use, calm);
	}

	@Override
	void start() {
		acquire(null);
	}

	private void acquire(AsyncCaller outer) {
		begins(outer);
		this.result = this.process.locks.acquire(this.key, this.options,
				(outer != null) ? List.of(outer.lock()) : List.of());
		this.result.whenComplete((held, failure) -> {
			if (held != null) {
				opened(held);
				use();
			}
			else {
				failed(failure);
			}
		});
		Dice dice = this.world.dice;
		if (!this.calm && dice.chance(0.1)) {
			long nanos = dice.between(0, Math.max(1, this.options.waitTime().toNanos() * 2));
			this.world.scheduler.after(nanos, this.process, false, this::cancel);
		}
	}

	private void cancel() {
		if (!this.result.isDone()) {
			note("cancels");
			this.world.figures.cancelled++;
			this.result.cancel(false);
		}
	}

	@Override
	boolean expects(Throwable failure) {
		return failure instanceof CancellationException;
	}

	private void use() {
		this.world.scheduler.after(this.use, this.process, true, this::end);
		Dice dice = this.world.dice;
		if (!this.calm && dice.chance(0.05)) {
			this.world.scheduler.after(dice.between(0, this.use + 1), this.process, false, this::cancelResult);
		}
		if (!this.calm && dice.chance(0.15)) {
			// Often just before the end, where both meet
			long nanos = dice.pick(dice.between(0, this.use + 1), Math.max(0, this.use - dice.between(0, 50_000)));
			this.world.scheduler.after(nanos, this.process, false, this::reenter);
		}
	}

	/** Cancel the result of the caller's work, which continues. */
	private void cancelResult() {
		if (!hasEnded() && lock().isValid()) {
			note("cancels its result");
			this.world.figures.cancelledResults++;
			this.cancelledUntil = now() + lock().remaining().toNanos();
			this.world.promises.cancelled(this);
			this.process.locks.cancelled(lock());
		}
	}

	@Override
	boolean believes() {
		return super.believes() || this.cancelledUntil != 0 && now() - this.cancelledUntil < 0;
	}

	private void reenter() {
		if (!hasEnded()) {
			this.world.figures.reentries++;
			new AsyncCaller(this.world, this.process, this.key, this.options, this.world.workload.use(), false)
				.acquire(this);
		}
	}

	private void end() {
		if (this.world.dice.chance(0.7)) {
			close();
			return;
		}
		boolean valid = closes();
		this.process.locks.close(lock()).whenComplete((done, failure) -> closed(valid, failure));
	}

}
