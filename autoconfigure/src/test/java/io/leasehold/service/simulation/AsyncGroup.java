package io.leasehold.service.simulation;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.leasehold.HeldLock;
import io.leasehold.LockException;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;

/**
 * A caller that acquires the locks of several keys, all or none, without blocking a
 * thread. Each of its parts is checked as a caller of one key.
 */
final class AsyncGroup {

	private final World world;

	private final SimulatedProcess process;

	private final LockOptions options;

	private final long use;

	private final List<Part> parts;

	private CompletableFuture<HeldLock> result;

	private HeldLock lock;

	AsyncGroup(World world, SimulatedProcess process, List<String> keys, LockOptions options, long use) {
		this.world = world;
		this.process = process;
		this.options = options;
		this.use = use;
		this.parts = keys.stream().map((key) -> new Part(world, process, key, options, use)).toList();
	}

	void start() {
		this.parts.forEach((part) -> part.begins(null));
		this.result = this.process.locks.acquireAll(this.parts.stream().map((part) -> part.key).toList(), this.options);
		this.result.whenComplete((held, failure) -> {
			if (held != null) {
				opened(held);
			}
			else {
				this.parts.forEach((part) -> part.failed(failure));
			}
		});
		Dice dice = this.world.dice;
		if (dice.chance(0.2)) {
			long nanos = dice.between(0, Math.max(1, this.options.waitTime().toNanos()));
			this.world.scheduler.after(nanos, this.process, false, this::cancel);
		}
	}

	private void cancel() {
		if (!this.result.isDone()) {
			this.parts.get(0).note("cancels");
			this.result.cancel(false);
		}
	}

	private void opened(HeldLock held) {
		this.world.figures.groups++;
		this.lock = held;
		this.parts.forEach((part) -> part
			.opened(held.parts().stream().filter((one) -> one.key().equals(part.key)).findAny().orElseThrow()));
		this.world.scheduler.after(this.use, this.process, true, this::close);
	}

	private void close() {
		boolean[] valid = new boolean[this.parts.size()];
		for (int i = 0; i < valid.length; i++) {
			valid[i] = this.parts.get(i).closes();
		}
		this.process.locks.close(this.lock).whenComplete((done, failure) -> {
			for (int i = 0; i < valid.length; i++) {
				Part part = this.parts.get(i);
				part.closed(valid[i], part.failureIn(failure));
			}
		});
	}

	/** The acquisition of one of the keys. */
	private static final class Part extends Caller {

		Part(World world, SimulatedProcess process, String key, LockOptions options, long use) {
			super(world, process, key, options, use, false);
		}

		@Override
		void start() {
			throw new UnsupportedOperationException("Parts start together");
		}

		@Override
		boolean expects(Throwable failure) {
			return failure instanceof CancellationException || failure instanceof LockLostException;
		}

		/** At the end of the wait, each key may be awaited for 100 ms if it lingers. */
		@Override
		long tolerance() {
			return 3 * TOLERANCE;
		}

		/** Return the failure to close this lock, {@code null} for none. */
		private Throwable failureIn(Throwable failure) {
			if (failure == null) {
				return null;
			}
			Throwable first = (failure instanceof LockException) ? failure : failure.getCause();
			if (!(first instanceof LockLostException)) {
				return first;
			}
			return Stream.concat(Stream.of(first), Stream.of(first.getSuppressed()))
				.filter((one) -> one instanceof LockLostException loss && this.key.equals(loss.getKey()))
				.findAny()
				.orElse(null);
		}

	}

}
