package io.leasehold.service.gate;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * The state of one key inside this process, there while the key is held or awaited here.
 * Callers queue in order of arrival. Only the head of the queue has a claim at the store,
 * which its successor inherits when it gives up; those who are served hold the key
 * concurrently as far as their access allows.
 * <p>
 * A state machine: each input changes the state under the monitor and returns the
 * {@link Actions} that its caller carries out afterwards. No store call, no hand-over to
 * a thread and no user code runs under the monitor.
 */
public final class KeyGate extends KeyQueue {

	/** What a caller finds. */
	public enum Entry {

		/**
		 * The caller has its result: it holds the key already, or asks for what cannot
		 * be.
		 */
		SETTLED,

		/** The caller is the first one and sends the claim's first request. */
		FIRST,

		/** A present hold has expired unnoticed and is to be lost first. */
		EXPIRED,

		/** Others are before the caller. */
		QUEUED,

		/** Others are before the caller, which does not want to wait. */
		BUSY,

		/** The gate is out of use and to be removed. */
		GONE

	}

	public KeyGate(LockKey key, GateRules rules) {
		super(key, rules);
	}

	/** Report to operators what is held and awaited here. */
	public synchronized void describe(Survey survey) {
		long now = now();
		AtomicInteger waiting = new AtomicInteger();
		Link.forEach(head(), (waiter) -> {
			if (waiter.waited) {
				waiting.incrementAndGet();
				survey.waits(this.rules.engine(), waiter, now);
			}
		});
		forEachHold((hold) -> {
			if (hold.isOpened() && !hold.isClosed()) {
				survey.held(this.rules.engine(), hold, now, waiting.get());
			}
		});
	}

	public synchronized Entry enter(Waiter waiter) {
		if (isGone()) {
			return Entry.GONE;
		}
		boolean first = head() == null && isClaimableFor(waiter);
		Hold own = isHeld() ? find(Waiter::mayReenter, waiter) : null;
		if ((own != null || !first) && anyExpired(now())) {
			return Entry.EXPIRED;
		}
		if (own != null) {
			reenter(own, waiter);
			return Entry.SETTLED;
		}
		if (isHeld() && waiter.access.contradicts(access())) {
			waiter.fail(contradiction(waiter.access, access()));
			return Entry.SETTLED;
		}
		waiter.awaitTurn(!first && !waiter.waits());
		if (!first && !waiter.waits() && !hasTurn(waiter)) {
			return Entry.BUSY;
		}
		enqueue(waiter);
		if (!first) {
			return Entry.QUEUED;
		}
		claimFor(waiter);
		return Entry.FIRST;
	}

	/** An exclusive hold covers a shared one. An upgrade would wait for itself. */
	private void reenter(Hold own, Waiter waiter) {
		if (own.access().covers(waiter.access)) {
			waiter.succeed(own);
		}
		else {
			waiter.fail(Refusals.upgrade(this.key, waiter.access, own.access(), this.rules.engine()));
		}
	}

	/**
	 * Whether a caller that does not wait may send a request after those before it, since
	 * all are compatible and none of them was answered yet.
	 */
	private boolean hasTurn(Waiter waiter) {
		StoreClaim claim = remote();
		if (claim == null || claim.isAnswered()) {
			return false;
		}
		int count = holders();
		boolean compatible = count == 0 || waiter.access.equals(access());
		for (Waiter before = head(); compatible && before != null; before = before.next) {
			compatible = waiter.access.equals(before.access);
			count++;
		}
		return compatible && waiter.access.joins(waiter.access, count);
	}

	/** Mark the waiter as waiting unless it has already completed. */
	public synchronized boolean startWaiting(Waiter waiter) {
		if (waiter.waited || waiter.hasEnded()) {
			return false;
		}
		waiter.waited = true;
		return true;
	}

	/**
	 * Leave a closed hold: pass its grant on to the next waiter, or have its claim
	 * released. A grant that came with a short lease waits for its extension.
	 * @param passes whether the engine does not doubt the grant, and takes new callers
	 */
	public synchronized Actions leave(Hold closed, boolean passes, long now) {
		if (!closed.isLinked()) {
			return Actions.NONE;
		}
		Waiter next = head();
		if (!passes || next == null || isClaimed() || !this.rules.mayPass(closed, next, now)) {
			return release(closed);
		}
		if (!closed.grant.isFreshFor(Hold.leaseOf(next.options()), now)) {
			return closed.awaitsFirstRenewal() ? Actions.EXTEND : release(closed);
		}
		remove(closed);
		Actions actions = new Actions();
		hand(closed.grant, next, closed, closed.pushed, now, actions);
		return actions;
	}

	private Actions release(Hold closed) {
		end(closed);
		return closed.grant.mayRelease(Duration.ZERO) ? Actions.RELEASE : released(Duration.ZERO);
	}

	/** The claim that was left is released, or is being released. */
	public synchronized Actions released(Duration standBack) {
		removeHolder();
		if (head() == null) {
			return retires() ? Actions.REMOVE : Actions.NONE;
		}
		Actions actions = new Actions();
		proceed(standBack, actions);
		return actions;
	}

	/** Forget holds that only stay for their min hold, and leave them to their lease. */
	public synchronized Actions dropClosed() {
		long now = now();
		forEachHold((hold) -> {
			if (hold.isClosed() && hold.minHoldRest(now) > 0) {
				end(hold);
				removeHolder();
			}
		});
		Actions actions = new Actions();
		proceed(Duration.ZERO, actions);
		return actions;
	}

	/**
	 * End a hold whose time is over, or whose grant is no longer in force, whichever hold
	 * has it by now. The key becomes available at once.
	 * @return what follows, or {@code null} if it was over already
	 */
	public synchronized @Nullable Loss lose(Hold held, LossCause cause) {
		Hold losing = held;
		if (!held.isLinked()) {
			losing = (cause == LossCause.MAX_HOLD) ? null : find(KeyGate::isOfGrant, held.grant);
		}
		if (losing == null) {
			return null;
		}
		Grant lost = held.grant;
		// The longest hold time ends the lease, too: nothing of it is left to wait for
		long left = (cause == LossCause.MAX_HOLD) ? 0 : lost.remaining(now());
		Duration rest = Duration.ofNanos(left).plus(lost.claim.lockDelay());
		boolean used = losing.isOpened() && !losing.isClosed();
		List<Consumer<LockLostException>> lossActions = losing.lose(cause);
		end(losing);
		boolean release = lost.mayRelease(rest);
		return new Loss(losing, used, lossActions, release ? rest : null, released(Duration.ZERO));
	}

	/** Lose a hold that was not closed yet. Its grant may be another one's afterwards. */
	public synchronized @Nullable Loss cancel(Hold cancelled) {
		return (cancelled.isLinked() && !cancelled.isClosed()) ? lose(cancelled, LossCause.CANCELLED) : null;
	}

	private static boolean isOfGrant(Grant grant, Hold hold) {
		return hold.grant == grant;
	}

	/**
	 * What follows from the loss of a hold.
	 *
	 * @param hold the hold that was lost
	 * @param used whether it had a holder, who may have closed it since
	 * @param lossActions actions of its holder
	 * @param rest when its claim is to be released, {@code null} if not now
	 * @param actions what is to be done
	 */
	public record Loss(Hold hold, boolean used, List<Consumer<LockLostException>> lossActions, @Nullable Duration rest,
			Actions actions) {
	}

}
