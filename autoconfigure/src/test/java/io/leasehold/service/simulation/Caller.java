package io.leasehold.service.simulation;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.service.SimulatedService;

/**
 * One acquisition by a process's code, until it ends without the lock or closes it.
 */
final class Caller {

	/** How late a wait may end although all is well. */
	private static final long TOLERANCE = 100_000_000;

	/** Longest pause after a failed request, whose failure later callers receive. */
	private static final long BACKOFF = 1_000_000_000;

	final SimulatedProcess process;

	final String key;

	final LockOptions options;

	private final World world;

	private final int number;

	/** Time for which the lock is held. */
	private final long use;

	/** Whether the caller has to acquire its lock. */
	private final boolean calm;

	private long start;

	private long endedToken;

	private Caller outer;

	private boolean beganInside;

	private CompletableFuture<HeldLock> result;

	private HeldLock lock;

	private boolean closed;

	/** Whether closing the lock has begun, and not only been submitted. */
	private boolean released;

	/** Whether a loss was reported. */
	private boolean lost;

	Caller(World world, SimulatedProcess process, String key, LockOptions options, long use, boolean calm) {
		this.world = world;
		this.process = process;
		this.key = key;
		this.options = options;
		this.use = use;
		this.calm = calm;
		this.number = world.callers.size() + 1;
		world.callers.add(this);
	}

	Access access() {
		return Access.of(this.options);
	}

	HeldLock lock() {
		return this.lock;
	}

	long token() {
		return this.lock.fencingToken();
	}

	/** Return the greatest token that had ended when the acquisition began. */
	long endedToken() {
		return this.endedToken;
	}

	/**
	 * Begin to acquire the lock.
	 * @param outer the caller under whose lock this one runs, {@code null} for none
	 */
	void begin(Caller outer) {
		this.outer = outer;
		this.beganInside = outer != null && !outer.released;
		note("acquires '%s' %s, lease %s, waits %s%s", this.key, access().code(), this.options.lease(),
				this.options.waitTime(), (outer != null) ? ", under that of " + outer : "");
		this.start = this.process.clock.nanoTime();
		this.endedToken = this.world.promises.endedToken(this.key);
		this.result = this.process.locks.acquire(this.key, this.options,
				(outer != null) ? List.of(outer.lock) : List.of());
		this.result.whenComplete((held, failure) -> {
			if (held != null) {
				opened(held);
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

	private void failed(Throwable failure) {
		note("ends: %s", failure.getClass().getSimpleName());
		long waited = this.process.clock.nanoTime() - this.start;
		long wait = this.options.waitTime().toNanos();
		if (failure instanceof LockBusyException) {
			this.world.figures.busy++;
			this.world.promises.require(waited >= wait, "%s was rejected before its time", this);
		}
		else if (failure instanceof LockEngineException) {
			this.world.figures.unavailable++;
			this.world.promises.require(this.process.undisturbed() < waited + BACKOFF + TOLERANCE,
					"%s failed because the store is down", this);
		}
		else if (!(failure instanceof CancellationException)) {
			this.world.scheduler.violated("%s failed: %s".formatted(this, failure));
		}
		this.world.promises.require(!this.calm, "%s did not acquire its lock although all was well", this);
		requireInTime(waited - wait);
	}

	private void requireInTime(long late) {
		boolean inTime = this.options.waitTime().isZero() || late < TOLERANCE || this.process.undisturbed() < late;
		this.world.promises.require(inTime, "%s waited for too long", this);
	}

	private void opened(HeldLock held) {
		this.lock = held;
		note("has the lock: grant %d, pass %d", this.world.grant(SimulatedService.grantNumber(token())),
				SimulatedService.passes(token()));
		this.world.figures.acquired++;
		this.world.figures.passes += (SimulatedService.passes(token()) > 0) ? 1 : 0;
		this.world.promises.opened(this);
		requireInTime(this.process.clock.nanoTime() - this.start - this.options.waitTime().toNanos());
		held.onLost((loss) -> {
			note("is notified of its loss: %s", loss.getLossCause());
			lost(loss);
		});
		this.world.scheduler.after(this.use, this.process, true, this::close);
		if (!this.calm && this.world.dice.chance(0.15)) {
			this.world.scheduler.after(this.world.dice.between(0, this.use + 1_000_000), this.process, false,
					() -> this.world.workload.reenter(this));
		}
	}

	private void close() {
		boolean valid = this.lock.isValid();
		note(valid ? "closes its lock" : "closes its lost lock");
		this.world.promises.closed(this);
		this.closed = true;
		if (this.world.dice.chance(0.3)) {
			this.process.locks.close(this.lock).whenComplete((done, failure) -> closed(valid, failure));
			return;
		}
		this.released = true;
		try {
			this.lock.close();
			closed(valid, null);
		}
		catch (LockLostException ex) {
			closed(valid, ex);
		}
	}

	private void closed(boolean valid, Throwable failure) {
		this.released = true;
		if (this.process.isDead()) {
			return;
		}
		Throwable cause = (failure != null && failure.getCause() instanceof LockLostException) ? failure.getCause()
				: failure;
		if (cause instanceof LockLostException loss) {
			lost(loss);
		}
		else if (failure != null) {
			this.world.scheduler.violated("%s could not be closed: %s".formatted(this, failure));
		}
		this.world.promises.require(valid || failure != null, "%s was not notified of its loss", this);
	}

	/** Check the first report of a loss. */
	private void lost(LockLostException loss) {
		if (!this.lost) {
			this.lost = true;
			this.world.figures.lost(loss.getLossCause());
			this.world.promises.lost(this, loss.getLossCause());
		}
	}

	/**
	 * Return whether the lock is the one under which the caller began. That one may have
	 * been closed since, because the result takes time to arrive, but not its hold.
	 */
	boolean hasReentered() {
		return this.beganInside && this.outer.token() == token() && !SimulatedService.isClosed(this.lock);
	}

	/** Return whether the caller has ended, and closed its lock if it had one. */
	boolean hasEnded() {
		return this.process.isDead()
				|| this.result != null && this.result.isDone() && (this.lock == null || this.closed);
	}

	private void note(String format, Object... arguments) {
		if (this.world.journal.writes()) {
			this.process.note("%s %s", this, format.formatted(arguments));
		}
	}

	@Override
	public String toString() {
		return "Caller %d".formatted(this.number);
	}

}
