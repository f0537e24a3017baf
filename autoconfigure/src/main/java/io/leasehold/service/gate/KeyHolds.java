package io.leasehold.service.gate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Consumer;

import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.engine.Access;
import org.jspecify.annotations.Nullable;

/**
 * Holds of one key in this process. Guarded by its monitor. Public, because subclasses
 * would otherwise have a bridge method for each public one.
 */
public abstract class KeyHolds {

	final LockKey key;

	final GateRules rules;

	private @Nullable Hold first;

	/**
	 * Number of holders, including closed ones whose claim is not released yet; negative
	 * once the gate is out of use.
	 */
	private int holders;

	/** Access of the present holders, or of the last ones. */
	private Access access = Access.EXCLUSIVE;

	KeyHolds(LockKey key, GateRules rules) {
		this.key = key;
		this.rules = rules;
	}

	public final LockKey key() {
		return this.key;
	}

	public synchronized List<Hold> holds() {
		Hold only = this.first;
		if (only == null || only.next == null) {
			return (only != null) ? List.of(only) : List.of();
		}
		List<Hold> all = new ArrayList<>(this.holders);
		Link.forEach(only, all::add);
		return all;
	}

	/** Return the hold that has a grant now, or {@code null}. */
	public synchronized @Nullable Hold holdOf(Grant grant) {
		return find(KeyHolds::isOfGrant, grant);
	}

	/**
	 * Return the hold whose grant is about to be renewed, or {@code null} if the grant is
	 * not held any more.
	 */
	public synchronized @Nullable Hold renewing(Grant renewed) {
		return holdOf(renewed);
	}

	private static boolean isOfGrant(Grant grant, Hold hold) {
		return hold.grant == grant;
	}

	public synchronized boolean isAbandoned(Hold held) {
		return held.isAbandoned();
	}

	/**
	 * Return whether a hold needs further renewals. One that its caller never takes, or
	 * that nobody releases, ends with its lease.
	 */
	public synchronized boolean isInUse(Hold held) {
		return held.isInUse(now());
	}

	public synchronized boolean reportsSlow(Hold held) {
		return held.reportsSlow();
	}

	/** Return a hold of the caller that it would wait for, or {@code null}. */
	public synchronized @Nullable Hold holdOfCaller(Waiter waiter) {
		return find(Waiter::isCallerOf, waiter);
	}

	public synchronized boolean reportsSelfWait(Hold own, Waiter waiter) {
		return own.reportsSelfWait(waiter.runsUnder(own));
	}

	/**
	 * Add a handle of a hold, unless the hold was lost or closed.
	 * @return the first handle, to be kept reachable, or {@code null}
	 */
	public synchronized @Nullable Object open(Hold opened, Object handle, boolean bound) {
		return (opened.isLinked() && !opened.isClosed()) ? opened.addHandle(handle, bound) : null;
	}

	/** Remove a handle, and return whether the hold must be left. */
	public synchronized boolean close(Hold closing) {
		if (!closing.removeHandle() || !closing.isLinked()) {
			return false;
		}
		closing.close();
		return true;
	}

	/**
	 * Record the end of a grant's first renewal.
	 * @return the hold that has the grant and must be left because it was closed in the
	 * meantime, or {@code null}
	 */
	public synchronized @Nullable Hold firstRenewalEnded(Grant renewed) {
		Hold hold = holdOf(renewed);
		if (hold == null) {
			return null;
		}
		hold.firstRenewalEnded();
		return hold.isClosed() ? hold : null;
	}

	/**
	 * Return whether to release the claim of a lost hold after a handle was closed: it
	 * was the last handle, and the store may still keep the key for the hold.
	 */
	public synchronized boolean leaveAfterLoss(Hold lost) {
		boolean over = lost.handles() == 0 && !lost.isClosed() && !lost.isLinked() && lost.mayBeKept();
		if (!over) {
			return false;
		}
		lost.close();
		return lost.grant.mayRelease(Duration.ZERO);
	}

	/**
	 * Register an action for the loss of a hold.
	 * @return whether the hold was lost already, so that the action must run now
	 */
	public synchronized boolean onLost(Hold held, Consumer<LockLostException> action) {
		if (held.isLinked() && !held.isClosed()) {
			held.addLossAction(action);
		}
		return held.lossCause() != null;
	}

	final long now() {
		return this.rules.clock.nanoTime();
	}

	final boolean isHeld() {
		return this.first != null;
	}

	final int holders() {
		return this.holders;
	}

	/** Put the gate out of use unless the key is held. */
	final boolean retire() {
		boolean free = this.holders == 0;
		this.holders = free ? -1 : this.holders;
		return free;
	}

	/** Return whether the gate is out of use. */
	final boolean isGone() {
		return this.holders < 0;
	}

	final Access access() {
		return this.access;
	}

	/** Return whether a further holder would be compatible with the present ones. */
	final boolean accepts(Access wanted) {
		return wanted.joins(this.access, this.holders);
	}

	final <T> @Nullable Hold find(BiPredicate<T, Hold> wanted, T subject) {
		for (Hold hold = this.first; hold != null; hold = hold.next) {
			if (wanted.test(subject, hold)) {
				return hold;
			}
		}
		return null;
	}

	final boolean anyExpired(long now) {
		for (Hold hold = this.first; hold != null; hold = hold.next) {
			if (!hold.isValid(now)) {
				return true;
			}
		}
		return false;
	}

	final void forEachHold(Consumer<Hold> action) {
		Link.forEach(this.first, action);
	}

	/** Increment the number of holders, after the store granted the key. */
	final void addHolder(Access granted) {
		this.access = granted;
		this.holders++;
	}

	/** Decrement the number of holders, whose claim is released or is being released. */
	final void removeHolder() {
		this.holders--;
	}

	final void add(Hold added) {
		this.first = Link.add(this.first, added);
	}

	final void remove(Hold removed) {
		this.first = Link.remove(this.first, removed);
	}

	final void end(Hold ended) {
		ended.grant.end();
		remove(ended);
	}

}
