package io.leasehold.service.gate;

import java.util.List;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.event.AcquisitionListener;
import org.jspecify.annotations.Nullable;

/**
 * Acquisition of a key by one caller, from the call until it has a hold or an exception.
 * Its links and its result are guarded by the gate's monitor.
 */
public abstract class Waiter extends Link<Waiter> implements Caller {

	final Access access;

	/** Whether the caller has begun to wait. */
	boolean waited;

	/** Whether listeners know that the caller has begun to wait. */
	private boolean announced;

	private final LockKey key;

	private final LockOptions options;

	private final boolean bound;

	private final long start;

	private List<AcquisitionListener> followers = List.of();

	/**
	 * Whether the caller does not wait for the key, but for its turn to send a request.
	 */
	private volatile boolean awaitsTurn;

	/** The hold or the exception, {@code null} before the acquisition ends. */
	private volatile @Nullable Object result;

	protected Waiter(LockKey key, LockOptions options, boolean bound, long start) {
		this.key = key;
		this.options = options;
		this.access = Access.of(options.terms());
		this.bound = bound;
		this.start = start;
	}

	/** Transfer the state to a waiter that repeats this acquisition. */
	protected final <W extends Waiter> W continuedBy(W next) {
		Waiter continued = next;
		continued.waited = this.waited;
		continued.announced = this.announced;
		continued.followers = this.followers;
		return next;
	}

	/**
	 * Return whether the caller runs under a hold: it has an open handle, or the hold
	 * waits for the end of the caller's transaction. Called in the caller's thread if it
	 * has one.
	 */
	protected abstract boolean runsUnder(Hold hold);

	/**
	 * Return whether a hold cannot end before the call has ended. Called in the caller's
	 * thread if it has one.
	 */
	protected boolean endsBefore(Hold hold) {
		return false;
	}

	/**
	 * Return the locks under which the caller runs, innermost first. Called in the
	 * caller's thread if it has one.
	 */
	public abstract List<HeldLock> outer();

	/** Return the name of the calling thread, for operators. */
	public abstract String threadName();

	@Override
	public abstract @Nullable Thread thread();

	/** Notify the caller of its result. Does not block. */
	public abstract void wake();

	/**
	 * Return whether the caller re-enters a hold. It must run under the hold: the thread
	 * that acquired it may have passed its handle to another thread. Each permit is a
	 * separate hold.
	 */
	boolean mayReenter(Hold entered) {
		return !entered.isClosed() && this.options.reentrant() && !(entered.isPermit() && this.access.isPermit())
				&& runsUnder(entered);
	}

	/** Return whether the caller would wait for itself if it waited for a hold. */
	boolean isCallerOf(Hold awaited) {
		return awaited.isOpened() && !awaited.isClosed()
				&& (awaited.thread != null && awaited.thread == thread() || runsUnder(awaited));
	}

	/** Return whether a hold excludes the caller until the call has ended. */
	boolean waitsInVain(Hold awaited) {
		return !awaited.isPermit() && !this.access.joins(awaited.access(), 1) && endsBefore(awaited);
	}

	/** Return the next of several waiters that have their results. */
	public final @Nullable Waiter next() {
		return this.next;
	}

	public final LockKey key() {
		return this.key;
	}

	@Override
	public final LockOptions options() {
		return this.options;
	}

	@Override
	public final boolean isBound() {
		return this.bound;
	}

	public final long start() {
		return this.start;
	}

	public final long deadline() {
		return this.start + Math.min(this.options.waitTime().toNanos(), Long.MAX_VALUE / 2);
	}

	public final boolean waits() {
		return !this.options.waitTime().isZero();
	}

	public final boolean waited() {
		return this.waited;
	}

	/**
	 * Announce that the caller has begun to wait, unless this was done before. Then it
	 * has been done when this method returns, even if another thread does it.
	 */
	public final synchronized void announceWait(Runnable announcement) {
		if (!this.announced) {
			this.announced = true;
			announcement.run();
		}
	}

	@Override
	public final List<AcquisitionListener> followers() {
		return this.followers;
	}

	/** Set the listeners of this acquisition, before it begins. */
	public final void follow(List<AcquisitionListener> listeners) {
		this.followers = listeners;
	}

	public final @Nullable Hold hold() {
		return (this.result instanceof Hold hold) ? hold : null;
	}

	public @Nullable RuntimeException failure() {
		return (this.result instanceof RuntimeException failure) ? failure : null;
	}

	public final boolean hasEnded() {
		return this.result != null;
	}

	/**
	 * Return whether the caller waits for its turn to send a request, which has no time
	 * limit, because requests are bounded.
	 */
	public final boolean awaitsTurn() {
		return this.awaitsTurn;
	}

	final void awaitTurn(boolean turn) {
		this.awaitsTurn = turn;
	}

	/** Set the hold. The caller has yet to be woken. */
	final void succeed(Hold granted) {
		this.result = granted;
	}

	/** Set the exception. The caller has yet to be woken. */
	public final void fail(RuntimeException reason) {
		this.result = reason;
	}

}
