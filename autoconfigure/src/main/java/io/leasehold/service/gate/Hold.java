package io.leasehold.service.gate;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.Access;
import io.leasehold.engine.RenewalRule;
import io.leasehold.event.AcquisitionListener;
import org.jspecify.annotations.Nullable;

/**
 * A successful acquisition: a grant, or one pass of it. The acquisition and each re-entry
 * have a handle. Handles and closing are guarded by the gate's monitor.
 */
public final class Hold extends Link<Hold> {

	/** Use of a hold, on which its renewal depends. */
	public enum Use {

		/** Its caller has it, or it remains for its minimum hold. */
		IN_USE,

		/** Its caller has not taken it, or it was closed. It ends with its lease. */
		UNUSED,

		/** No live handle or thread can release it. */
		ABANDONED

	}

	private static final long FOREVER = Long.MAX_VALUE / 2; // without overflow

	public final Grant grant;

	public final LockOptions options;

	public final @Nullable Thread thread;

	/** Listeners of the acquisition that created this hold. */
	public final List<AcquisitionListener> followers;

	/** Whether the store granted the key by a signal, after another process. */
	public final boolean pushed;

	/** Number of earlier passes of the grant. */
	public final int pass;

	public final long since;

	/** End of the minimum hold. */
	private volatile long keptUntil;

	/** End of the maximum hold time. */
	private volatile long heldUntil;

	/** Length of the lease, or the maximum hold time if that is shorter. */
	private volatile long lease;

	/** Time of the next renewal, which a pass does not delay. */
	private volatile long renewAt;

	/** Whether all handles stay with the thread. */
	private boolean bound;

	/** Whether the grant was parked before. */
	private boolean entered;

	/** The first handle, {@code null} until the caller opens it. */
	private @Nullable WeakReference<Object> firstHandle;

	private int handles;

	private boolean closed;

	private boolean slowReported;

	private boolean selfWaitReported;

	private volatile @Nullable LossCause lossCause;

	private List<LossAction> lossActions = List.of();

	/** Create a caller's hold, of a new grant unless another hold passed its grant. */
	Hold(Grant grant, Caller caller, @Nullable Hold passed, boolean pushed, long now) {
		this.grant = grant;
		this.pushed = pushed;
		this.options = caller.options();
		this.thread = caller.thread();
		this.bound = caller.isBound();
		this.followers = caller.followers();
		this.since = now;
		this.pass = (passed != null) ? passed.pass + 1 : 0;
		this.keptUntil = now;
		extend(this.options.maxHold(), this.options.minHold(), now);
		long due = nextRenewal(now);
		this.renewAt = (passed != null && due - passed.renewAt > 0) ? passed.renewAt : due;
		if (passed == null && pushed && RenewalRule.isShort(lease(), grant.remaining(now)) && isRenewable(now)) {
			grant.firstRenewal = true;
		}
	}

	public LockKey key() {
		return this.grant.claim.key();
	}

	Access access() {
		return this.grant.claim.access();
	}

	public long fencingToken() {
		return FencingTokens.first(this.grant.number) + this.pass;
	}

	/**
	 * Add a handle. The first one must stay reachable while any handle is reachable.
	 * @param bound whether the handle stays with the thread
	 * @return the first handle
	 */
	Object addHandle(Object handle, boolean bound) {
		this.handles++;
		this.bound &= bound;
		Object first = firstHandle();
		if (first != null) {
			return first;
		}
		this.firstHandle = new WeakReference<>(handle);
		return handle;
	}

	/** Return the first handle, {@code null} if there is none that is reachable. */
	public @Nullable Object firstHandle() {
		WeakReference<Object> opened = this.firstHandle;
		return (opened != null) ? opened.get() : null;
	}

	int handles() {
		return this.handles;
	}

	/** Decrement the number of handles, and return whether none is open. */
	boolean removeHandle() {
		return --this.handles == 0;
	}

	/** Return who uses the hold. */
	Use use(long now) {
		if (!this.closed && isAbandoned()) {
			return Use.ABANDONED;
		}
		return (isOpened() && (!this.closed || minHoldRest(now) > 0)) ? Use.IN_USE : Use.UNUSED;
	}

	private boolean isAbandoned() {
		if (this.bound) {
			return this.thread != null && !this.thread.isAlive();
		}
		return this.firstHandle != null && this.firstHandle.refersTo(null);
	}

	/** Return whether to warn of a caller that waits for itself, once per hold. */
	boolean reportsSelfWait(boolean reenters) {
		boolean reports = !this.selfWaitReported && (!isPermit() || reenters);
		this.selfWaitReported |= reports;
		return reports;
	}

	public boolean isPermit() {
		return access().isPermit();
	}

	/** Return whether to report that the hold lasts too long, once per hold. */
	public synchronized boolean reportsSlow() {
		boolean reports = isOpened() && !this.closed && !this.slowReported;
		this.slowReported |= reports;
		return reports;
	}

	/** Return whether the caller has opened its handle. */
	public boolean isOpened() {
		return this.firstHandle != null;
	}

	public boolean isClosed() {
		return this.closed;
	}

	void close() {
		this.closed = true;
	}

	/** Mark the hold as one of a grant that was parked. */
	void enter() {
		this.entered = true;
	}

	/** Return whether another hold passed the grant on to this one, in this process. */
	public boolean isPassed() {
		return this.pass > 0 && !this.entered;
	}

	public @Nullable LossCause lossCause() {
		return this.lossCause;
	}

	/** Mark the hold as lost, and return the actions to run. */
	public synchronized List<Consumer<LockLostException>> lose(LossCause cause) {
		this.lossCause = cause;
		return this.lossActions.stream().map(LossAction::action).toList();
	}

	/**
	 * Return whether the store may still keep the key for this lost hold. After a
	 * shutdown the lease has to expire, because a copy of the process may run the work.
	 */
	boolean mayBeKept() {
		LossCause cause = this.lossCause;
		return cause == LossCause.CANCELLED
				|| (cause == LossCause.MAX_HOLD || cause == LossCause.EXPIRED) && !this.options.lockDelay().isZero();
	}

	/**
	 * Register an action of an open handle for the loss.
	 * @return whether the hold was lost already, so that the action must run now
	 */
	public synchronized boolean onLost(Object handle, Consumer<LockLostException> action) {
		if (this.lossCause == null) {
			this.lossActions = new ArrayList<>(this.lossActions);
			this.lossActions.add(new LossAction(new WeakReference<>(handle), action));
		}
		return this.lossCause != null;
	}

	/** Remove the actions of a closed handle. */
	public synchronized void removeLossActions(Object handle) {
		this.lossActions = this.lossActions.stream().filter((action) -> !action.handle().refersTo(handle)).toList();
	}

	/** Return the rest of the minimum hold; not positive after its end. */
	public long minHoldRest(long now) {
		return this.keptUntil - now;
	}

	/** Return whether the grant is valid and the maximum hold time has not passed. */
	public boolean isValid(long now) {
		return this.grant.isValid(now) && maxHoldRest(now) > 0;
	}

	/** Return how long the hold stays valid without further renewal. */
	public long remaining(long now) {
		return Math.max(0, Math.min(this.grant.remaining(now), maxHoldRest(now)));
	}

	/** Begin the maximum hold time anew, and the minimum hold if it then ends later. */
	public final synchronized void extend(Duration maxHold, Duration minHold, long now) {
		if (minHold.toNanos() > minHoldRest(now)) {
			this.keptUntil = now + minHold.toNanos();
		}
		this.lease = Math.min(this.options.lease().toNanos(), maxHold.toNanos());
		this.heldUntil = now + Math.min(maxHold.toNanos(), FOREVER);
	}

	/** Return the rest of the maximum hold time; not positive after its end. */
	private long maxHoldRest(long now) {
		return this.heldUntil - now;
	}

	/** Return the lease, or the maximum hold time if that is shorter. */
	public static Duration leaseOf(LockOptions options) {
		Duration lease = options.lease();
		return (options.maxHold().compareTo(lease) < 0) ? options.maxHold() : lease;
	}

	/** Return the length of the lease in nanoseconds. */
	public long lease() {
		return this.lease;
	}

	/** Return the lease that a renewal requests, at most the rest of the hold time. */
	public Duration leaseAt(long now) {
		Duration lease = this.options.lease();
		long rest = Math.max(0, maxHoldRest(now));
		return (rest < lease.toNanos()) ? Duration.ofNanos(rest) : lease;
	}

	/** Return whether a renewal would extend the hold by enough for a request. */
	public boolean isRenewable(long now) {
		return maxHoldRest(now) - this.grant.remaining(now) > RenewalRule.leastGain(lease());
	}

	public long renewAt() {
		return this.renewAt;
	}

	/** Plan the next renewal after one that the store granted. */
	public void renewed(long now) {
		this.renewAt = nextRenewal(now);
	}

	/** Plan the next renewal after one that failed. */
	public void renewalFailed(long now) {
		this.renewAt = now + RenewalRule.retryPause(lease());
	}

	private long nextRenewal(long now) {
		return now + RenewalRule.untilDue(lease(), this.grant.remaining(now));
	}

	/** Action of a handle for the loss, which does not keep the handle reachable. */
	private record LossAction(WeakReference<Object> handle, Consumer<LockLostException> action) {
	}

}
