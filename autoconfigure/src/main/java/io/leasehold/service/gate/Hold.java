package io.leasehold.service.gate;

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
import io.leasehold.engine.RenewalRule;
import io.leasehold.event.AcquisitionListener;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition that succeeded: a grant, or the pass of one, with as many handles as it
 * was re-entered. Handles, closing and listeners are guarded by the gate's monitor.
 */
public final class Hold extends Link<Hold> {

	/** Greatest number of passes: the fencing token has room for no more. */
	public static final int MOST_PASSES = 63;

	private static final int TOKENS = MOST_PASSES + 1;

	public final Grant grant;

	public final LockOptions options;

	public final @Nullable Thread thread;

	/** Listeners that follow the acquisition that this is. */
	public final List<AcquisitionListener> followers;

	/** Whether the store handed the key on from another process. */
	public final boolean pushed;

	/** How often the grant was passed on before. */
	public final int pass;

	public final long since;

	/** Releases the claim when its lease ends, if the hold was lost before. */
	public volatile @Nullable Future<?> plannedRelease;

	/** When the next renewal is due, which a pass does not delay. */
	private volatile long renewAt;

	/**
	 * Whether the first renewal is to come or under way, of a grant that came with a
	 * short lease.
	 */
	private boolean firstRenewal;

	/** Whether all handles stay with the thread. */
	private boolean bound;

	/** Checks that found the hold stuck; of the self-check. */
	private byte suspected;

	/** The caller, until it has its first handle. */
	private @Nullable Caller caller;

	private int handles;

	private boolean closed;

	private boolean slowReported;

	private boolean selfWaitReported;

	private volatile @Nullable LossCause lossCause;

	private @Nullable List<Consumer<LockLostException>> lossActions;

	/** The first handle, once there is one. */
	private @Nullable WeakReference<Object> lifeline;

	/**
	 * Create the hold of a caller.
	 * @param passed the hold from which the grant is passed on, if it is
	 */
	Hold(Grant grant, Caller caller, @Nullable Hold passed, boolean pushed, long now) {
		this.grant = grant;
		this.pushed = pushed;
		this.options = caller.options();
		this.thread = caller.thread();
		this.bound = caller.isBound();
		this.followers = caller.followers();
		this.caller = caller;
		this.since = now;
		this.pass = (passed != null) ? passed.pass + 1 : 0;
		long due = nextRenewal(now);
		this.renewAt = (passed != null && due - passed.renewAt > 0) ? passed.renewAt : due;
		this.firstRenewal = pushed && RenewalRule.isShort(lease(), grant.remaining(now)) && isRenewable(now);
	}

	public LockKey key() {
		return this.grant.claim.key();
	}

	Access access() {
		return this.grant.claim.access();
	}

	public long fencingToken() {
		return firstToken(this.grant.number) + this.pass;
	}

	/** The token of a grant's first hold. */
	public static long firstToken(long number) {
		return number * TOKENS;
	}

	/** Whether a token belongs to a grant, or to one of its passes. */
	public static boolean isOfGrant(long fencingToken, long number) {
		return fencingToken / TOKENS == number;
	}

	/**
	 * Count a handle. The first one has to stay reachable while any of them is.
	 * @param bound whether the handle stays with the thread
	 * @return the first handle
	 */
	Object addHandle(Object handle, boolean bound) {
		this.handles++;
		this.bound &= bound;
		Object first = (this.lifeline != null) ? this.lifeline.get() : null;
		if (first != null) {
			return first;
		}
		this.caller = null;
		this.lifeline = new WeakReference<>(handle);
		return handle;
	}

	/** How many handles are open. */
	int handles() {
		return this.handles;
	}

	/** Count a handle less, and return whether it was the last. */
	boolean removeHandle() {
		return --this.handles == 0;
	}

	/** Return whether no live handle or thread can release this hold any more. */
	boolean isAbandoned() {
		if (this.closed || !isLinked()) {
			return false;
		}
		if (this.bound) {
			return this.thread != null && !this.thread.isAlive();
		}
		return this.lifeline != null && this.lifeline.refersTo(null);
	}

	/** Return whether to warn of a caller that waits for itself, which is once. */
	boolean reportsSelfWait(boolean reenters) {
		boolean reports = !this.selfWaitReported && (!isPermit() || reenters);
		this.selfWaitReported |= reports;
		return reports;
	}

	boolean isPermit() {
		return access().isPermit();
	}

	/** Note that the hold lasts too long; return whether that is still to be reported. */
	boolean reportsSlow() {
		boolean reports = isOpened() && !this.closed && !this.slowReported;
		this.slowReported |= reports;
		return reports;
	}

	/** Whether the caller has its handle. */
	public boolean isOpened() {
		return this.lifeline != null;
	}

	public boolean isClosed() {
		return this.closed;
	}

	void close() {
		this.closed = true;
		this.lossActions = null;
	}

	/** The caller that was granted the hold and has not opened it. */
	@Nullable Caller caller() {
		return this.caller;
	}

	public @Nullable LossCause lossCause() {
		return this.lossCause;
	}

	/** Note the loss, and return the actions that are due. */
	public List<Consumer<LockLostException>> lose(LossCause cause) {
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

	/** How much longer the key has to stay locked, if that is not past. */
	public long minHoldRest(long now) {
		return this.since + this.options.minHold().toNanos() - now;
	}

	/** Return whether the grant is valid and the longest hold time is not over. */
	public boolean isValid(long now) {
		return this.grant.isValid(now) && maxHoldRest(now) > 0;
	}

	/** Return for how long the hold stays valid unless it is renewed. */
	public long remaining(long now) {
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

	/** Length of the lease, in nanoseconds. */
	public long lease() {
		return leaseOf(this.options).toNanos();
	}

	/** Return the lease that a renewal requests: no longer than the hold may last. */
	public Duration leaseAt(long now) {
		Duration lease = this.options.lease();
		long rest = Math.max(0, maxHoldRest(now));
		return (rest < lease.toNanos()) ? Duration.ofNanos(rest) : lease;
	}

	/** Return whether a renewal would prolong the hold by enough. */
	public boolean isRenewable(long now) {
		return maxHoldRest(now) - this.grant.remaining(now) > RenewalRule.leastGain(lease());
	}

	/** When the next renewal is due. */
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

	/** Whether the first renewal of a short grant is to come or under way. */
	public boolean awaitsFirstRenewal() {
		return this.firstRenewal;
	}

	void firstRenewalEnded() {
		this.firstRenewal = false;
	}

	/** Return what is to be repaired if the hold stays as it is, if anything. */
	@Nullable Repair suspect(long now) {
		boolean unopened = !isOpened() && !this.closed;
		boolean unreleased = this.closed && !this.firstRenewal && minHoldRest(now) <= 0;
		boolean stuck = isLinked() && (unopened || unreleased);
		this.suspected = (byte) (stuck ? this.suspected % (2 * Repair.PATIENCE) + 1 : 0);
		if (!stuck || this.suspected % Repair.PATIENCE != 0) {
			return null;
		}
		return (unopened && this.suspected == Repair.PATIENCE) ? Repair.GRANT : Repair.RELEASE;
	}

}
