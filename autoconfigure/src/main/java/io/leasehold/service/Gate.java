package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockModeException;
import io.leasehold.LossCause;
import io.leasehold.engine.Access;
import io.leasehold.engine.Attempt;
import io.leasehold.engine.Claim;
import org.jspecify.annotations.Nullable;

/**
 * The one way to a key inside this process, there as long as the key is held or awaited
 * here. Its callers queue in order of arrival. Only the first of them has a claim at the
 * store, which stays in place for the next when that one gives up; those who are served
 * hold the key beside each other as far as their access allows.
 * <p>
 * Guarded by its own monitor, which is never held across a store call or user code.
 */
final class Gate {

	/** What a caller finds. */
	enum Entry {

		/**
		 * The caller has its result: it holds the key already, or asks for what cannot
		 * be.
		 */
		SETTLED,

		/** The caller is the first one and makes the claim's first request. */
		FIRST,

		/** A present hold has expired unnoticed and is to be lost first. */
		EXPIRED,

		/** Others are before the caller. */
		QUEUED,

		/** Others are before the caller, which does not want to wait. */
		BUSY,

		/** The gate was just taken down. */
		GONE

	}

	final LockKey key;

	final Coordinator coordinator;

	/** First in the queue of callers. */
	private @Nullable Acquisition firstCaller;

	private @Nullable Hold firstHold;

	/** How many hold the key, or have left and are not released yet. */
	private int owners;

	/** Access of those who hold the key, or held it last. */
	private Access present = Access.EXCLUSIVE;

	private @Nullable RemoteClaim remote;

	private boolean gone;

	Gate(LockKey key, Coordinator coordinator) {
		this.key = key;
		this.coordinator = coordinator;
	}

	/** The present holds. */
	synchronized List<Hold> holds() {
		Hold first = this.firstHold;
		if (first == null || first.next == null) {
			return (first != null) ? List.of(first) : List.of();
		}
		List<Hold> all = new ArrayList<>(this.owners);
		Link.forEach(first, all::add);
		return all;
	}

	/** The present holds that have expired and were not lost yet. */
	List<Hold> expired() {
		long now = this.coordinator.clock().nanoTime();
		return holds().stream().filter((hold) -> !hold.isValid(now)).toList();
	}

	synchronized boolean isHeldBy(Hold hold) {
		return hold.isLinked();
	}

	/** Whether nobody is left who could release a hold. */
	synchronized boolean isAbandoned(Hold held) {
		return held.isLinked() && held.isAbandoned();
	}

	/** Note that a hold lasts too long; return whether that is still to be told. */
	synchronized boolean noteSlow(Hold held) {
		return held.noteSlow();
	}

	/** Why the store did not answer the last request, if it did not. */
	synchronized @Nullable LockEngineException lastFailure() {
		return (this.remote != null) ? this.remote.failure() : null;
	}

	synchronized @Nullable RemoteClaim remote() {
		return this.remote;
	}

	/** Tell operators what is held and awaited here. */
	synchronized void describe(Survey survey) {
		String engine = this.coordinator.engine().name();
		long now = this.coordinator.clock().nanoTime();
		AtomicInteger waiting = new AtomicInteger();
		Link.forEach(this.firstCaller, (caller) -> {
			if (caller.waited) {
				waiting.incrementAndGet();
				survey.waits(engine, caller, now);
			}
		});
		Link.forEach(this.firstHold, (hold) -> {
			if (hold.isOpened() && !hold.isClosed()) {
				survey.held(engine, hold, now, waiting.get());
			}
		});
	}

	synchronized Entry enter(Acquisition caller) {
		if (this.gone) {
			return Entry.GONE;
		}
		boolean first = this.firstCaller == null && isClaimableFor(caller);
		Hold own = (this.firstHold == null) ? null : holdOf(caller);
		if ((own != null || !first) && hasExpired()) {
			return Entry.EXPIRED;
		}
		if (own != null) {
			reenter(own, caller);
			return Entry.SETTLED;
		}
		if (this.firstHold != null && caller.access.contradicts(this.present)) {
			caller.fail(contradiction(caller.access, this.present));
			return Entry.SETTLED;
		}
		caller.awaitsTurn = !first && !caller.waits();
		if (caller.awaitsTurn && !hasTurn(caller)) {
			return Entry.BUSY;
		}
		this.firstCaller = Link.add(this.firstCaller, caller);
		if (!first) {
			return Entry.QUEUED;
		}
		this.remote = this.coordinator.newClaim(this, caller, caller.start);
		return Entry.FIRST;
	}

	private @Nullable Hold holdOf(Acquisition caller) {
		for (Hold hold = this.firstHold; hold != null; hold = hold.next) {
			if (hold.mayBeReenteredBy(caller)) {
				return hold;
			}
		}
		return null;
	}

	private boolean hasExpired() {
		long now = this.coordinator.clock().nanoTime();
		for (Hold hold = this.firstHold; hold != null; hold = hold.next) {
			if (!hold.isValid(now)) {
				return true;
			}
		}
		return false;
	}

	/** An exclusive hold covers a shared one; the other way round nobody could go on. */
	private void reenter(Hold own, Acquisition caller) {
		if (own.access().covers(caller.access)) {
			caller.succeed(own);
			caller.wake();
		}
		else if (caller.access.contradicts(own.access())) {
			caller.fail(contradiction(caller.access, own.access()));
		}
		else {
			caller.fail(new LockModeException(this.key,
					"Lock '%s' is wanted %s, but its caller holds it %s: give that back first (engine: %s)"
						.formatted(this.key, caller.access, own.access(), this.coordinator.engine().name())));
		}
	}

	private LockModeException contradiction(Access wanted, Access held) {
		return new LockModeException(this.key, "Lock '%s' is wanted with %s, but is held with %s (engine: %s)"
			.formatted(this.key, wanted, held, this.coordinator.engine().name()));
	}

	/**
	 * Whether a caller may be the next to ask the store: one that goes together with
	 * those who hold the key here, or that none of them could pass it on to, so that it
	 * has to have its place in the store's queue.
	 */
	private boolean isClaimableFor(Acquisition caller) {
		return this.remote == null && (caller.access.joins(this.present, this.owners)
				|| caller.waits() && !caller.access.equals(this.present));
	}

	/**
	 * Whether a caller that does not wait may ask after those before it, since all go
	 * together and none of them was answered yet.
	 */
	private boolean hasTurn(Acquisition caller) {
		if (this.remote == null || this.remote.isAnswered()) {
			return false;
		}
		int count = this.owners;
		boolean together = count == 0 || caller.access.equals(this.present);
		for (Acquisition before = this.firstCaller; together && before != null; before = before.next) {
			together = caller.access.equals(before.access);
			count++;
		}
		return together && caller.access.joins(caller.access, count);
	}

	/** Note that a caller begins to wait, unless it has a result already. */
	synchronized boolean startWaiting(Acquisition caller) {
		if (caller.waited || caller.ended()) {
			return false;
		}
		caller.waited = true;
		return true;
	}

	/** Return a hold of the caller itself that it does not re-enter, if there is one. */
	synchronized @Nullable Hold holdOfCaller(Acquisition caller) {
		for (Hold hold = this.firstHold; hold != null; hold = hold.next) {
			if (hold.isOfCaller(caller)) {
				return hold;
			}
		}
		return null;
	}

	/** Return whether to warn of a caller that waits for a hold of its own. */
	synchronized boolean noteSelfWait(Hold own, Acquisition caller) {
		return own.noteSelfWait(caller);
	}

	/** End a caller's wait, unless it has a result already. */
	synchronized void giveUp(Acquisition caller, RuntimeException reason) {
		if (caller.ended()) {
			return;
		}
		unqueue(caller);
		caller.fail(reason);
		headMayHaveChanged();
	}

	/** End the wait of all callers. */
	synchronized void failed(LockEngineException reason) {
		Link.forEach(this.firstCaller, (caller) -> {
			unqueue(caller);
			caller.fail(new LockEngineException(this.key, String.valueOf(reason.getMessage()), reason,
					reason.isRetryable()));
		});
		headMayHaveChanged();
	}

	/** Those who do not wait have had their attempt. */
	synchronized void attempted(@Nullable LockEngineException failure) {
		long now = this.coordinator.clock().nanoTime();
		Link.forEach(this.firstCaller, (caller) -> {
			if (!caller.waits()) {
				unqueue(caller);
				caller.fail(caller.outOfTime(this.coordinator.engine().name(), now, failure, null));
			}
		});
		headMayHaveChanged();
	}

	/** End the wait of those who want another number of permits than there are. */
	synchronized void contradicted(Access wanted, Access held) {
		Link.forEach(this.firstCaller, (caller) -> {
			if (caller.access.equals(wanted)) {
				unqueue(caller);
				caller.fail(contradiction(wanted, held));
			}
		});
		headMayHaveChanged();
	}

	/**
	 * The store granted the claim: to the first caller, for a claim without is given up.
	 * @return the caller, which is to be woken
	 */
	synchronized Acquisition granted(RemoteClaim granted, Attempt.Granted answer, long sent, long now, boolean pushed) {
		Grant grant = new Grant(granted, answer, sent, now, pushed);
		this.remote = null;
		this.present = granted.claim().access();
		this.owners++;
		Acquisition first = Objects.requireNonNull(this.firstCaller);
		hand(grant, first, 0, now);
		return first;
	}

	/** Forget holds that only stay for their min hold, and leave them to their lease. */
	synchronized void dropClosed() {
		long now = this.coordinator.clock().nanoTime();
		Link.forEach(this.firstHold, (hold) -> {
			if (hold.isClosed() && hold.minHoldRest(now) > 0) {
				end(hold);
				this.owners--;
			}
		});
		proceed(Duration.ZERO);
	}

	/**
	 * Make a handle of a hold that a caller was given, unless it was lost since, or its
	 * last handle closed.
	 */
	synchronized @Nullable Handle open(Hold opened, ReleaseTiming.Releases releases, boolean bound) {
		return (opened.isLinked() && !opened.isClosed()) ? opened.addHandle(releases, bound) : null;
	}

	/** Count a handle less, and return whether the hold is to be released. */
	synchronized boolean close(Hold closing) {
		if (!closing.removeHandle() || !closing.isLinked()) {
			return false;
		}
		closing.close();
		return true;
	}

	/**
	 * Let go of a closed hold: to the next caller if the grant may be passed on,
	 * otherwise return the claim that has to be released at the store. A grant that came
	 * with a short lease waits for its extension.
	 */
	@Nullable Claim leave(Hold closed, long now) {
		Acquisition heir;
		synchronized (this) {
			if (!closed.isLinked()) {
				return null;
			}
			heir = heirOf(closed, now);
			if (heir == null) {
				return release(closed);
			}
			if (!lastsFor(heir, closed.grant, now)) {
				this.coordinator.watchdog().hurry();
				return null;
			}
			this.firstHold = Link.remove(this.firstHold, closed);
			hand(closed.grant, heir, closed.pass + 1, now);
		}
		heir.wake();
		return null;
	}

	/** Who the grant of a hold may be passed on to, now or when it is extended. */
	private @Nullable Acquisition heirOf(Hold closed, long now) {
		Acquisition next = this.firstCaller;
		boolean passes = next != null && this.remote == null && this.coordinator.mayPass(closed, next, now)
				&& (closed.firstRenewal || lastsFor(next, closed.grant, now));
		return passes ? next : null;
	}

	private static boolean lastsFor(Acquisition next, Grant grant, long now) {
		return grant.isFreshFor(Hold.leaseOf(next.options), now);
	}

	private @Nullable Claim release(Hold closed) {
		end(closed);
		if (!closed.grant.mayRelease(Duration.ZERO)) {
			released(Duration.ZERO);
			return null;
		}
		return closed.grant.claim;
	}

	private void end(Hold ended) {
		ended.grant.end();
		this.firstHold = Link.remove(this.firstHold, ended);
	}

	/**
	 * The first renewal of a hold was answered or failed.
	 * @return whether the hold was closed meanwhile and has to be left
	 */
	synchronized boolean firstRenewalEnded(Hold renewed) {
		renewed.firstRenewal = false;
		return renewed.isLinked() && renewed.isClosed();
	}

	/** The claim that was left is released, or is being seen to. */
	synchronized void released(Duration standBack) {
		this.owners--;
		proceed(standBack);
	}

	/**
	 * End a hold whose time is over, or whose grant is no longer in force, whoever holds
	 * that by now. Opens the gate at once.
	 * @return what is to be told, or {@code null} if it was over already
	 */
	synchronized @Nullable Loss lose(Hold held, LossCause cause) {
		Grant lost = held.grant;
		Hold losing = (cause == LossCause.MAX_HOLD) ? held : lost.hold;
		if (losing == null || !losing.isLinked()) {
			return null;
		}
		// The longest hold time ends the lease, too: nothing of it is left to wait for
		long left = (cause == LossCause.MAX_HOLD) ? 0 : lost.remaining(this.coordinator.clock().nanoTime());
		Duration rest = Duration.ofNanos(left).plus(lost.claim.lockDelay());
		List<Consumer<LockLostException>> actions = losing.lose(cause);
		end(losing);
		boolean close = lost.mayRelease(rest);
		released(Duration.ZERO);
		return new Loss(losing, actions, close, rest);
	}

	/** Lose a hold that was not closed yet. Its grant may be another one's afterwards. */
	synchronized @Nullable Loss cancel(Hold cancelled) {
		return (cancelled.isLinked() && !cancelled.isClosed()) ? lose(cancelled, LossCause.CANCELLED) : null;
	}

	/**
	 * A handle of a lost hold was closed. Return the claim if it was the last handle, and
	 * the store may still keep the key for the hold.
	 */
	synchronized @Nullable Claim leaveAfterLoss(Hold lost) {
		boolean over = lost.handles() == 0 && !lost.isClosed() && !lost.isLinked() && lost.mayBeKept();
		if (!over) {
			return null;
		}
		lost.close();
		return lost.grant.mayRelease(Duration.ZERO) ? lost.grant.claim : null;
	}

	/**
	 * Keep an action for the loss of a hold.
	 * @return whether the hold was lost already, so that the action is due
	 */
	synchronized boolean onLost(Hold held, Consumer<LockLostException> action) {
		if (held.isLinked() && !held.isClosed()) {
			held.addLossAction(action);
		}
		return held.lossCause() != null;
	}

	private void unqueue(Acquisition caller) {
		this.firstCaller = Link.remove(this.firstCaller, caller);
	}

	/**
	 * Give the key to a caller, which is woken later: it would only meet this monitor.
	 */
	private void hand(Grant grant, Acquisition caller, int pass, long now) {
		unqueue(caller);
		Hold hold = new Hold(this, grant, caller, pass, now);
		grant.hold = hold;
		this.firstHold = Link.add(this.firstHold, hold);
		caller.succeed(hold);
		try {
			this.coordinator.watchdog().watch(hold, this.firstCaller != null, now);
			proceed(Duration.ZERO);
		}
		catch (RuntimeException | Error ex) {
			caller.wake(); // it has the key nevertheless
			throw ex;
		}
	}

	/**
	 * Claim the key for the first caller, if it goes together with those who hold it
	 * here, or take the gate down if nobody wants it any more.
	 */
	private void proceed(Duration standBack) {
		Acquisition head = this.firstCaller;
		if (head != null && isClaimableFor(head)) {
			this.remote = this.coordinator.newClaim(this, head, this.coordinator.clock().nanoTime());
			this.remote.askIn(standBack);
		}
		else if (head == null && this.owners == 0 && !this.gone) {
			this.gone = true;
			this.coordinator.remove(this);
		}
	}

	/**
	 * The claim stays for the next caller, if that wants of the store what the last one
	 * did.
	 */
	private void headMayHaveChanged() {
		Acquisition head = this.firstCaller;
		RemoteClaim claimed = this.remote;
		if (claimed != null && head != null && this.coordinator.wantsSame(head, claimed.claim())) {
			if (head.waits()) {
				claimed.keepWaiting();
			}
			return;
		}
		if (claimed != null) {
			this.remote = null;
			claimed.abandon();
		}
		proceed(Duration.ZERO);
	}

	/**
	 * Send the request for the head of the queue if nobody does.
	 * @return whether that was necessary
	 */
	synchronized boolean repairClaim() {
		if (this.remote != null) {
			return this.remote.repair();
		}
		proceed(Duration.ZERO);
		return this.remote != null;
	}

	/**
	 * Return what is to be repaired of a hold, if anything. One whose caller could not be
	 * woken is closed.
	 */
	synchronized SelfCheck.@Nullable Repair stuck(Hold hold) {
		long now = this.coordinator.clock().nanoTime();
		boolean unopened = !hold.isOpened() && !hold.isClosed();
		boolean closed = hold.isClosed() && !hold.firstRenewal && hold.minHoldRest(now) <= 0;
		hold.suspected = (hold.isLinked() && (unopened || closed)) ? hold.suspected + 1 : 0;
		if (hold.suspected == 0 || hold.suspected % SelfCheck.PATIENCE != 0) {
			return null;
		}
		if (unopened && hold.suspected == SelfCheck.PATIENCE) {
			return SelfCheck.Repair.GRANT;
		}
		hold.close();
		return SelfCheck.Repair.RELEASE;
	}

	/** Wake the caller that has not taken its hold. */
	void wake(Hold hold) {
		Acquisition caller;
		synchronized (this) {
			caller = hold.caller();
		}
		if (caller != null) {
			caller.wake();
		}
	}

	/**
	 * What a lost hold leaves to do.
	 *
	 * @param hold the hold that was lost
	 * @param actions to be run
	 * @param close whether the claim has to be released
	 * @param rest how long the store keeps the key closed
	 */
	record Loss(Hold hold, List<Consumer<LockLostException>> actions, boolean close, Duration rest) {
	}

}
