package io.leasehold.service;

import java.time.Duration;
import java.util.List;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.event.AcquisitionListener;
import org.jspecify.annotations.Nullable;

/**
 * One caller's wish for a key, from the call until it has its hold or an exception. Its
 * links and its end are guarded by the gate's monitor.
 */
abstract class Acquisition extends Link<Acquisition> {

	final LockKey key;

	final LockOptions options;

	final Access access;

	/**
	 * Whether the handle stays with its thread, so that the hold ends when the thread
	 * dies.
	 */
	final boolean bound;

	final long start;

	/** Who follows this acquisition; set before it begins. */
	List<AcquisitionListener> followers = List.of();

	/** Whether the caller found the key taken. */
	boolean waited;

	/**
	 * Whether the caller, which does not wait for the key, waits for its turn to ask for
	 * it.
	 */
	boolean awaitsTurn;

	private volatile @Nullable Hold hold;

	private volatile @Nullable RuntimeException failure;

	Acquisition(LockKey key, LockOptions options, boolean bound, long start) {
		this.key = key;
		this.options = options;
		this.access = Access.of(options);
		this.bound = bound;
		this.start = start;
	}

	/** Go on where a wish came to nothing whose hold was lost before it was taken up. */
	final <A extends Acquisition> A continuedBy(A next) {
		next.waited = this.waited;
		next.followers = this.followers;
		return next;
	}

	/**
	 * Return whether the caller runs under a hold, by a handle that is still open. Called
	 * in the caller's thread if it has one.
	 */
	abstract boolean runsUnder(Hold hold);

	/** Return whether a lock is an open handle of a hold, or has one among its parts. */
	static boolean isOpenHandle(HeldLock lock, Hold hold) {
		if (lock instanceof Handle handle) {
			return handle.isOpenHandleOf(hold);
		}
		for (HeldLock part : lock.parts()) {
			if (part instanceof Handle handle && handle.isOpenHandleOf(hold)) {
				return true;
			}
		}
		return false;
	}

	final long deadline() {
		return this.start + Math.min(this.options.waitTime().toNanos(), Long.MAX_VALUE / 2);
	}

	final boolean waits() {
		return !this.options.waitTime().isZero();
	}

	final @Nullable Hold hold() {
		return this.hold;
	}

	@Nullable RuntimeException failure() {
		return this.failure;
	}

	final boolean ended() {
		return this.hold != null || this.failure != null;
	}

	/** Note the hold. The caller is still to be woken. */
	final void succeed(Hold hold) {
		this.hold = hold;
	}

	final void fail(RuntimeException failure) {
		this.failure = failure;
		wake();
	}

	/**
	 * Create the exception for a caller whose time is over.
	 * @param own the hold of the caller's own thread that it cannot re-enter, if any
	 */
	final RuntimeException outOfTime(String engine, long now, @Nullable LockEngineException failure,
			@Nullable Hold own) {
		Duration time = Duration.ofNanos(now - this.start);
		if (failure == null) {
			return (own != null) ? SelfWait.failure(this, own, time) : new LockBusyException(this.key, engine, time);
		}
		return new LockEngineException(this.key, "Lock '%s' could not be asked for within %d ms (engine: %s): %s"
			.formatted(this.key, time.toMillis(), engine, failure.getMessage()), failure);
	}

	/** The thread that acquires and waits, if there is one. */
	abstract @Nullable Thread owner();

	/** Name of the thread that asked, for operators. */
	abstract String asker();

	/** Tell the caller that there is a result. Does not block. */
	abstract void wake();

}
