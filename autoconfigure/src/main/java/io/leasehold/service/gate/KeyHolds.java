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
 * The holds of one key in this process. Guarded by its monitor.
 */
abstract class KeyHolds {

	final LockKey key;

	final GateRules rules;

	private @Nullable Hold first;

	/**
	 * How many hold the key, or have left and are not released yet; negative once the
	 * gate is out of use.
	 */
	private int holders;

	/** Access of those who hold the key, or held it last. */
	private Access access = Access.EXCLUSIVE;

	KeyHolds(LockKey key, GateRules rules) {
		this.key = key;
		this.rules = rules;
	}

	public final LockKey key() {
		return this.key;
	}

	/** The present holds. */
	public synchronized List<Hold> holds() {
		Hold only = this.first;
		if (only == null || only.next == null) {
			return (only != null) ? List.of(only) : List.of();
		}
		List<Hold> all = new ArrayList<>(this.holders);
		Link.forEach(only, all::add);
		return all;
	}

	public synchronized boolean isHeldBy(Hold hold) {
		return hold.isLinked();
	}

	/** Whether no live handle or thread can release a hold. */
	public synchronized boolean isAbandoned(Hold held) {
		return held.isAbandoned();
	}

	/** Note that a hold lasts too long; return whether that is still to be reported. */
	public synchronized boolean reportsSlow(Hold held) {
		return held.reportsSlow();
	}

	/** Return a hold of the caller itself that it does not re-enter, if there is one. */
	public synchronized @Nullable Hold holdOfCaller(Waiter waiter) {
		return find(Waiter::isCallerOf, waiter);
	}

	/** Return whether to warn of a caller that waits for a hold of its own. */
	public synchronized boolean reportsSelfWait(Hold own, Waiter waiter) {
		return own.reportsSelfWait(waiter.runsUnder(own));
	}

	/**
	 * Count a handle of a hold, unless it was lost since, or its last handle closed.
	 * @return the first handle, to be kept reachable
	 */
	public synchronized @Nullable Object open(Hold opened, Object handle, boolean bound) {
		return (opened.isLinked() && !opened.isClosed()) ? opened.addHandle(handle, bound) : null;
	}

	/** Count a handle less, and return whether the hold is to be left. */
	public synchronized boolean close(Hold closing) {
		if (!closing.removeHandle() || !closing.isLinked()) {
			return false;
		}
		closing.close();
		return true;
	}

	/**
	 * The first renewal of a hold was answered or failed.
	 * @return whether the hold was closed meanwhile and has to be left
	 */
	public synchronized boolean firstRenewalEnded(Hold renewed) {
		renewed.firstRenewalEnded();
		return renewed.isLinked() && renewed.isClosed();
	}

	/**
	 * A handle of a lost hold was closed. Return whether its claim is to be released,
	 * since it was the last handle, and the store may still keep the key for the hold.
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
	 * Keep an action for the loss of a hold.
	 * @return whether the hold was lost already, so that the action is due
	 */
	public synchronized boolean onLost(Hold held, Consumer<LockLostException> action) {
		if (held.isLinked() && !held.isClosed()) {
			held.addLossAction(action);
		}
		return held.lossCause() != null;
	}

	/**
	 * Return what is to be repaired of a hold, if anything. One whose caller could not be
	 * woken is closed.
	 */
	public synchronized @Nullable Repair check(Hold hold) {
		Repair repair = hold.suspect(now());
		if (repair == Repair.RELEASE) {
			hold.close();
		}
		return repair;
	}

	/** Wake the caller that has not taken its hold. */
	public void wake(Hold hold) {
		Caller caller;
		synchronized (this) {
			caller = hold.caller();
		}
		if (caller != null) {
			caller.wake();
		}
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

	/** Go out of use unless the key is held. */
	final boolean retire() {
		boolean free = this.holders == 0;
		this.holders = free ? -1 : this.holders;
		return free;
	}

	/** Whether the gate is out of use. */
	final boolean isGone() {
		return this.holders < 0;
	}

	final Access access() {
		return this.access;
	}

	/** Whether a further holder would be compatible with those who hold the key. */
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

	/** Count a holder more, to whom the store granted the key. */
	final void addHolder(Access granted) {
		this.access = granted;
		this.holders++;
	}

	/** Count a holder less, whose claim is released or is being released. */
	final void removeHolder() {
		this.holders--;
	}

	final void add(Hold added) {
		this.first = Link.add(this.first, added);
	}

	final void remove(Hold removed) {
		this.first = Link.remove(this.first, removed);
	}

	/** End a hold together with its grant. */
	final void end(Hold ended) {
		ended.grant.end();
		remove(ended);
	}

}
