package io.leasehold.service.simulation;

import java.util.concurrent.CancellationException;

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
abstract class Caller {

	/** How late a wait may end although all is well. */
	static final long TOLERANCE = 100_000_000;

	/** Longest pause after a failed request, whose failure later callers receive. */
	private static final long BACKOFF = 1_000_000_000;

	final SimulatedProcess process;

	final String key;

	final LockOptions options;

	final World world;

	/** Time for which the lock is held. */
	final long use;

	/** Whether the caller has to acquire its lock. */
	final boolean calm;

	private final int number;

	private long began;

	private long endedToken;

	private Caller outer;

	private boolean beganInside;

	private HeldLock lock;

	/** Whether there is nothing left to do for the caller. */
	private boolean ended;

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

	final Access access() {
		return Access.of(this.options.terms());
	}

	final HeldLock lock() {
		return this.lock;
	}

	/** Return whether the caller works, and believes that it has the lock. */
	boolean believes() {
		return SimulatedService.isValid(this.lock, this.process.clock.nanoTime());
	}

	final long token() {
		return this.lock.fencingToken();
	}

	/** Return the greatest token that had ended when the acquisition began. */
	final long endedToken() {
		return this.endedToken;
	}

	/** Begin to acquire the lock. */
	abstract void start();

	/**
	 * Note that the acquisition begins.
	 * @param outer the caller under whose lock this one runs, {@code null} for none
	 */
	final void begins(Caller outer) {
		this.outer = outer;
		this.beganInside = outer != null && !outer.released;
		note("acquires '%s' %s, lease %s, waits %s%s", this.key, access().code(), this.options.lease(),
				this.options.waitTime(), (outer != null) ? ", under that of " + outer : "");
		this.began = now();
		this.endedToken = this.world.promises.endedToken(this.key);
	}

	/** Return when the acquisition began, on the clock of the process. */
	final long began() {
		return this.began;
	}

	/** Check the end of an acquisition without the lock. */
	final void failed(Throwable failure) {
		note("ends: %s", failure.getClass().getSimpleName());
		this.ended = true;
		long waited = now() - this.began;
		long wait = this.options.waitTime().toNanos();
		if (failure instanceof LockBusyException) {
			this.world.figures.busy++;
			this.world.promises.require(waited >= wait, "%s was rejected before its time", this);
		}
		else if (failure instanceof LockEngineException) {
			this.world.figures.unavailable++;
			this.world.promises.require(
					this.process.isStopping() || this.process.undisturbed() < waited + BACKOFF + TOLERANCE,
					"%s failed because the store is down", this);
		}
		else if (!expects(failure)) {
			this.world.scheduler.violated("%s failed: %s".formatted(this, failure));
		}
		this.world.promises.require(!this.calm, "%s did not acquire its lock although all was well", this);
		requireInTime(waited - wait);
		if (!(failure instanceof CancellationException)) {
			// The future of a cancelled caller ends first
			this.world.promises.requireGone(this);
		}
	}

	/** Return whether the acquisition may end like this. */
	abstract boolean expects(Throwable failure);

	/** Return how late the wait may end. */
	long tolerance() {
		return TOLERANCE;
	}

	final void requireInTime(long late) {
		boolean inTime = this.options.waitTime().isZero() || late < tolerance() || this.process.undisturbed() < late;
		this.world.promises.require(inTime, "%s waited for too long", this);
	}

	/** Check the lock that was acquired. */
	final void opened(HeldLock held) {
		this.lock = held;
		note("has the lock: grant %d, pass %d", this.world.grant(SimulatedService.grantNumber(token())),
				SimulatedService.passes(token()));
		this.world.figures.acquired++;
		this.world.figures.passes += (SimulatedService.passes(token()) > 0) ? 1 : 0;
		this.world.promises.opened(this);
		this.world.lingering.opened(this);
		this.world.figures.entries += SimulatedService.entersParked(held) ? 1 : 0;
		requireInTime(now() - this.began - this.options.waitTime().toNanos());
		held.onLost((loss) -> {
			note("is notified of its loss: %s", loss.getLossCause());
			lost(loss);
		});
	}

	/**
	 * Note that the lock is about to be closed.
	 * @return whether it is valid
	 */
	final boolean closes() {
		boolean valid = this.lock.isValid();
		note(valid ? "closes its lock" : "closes its lost lock");
		this.world.promises.closed(this);
		this.ended = true;
		return valid;
	}

	/** Close the lock, and block until it is released. */
	final void close() {
		boolean valid = closes();
		this.released = true;
		try {
			this.lock.close();
			closed(valid, null);
			this.world.lingering.closedAtOnce(this);
		}
		catch (LockLostException ex) {
			closed(valid, ex);
		}
	}

	/** Check the end of the lock. */
	final void closed(boolean valid, Throwable failure) {
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
		this.world.lingering.closed(this);
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
	final boolean hasReentered() {
		return this.beganInside && this.outer.token() == token() && !SimulatedService.isClosed(this.lock);
	}

	/** Return whether the caller has ended, and closed its lock if it had one. */
	final boolean hasEnded() {
		return this.process.isDead() || this.ended;
	}

	final long now() {
		return this.process.clock.nanoTime();
	}

	final void note(String format, Object... arguments) {
		if (this.world.journal.writes()) {
			this.process.note("%s %s", this, format.formatted(arguments));
		}
	}

	@Override
	public String toString() {
		return "Caller %d".formatted(this.number);
	}

}
