package io.leasehold.service;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Consumer;

import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.Access;
import io.leasehold.event.AcquisitionListener;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition that succeeded: a grant, or the pass of one, with as many handles as it
 * was re-entered. Handles, closing and listeners are guarded by the gate's monitor.
 */
final class Hold extends Link<Hold> {

	private static final int PASSES = ServiceSettings.MOST_HANDOFFS + 1;

	private static final long ROUNDING = Duration.ofMillis(4).toNanos();

	final Gate gate;

	final Grant grant;

	final LockOptions options;

	final @Nullable Thread owner;

	/** Who follows the acquisition that this is. */
	final List<AcquisitionListener> followers;

	/** How often the grant was passed on before. */
	final int pass;

	final long since;

	/**
	 * When the next renewal is due, which a pass does not put off; written by the
	 * watchdog alone.
	 */
	volatile long renewAt;

	/**
	 * Whether the first renewal is under way, of a grant that came with a short lease.
	 */
	boolean firstRenewal;

	/** Releases the claim when its lease ends, if the hold was lost before. */
	volatile @Nullable Future<?> closing;

	/** Whether all handles stay with the owner's thread. */
	private boolean bound;

	/** Checks that found the hold stuck; of the self-check. */
	int suspected;

	/** The caller, until it has its first handle. */
	private @Nullable Acquisition caller;

	private int handles;

	private boolean closed;

	private boolean slowTold;

	private boolean selfWaitTold;

	private volatile @Nullable LossCause lossCause;

	private @Nullable List<Consumer<LockLostException>> lossActions;

	/** The first handle, once there is one. */
	private @Nullable WeakReference<Handle> lifeline;

	Hold(Gate gate, Grant grant, Acquisition acquisition, int pass, long since) {
		this.gate = gate;
		this.grant = grant;
		this.options = acquisition.options;
		this.owner = acquisition.owner();
		this.bound = acquisition.bound;
		this.followers = acquisition.followers;
		this.caller = acquisition;
		this.pass = pass;
		this.since = since;
		this.renewAt = (grant.hold != null) ? grant.hold.renewAt : since;
	}

	LockKey key() {
		return this.gate.key;
	}

	Access access() {
		return this.grant.claim.access();
	}

	long fencingToken() {
		return firstToken(this.grant.number) + this.pass;
	}

	/** The token of a grant's first hold. */
	static long firstToken(long number) {
		return number * PASSES;
	}

	/** Whether a token belongs to a grant, or to one of its passes. */
	static boolean isOfGrant(long fencingToken, long number) {
		return fencingToken / PASSES == number;
	}

	/**
	 * Add a handle. The first one stays reachable while any of them is.
	 * @param bound whether the handle stays with the owner's thread
	 */
	Handle addHandle(ReleaseTiming.Releases releases, boolean bound) {
		this.handles++;
		this.bound &= bound;
		Handle first = (this.lifeline != null) ? this.lifeline.get() : null;
		Handle added = new Handle(this.gate.coordinator.holds(), this, releases, first);
		if (first == null) {
			this.caller = null;
			this.lifeline = new WeakReference<>(added);
		}
		return added;
	}

	/** How many handles are open. */
	int handles() {
		return this.handles;
	}

	/** Count a handle less, and return whether it was the last. */
	boolean removeHandle() {
		return --this.handles == 0;
	}

	/** Nobody can release this hold any more. */
	boolean isAbandoned() {
		if (this.closed) {
			return false;
		}
		if (this.bound) {
			return this.owner != null && !this.owner.isAlive();
		}
		return this.lifeline != null && this.lifeline.refersTo(null);
	}

	/**
	 * Return whether a caller runs under this hold. The thread that acquired it does so
	 * only inside a scope, since it may have handed its handle over. Each permit is a
	 * hold of its own.
	 */
	boolean mayBeReenteredBy(Acquisition caller) {
		return !this.closed && caller.options.reentrant() && !(isPermit() && caller.access.isPermit())
				&& caller.runsUnder(this);
	}

	/** Return whether a caller would wait for itself while it waits for this hold. */
	boolean isOfCaller(Acquisition caller) {
		return isOpened() && !this.closed
				&& (this.owner != null && this.owner == caller.owner() || caller.runsUnder(this));
	}

	/**
	 * Return whether a caller that waits for itself is to be warned of, which is once.
	 */
	boolean noteSelfWait(Acquisition caller) {
		boolean untold = !this.selfWaitTold && (!isPermit() || caller.runsUnder(this));
		this.selfWaitTold |= untold;
		return untold;
	}

	boolean isPermit() {
		return access().isPermit();
	}

	/** Note that it lasts too long; return whether that is still to be told. */
	boolean noteSlow() {
		boolean untold = isOpened() && !this.closed && !this.slowTold;
		this.slowTold |= untold;
		return untold;
	}

	/** Whether the caller has taken it up. */
	boolean isOpened() {
		return this.lifeline != null;
	}

	/** The caller that was granted the hold and has not taken it. */
	@Nullable Acquisition caller() {
		return this.caller;
	}

	boolean isClosed() {
		return this.closed;
	}

	void close() {
		this.closed = true;
		this.lossActions = null;
	}

	@Nullable LossCause lossCause() {
		return this.lossCause;
	}

	/** Note the loss, and return what is to be told of it. */
	List<Consumer<LockLostException>> lose(LossCause cause) {
		this.lossCause = cause;
		List<Consumer<LockLostException>> actions = this.lossActions;
		this.lossActions = null;
		return (actions != null) ? actions : List.of();
	}

	/**
	 * Whether the store may keep the key for this hold, which was lost. One that outlived
	 * the application is left to its lease: a copy of the process may run its work, too.
	 */
	boolean mayBeKept() {
		LossCause cause = this.lossCause;
		return cause == LossCause.CANCELLED
				|| (cause == LossCause.MAX_HOLD || cause == LossCause.EXPIRED) && !this.options.lockDelay().isZero();
	}

	void addLossAction(Consumer<LockLostException> action) {
		if (this.lossActions == null) {
			this.lossActions = new ArrayList<>(2);
		}
		this.lossActions.add(action);
	}

	/** How much longer the key has to stay closed, if that is not past. */
	long minHoldRest(long now) {
		return this.since + this.options.minHold().toNanos() - now;
	}

	/** Return whether the grant is valid and the longest hold time is not over. */
	boolean isValid(long now) {
		return this.grant.isValid(now) && maxHoldRest(now) > 0;
	}

	/** Return for how long the hold stays valid unless it is renewed. */
	long remaining(long now) {
		return Math.max(0, Math.min(this.grant.remaining(now), maxHoldRest(now)));
	}

	/** Return how much of the longest hold time is left; not positive once it is over. */
	private long maxHoldRest(long now) {
		return this.options.maxHold().toNanos() - Math.max(0, now - this.since);
	}

	/** Return the length of a lease that does not outlast the longest hold time. */
	static Duration leaseOf(LockOptions options) {
		Duration lease = options.lease();
		return (options.maxHold().compareTo(lease) < 0) ? options.maxHold() : lease;
	}

	/** Return the lease that a renewal requests: no longer than the hold may last. */
	Duration leaseAt(long now) {
		Duration lease = this.options.lease();
		long rest = Math.max(0, maxHoldRest(now));
		return (rest < lease.toNanos()) ? Duration.ofNanos(rest) : lease;
	}

	/**
	 * Return whether a renewal would prolong the hold by more than belief in a lease is
	 * shorter than the lease.
	 */
	boolean isRenewable(long now) {
		return maxHoldRest(now) - this.grant.remaining(now) > leaseOf(this.options).toNanos() / 50 + ROUNDING;
	}

}
