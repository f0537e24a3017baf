package io.leasehold.service.gate;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.Claim;
import org.jspecify.annotations.Nullable;

/**
 * State of one key inside this process, which exists while the key is held or awaited
 * here. Waiters queue in the order of their arrival. Only the head of the queue has a
 * claim at the store. If it gives up, its successor inherits the claim. Holders share the
 * key if their access allows it.
 * <p>
 * A state machine: each input changes the state under the monitor and returns the
 * {@link Actions} that the caller carries out afterwards. No store request, no handover
 * to a thread and no user code runs under the monitor.
 */
public sealed class KeyGate extends KeyQueue permits LingeringGate {

	/** Outcome of entering the gate. */
	public enum Entry {

		/**
		 * The caller has its result: it re-entered a hold, or its access was rejected.
		 */
		SETTLED,

		/**
		 * The caller is the head of the queue and sends the claim's first request. A
		 * parked grant must be released.
		 */
		FIRST,

		/** A hold has expired unnoticed and must be marked as lost first. */
		EXPIRED,

		/** The caller waits behind others. A parked grant must be released. */
		QUEUED,

		/** Other waiters or holders precede the caller, whose wait time is zero. */
		BUSY,

		/** The gate is out of use and must be removed. */
		GONE,

		/** The caller has a parked grant, which must be watched. */
		ENTERED

	}

	KeyGate(LockKey key, GateRules rules) {
		super(key, rules);
	}

	/**
	 * Create a gate.
	 * @param options options of the caller for which it is created
	 */
	public static KeyGate of(LockKey key, LockOptions options, GateRules rules) {
		return rules.lingers(options) ? new LingeringGate(key, rules) : new KeyGate(key, rules);
	}

	/** Add the holds and waiters of this key to a survey for operators. */
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
		if (enterParked(waiter)) {
			return Entry.ENTERED;
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

	/**
	 * Re-enter a hold that covers the access, or reject an upgrade: it would deadlock.
	 */
	private void reenter(Hold own, Waiter waiter) {
		if (own.access().covers(waiter.access)) {
			waiter.succeed(own);
		}
		else {
			waiter.fail(Refusals.upgrade(this.key, waiter.access, own.access(), this.rules.engine()));
		}
	}

	/**
	 * Return whether a caller with zero wait time may send a request after the waiters
	 * before it: all are compatible, and the store has not responded to the claim yet.
	 */
	boolean hasTurn(Waiter waiter) {
		StoreClaim claim = remote();
		if (claim == null || claim.hasResponse()) {
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
	 * released. A grant with a short lease that is not fresh is extended first.
	 * @param passes whether the engine accepts new callers and does not doubt the grant
	 */
	public synchronized Actions leave(Hold closed, boolean passes, long now) {
		if (!closed.isLinked()) {
			return Action.NONE;
		}
		Actions staying = (passes && remote() == null) ? stay(closed) : null;
		if (staying != null) {
			return staying;
		}
		Waiter next = head();
		if (!passes || next == null || remote() != null || !this.rules.mayPass(closed, next, now)) {
			return release(closed);
		}
		if (!closed.isFreshFor(Hold.leaseOf(next.options()), now)) {
			return closed.awaitsFirstRenewal() ? Action.EXTEND : release(closed);
		}
		remove(closed);
		give(next, new Hold(closed.grant, next, closed, closed.pushed, now));
		return waking(next);
	}

	/** Enter the parked grant, and return whether that was possible. */
	boolean enterParked(Waiter waiter) {
		return false;
	}

	/** Keep the grant of a closed hold in this process; null if it does not linger. */
	@Nullable Actions stay(Hold closed) {
		return null;
	}

	/**
	 * Process the report that another process wants the key of a lingering grant, which
	 * is then neither parked nor entered again.
	 * @return the hold that has the grant, {@code null} if none has it
	 */
	public @Nullable Hold recalled(Claim claim) {
		return null;
	}

	/** Return the claim that the store has not granted yet, {@code null} for none. */
	public synchronized @Nullable Claim pending() {
		StoreClaim remote = remote();
		return (remote != null) ? remote.claim() : null;
	}

	/**
	 * Reject the revoked grant of a claim if it arrives after the report that it was
	 * revoked.
	 */
	public synchronized void revoke(Claim claim, long number) {
		StoreClaim remote = remote();
		if (remote != null && remote.claim().owner() == claim.owner()) {
			remote.revoke(number);
		}
	}

	/** Return the last hold of each grant of this process, also of a parked one. */
	public List<Hold> lastHolds() {
		return holds();
	}

	/** Return the last hold of a parked grant, {@code null} if none is parked. */
	public @Nullable Hold parked() {
		return null;
	}

	/**
	 * End a parked grant, whose claim must be released.
	 * @param only the grant to end, {@code null} for any
	 * @return its last hold, {@code null} if it is not parked
	 */
	public @Nullable Hold unpark(@Nullable Grant only) {
		return null;
	}

	private Actions release(Hold closed) {
		end(closed);
		return closed.grant.mayRelease(Duration.ZERO) ? Action.RELEASE : released(Duration.ZERO);
	}

	/** Remove a holder whose claim is released or is being released, and proceed. */
	public synchronized Actions released(Duration standBack) {
		removeHolder();
		if (head() == null) {
			return retires() ? Action.REMOVE : Action.NONE;
		}
		return proceed(standBack, new Decision());
	}

	/** Drop closed holds that remain for their minimum hold; their leases expire. */
	public synchronized Actions dropClosed() {
		long now = now();
		forEachHold((hold) -> {
			if (hold.isClosed() && hold.minHoldRest(now) > 0) {
				end(hold);
				removeHolder();
			}
		});
		return proceed(Duration.ZERO, new Decision());
	}

	/**
	 * End a hold that has expired, or whose grant is no longer in force; if the grant was
	 * passed on, end the hold that has it now. The key becomes available at once.
	 * @return the consequences, {@code null} if the hold had already ended
	 */
	public synchronized @Nullable Loss lose(Hold held, LossCause cause) {
		Hold losing = held;
		if (!held.isLinked()) {
			losing = (cause == LossCause.MAX_HOLD) ? null : holdOf(held.grant);
		}
		if (losing == null) {
			return null;
		}
		Grant lost = held.grant;
		// The lease ends with the maximum hold time, so no rest of it remains to wait for
		long left = (cause == LossCause.MAX_HOLD) ? 0 : lost.remaining(now());
		Duration rest = Duration.ofNanos(left).plus(lost.claim.lockDelay());
		boolean used = losing.isOpened() && !losing.isClosed();
		List<Consumer<LockLostException>> lossActions = losing.lose(cause);
		end(losing);
		boolean release = lost.mayRelease(rest);
		return new Loss(losing, used, lossActions, release ? rest : null, released(Duration.ZERO));
	}

	/** Lose a hold unless it is closed: its grant may then belong to another hold. */
	public synchronized @Nullable Loss loseUnlessClosed(Hold held, LossCause cause) {
		return (held.isLinked() && !held.isClosed()) ? lose(held, cause) : null;
	}

	/**
	 * Consequences of the loss of a hold.
	 *
	 * @param hold the hold that was lost
	 * @param used whether it had an open handle
	 * @param lossActions actions of its holder
	 * @param rest delay before its claim is released, {@code null} if not released now
	 * @param actions actions to carry out
	 */
	public record Loss(Hold hold, boolean used, List<Consumer<LockLostException>> lossActions, @Nullable Duration rest,
			Actions actions) {
	}

}
