package io.leasehold.service.gate;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.LossCause;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Signal;
import org.jspecify.annotations.Nullable;

/**
 * State of one key inside this process, which exists while the key is held or awaited
 * here. Waiters queue in the order of their arrival. Only the head of the queue has a
 * claim at the store. If it gives up, a successor that needs the same claim inherits its
 * place in the store's queue. Holders share the key if their access allows it.
 * <p>
 * A state machine: each event changes the state under the monitor and returns the
 * {@link Decision} that the caller carries out afterwards. No store request, no handover
 * to a thread and no user code runs under the monitor.
 */
public final class KeyGate {

	private final LockKey key;

	final GateRules rules;

	/** Strategy for grants that may linger, {@code null} if none does. */
	private final @Nullable Linger linger;

	private final Holders holders = new Holders();

	private final KeyQueue queue;

	/**
	 * Create a gate.
	 * @param options options of the caller for which it is created
	 */
	public KeyGate(LockKey key, LockOptions options, GateRules rules) {
		this.key = key;
		this.rules = rules;
		this.linger = rules.lingers(options) ? new Linger(key, rules) : null;
		this.queue = new KeyQueue(rules, this.holders, this.linger);
	}

	public LockKey key() {
		return this.key;
	}

	/** Return the holds of this key. */
	public synchronized List<KeyState.Held> held() {
		return this.holders.describe(this.rules.now());
	}

	/** Return the holds and the waiters of this key. */
	public synchronized KeyState describe() {
		long now = this.rules.now();
		return new KeyState(this.rules.engine(), now, this.queue.waiting(), this.holders.describe(now),
				(this.linger != null) ? this.linger.parked() : null);
	}

	/** A waiter enters, and is granted the key, rejected or queued. */
	public synchronized Decision enter(Waiter waiter) {
		Decision decision = new Decision();
		if (this.holders.isGone()) {
			decision.removes = true;
			decision.entersAgain = true;
			return decision;
		}
		Hold parked = (this.linger != null && this.queue.head() == null) ? this.linger.enter(waiter) : null;
		if (parked != null) {
			return this.queue.give(waiter, parked, decision);
		}
		boolean first = this.queue.isFirst(waiter);
		Hold own = this.holders.reenteredBy(waiter);
		if ((own != null || !first) && this.holders.anyExpired(this.rules.now())) {
			decision.entersAgain = true;
			return decision;
		}
		if (own != null) {
			return reenter(own, waiter, decision);
		}
		RuntimeException refusal = this.queue.refusal(waiter, first);
		if (refusal != null) {
			waiter.fail(refusal);
			return this.queue.proceed(Duration.ZERO, decision.wake(waiter));
		}
		this.queue.add(waiter, first, decision);
		if (!first) {
			startWaiting(waiter, decision);
		}
		return free(null, decision);
	}

	/**
	 * Re-enter a hold that covers the access, or reject an upgrade: it would deadlock.
	 */
	private Decision reenter(Hold own, Waiter waiter, Decision decision) {
		if (own.access().covers(waiter.access)) {
			waiter.succeed(own);
		}
		else {
			waiter.fail(Refusals.upgrade(this.key, waiter.access, own.access(), this.rules.engine()));
		}
		return decision.wake(waiter);
	}

	/** Let a queued waiter begin to wait, unless it began before or does not wait. */
	private void startWaiting(Waiter waiter, Decision decision) {
		if (waiter.waits() && !waiter.waited) {
			waiter.waited = true;
			Hold own = this.holders.ofCaller(waiter);
			decision.startsWait = true;
			decision.rare().selfWait = (own != null && own.reportsSelfWait(waiter.runsUnder(own))) ? own : null;
		}
	}

	/**
	 * A caller gives up, unless it already has a result.
	 * @param reason why, {@code null} if its wait time is over
	 */
	public synchronized Decision gaveUp(Waiter waiter, @Nullable RuntimeException reason) {
		Decision decision = new Decision();
		return waiter.hasEnded() ? decision
				: this.queue.fail(waiter, (reason != null) ? reason : this.queue.timeout(waiter), decision);
	}

	/** The engine accepts no new callers: reject the waiters, and keep no grant. */
	public synchronized Decision drained() {
		Decision decision = new Decision();
		this.holders.dropClosed(this.rules.now());
		free(null, decision);
		return this.queue.failAll(Refusals.shutdown(this.key), decision);
	}

	/**
	 * Begin a request for a claim. If one is in flight, it is repeated later.
	 * @return whether to send it now; not if the claim is over
	 */
	public synchronized boolean begin(StoreClaim claim) {
		return claim.begin();
	}

	/**
	 * The request of a claim has ended. If the waiter for which it was sent first has no
	 * result then, it begins to wait.
	 * @param received clock reading at the response
	 * @param response the store's response, {@code null} if the request failed
	 * @param failure why the request failed, or {@code null}
	 */
	public synchronized Decision answered(StoreClaim claim, long sent, long received,
			@Nullable AcquisitionOutcome response, @Nullable LockEngineException failure) {
		Decision decision = new Decision();
		boolean again = claim.requestEnded();
		if (claim.isOver()) {
			decision.releaseAfterResponse(claim);
			return decision;
		}
		if (response instanceof AcquisitionOutcome.Granted granted) {
			granted(claim, granted, sent, received, false, decision);
		}
		else if (failure != null) {
			this.queue.failed(claim, failure, decision);
		}
		else if (response != null) {
			this.queue.answered(claim, sent, response, again, decision);
		}
		if (this.queue.head() != null) {
			startWaiting(this.queue.head(), decision);
		}
		return decision;
	}

	/** The store sent a signal to a claim. */
	public synchronized Decision signalled(StoreClaim claim, Signal signal) {
		Decision decision = new Decision();
		if (claim.isOver()) {
			return decision;
		}
		if (signal instanceof Signal.Pushed pushed) {
			return granted(claim, pushed.grant(), claim.lastSent(), this.rules.now(), true, decision);
		}
		return claim.signalled() ? decision.request(claim, Duration.ZERO) : decision;
	}

	/** Grant the key to the head of the queue, unless the grant has already ended. */
	private Decision granted(StoreClaim claim, AcquisitionOutcome.Granted response, long sent, long now, boolean pushed,
			Decision decision) {
		if (claim.rejects(response, now)) {
			return this.queue.replace(claim, Duration.ZERO, decision);
		}
		Waiter waiter = this.queue.granted(claim, decision);
		this.holders.increment(claim.claim().access());
		Grant grant = new Grant(claim, response, sent, now);
		Hold hold = new Hold(grant, waiter, null, pushed, now);
		if (this.linger != null && this.linger.granted(grant, response)) {
			decision.rare().renewed = hold;
		}
		return this.queue.give(waiter, hold, decision);
	}

	/**
	 * Add a handle of a hold, unless the hold was lost or closed.
	 * @return the first handle, to be kept reachable, or {@code null}
	 */
	public synchronized @Nullable Object opened(Hold opened, Object handle, boolean bound) {
		return (opened.isLinked() && !opened.isClosed()) ? opened.addHandle(handle, bound) : null;
	}

	/**
	 * A handle of a hold is closed. With the last one the hold ends, after its minimum
	 * hold: its grant is parked, passed on or released.
	 */
	public synchronized Decision closed(Hold closing, long now) {
		Decision decision = new Decision();
		if (!closing.removeHandle()) {
			return decision;
		}
		boolean early = this.rules.minHoldRest(closing, now) > 0;
		if (closing.isLinked()) {
			closing.close();
			decision.closes = true;
			if (!early) {
				return leave(closing, now, decision);
			}
			decision.rare().leaving = closing;
			if (this.linger != null && this.linger.lingersNoLonger(closing.grant)) {
				// The store does not know that
				decision.rare().renewed = closing;
			}
		}
		else if (!early && closing.mayBeKept()) {
			closing.close();
			if (closing.grant.mayRelease(Duration.ZERO)) {
				decision.release(closing.grant.claim, Duration.ZERO);
			}
		}
		return decision;
	}

	/**
	 * The reason to keep a grant without an open hold has ended: its linger time, the
	 * minimum hold of its closed hold, or its first renewal.
	 */
	public synchronized Decision keepingEnded(Grant kept) {
		Decision decision = new Decision();
		if (this.linger != null && this.linger.lingers(kept)) {
			return free(kept, decision);
		}
		Hold hold = this.holders.of(kept);
		long now = this.rules.now();
		if (hold == null || !hold.isClosed()) {
			return decision;
		}
		if (hold.minHoldRest(now) > 0) {
			decision.rare().leaving = hold;
			return decision;
		}
		return leave(hold, now, decision);
	}

	/**
	 * Leave a closed hold: pass its grant on to the next waiter, or have its claim
	 * released. A grant with a short lease that is not fresh is extended first.
	 */
	private Decision leave(Hold closed, long now, Decision decision) {
		Waiter next = this.queue.head();
		if (this.queue.remote() != null || next == null && this.linger == null
				|| !this.rules.trusts(closed.grant.claim)) {
			return release(closed, decision);
		}
		Hold kept = (this.linger != null) ? this.linger.keep(closed, next, decision) : null;
		if (kept == null) {
			if (next == null || !this.rules.mayPass(closed, next, now)) {
				return release(closed, decision);
			}
			boolean awaited = closed.grant.awaitsFirstRenewal();
			if (!closed.grant.isFreshFor(Hold.leaseOf(next.options()), awaited, now)) {
				decision.rare().hurries = awaited;
				return awaited ? decision : release(closed, decision);
			}
			kept = new Hold(closed.grant, next, closed, closed.pushed, now);
		}
		this.holders.remove(closed);
		return (next != null) ? this.queue.give(next, kept, decision) : decision;
	}

	private Decision release(Hold closed, Decision decision) {
		this.holders.end(closed);
		if (!closed.grant.mayRelease(Duration.ZERO)) {
			return released(Duration.ZERO, decision);
		}
		decision.freed = closed;
		return decision;
	}

	/** The claim of a holder is released, or is being released. */
	public synchronized Decision released(Duration standBack) {
		return released(standBack, new Decision());
	}

	private Decision released(Duration standBack, Decision decision) {
		if (this.linger != null) {
			this.linger.released();
		}
		this.holders.decrement();
		return this.queue.proceed(standBack, decision);
	}

	/**
	 * A hold has expired, or its grant is no longer in force. If the grant was passed on,
	 * the hold that has it now is lost. The key becomes available at once. A hold whose
	 * work may continue is not lost after it was closed.
	 */
	public synchronized Decision lost(Hold held, LossCause cause) {
		Decision decision = new Decision();
		if (cause == LossCause.NOT_OWNER && this.linger != null) {
			this.linger.ended(held.grant, decision);
		}
		Decision.Loss loss = this.holders.lose(held, cause, this.rules, this.rules.now());
		if (loss == null) {
			return decision;
		}
		decision.rare().loss = loss;
		return released(Duration.ZERO, decision);
	}

	/**
	 * The renewal of a grant begins.
	 * @return the hold that has the grant, {@code null} if none has it any more
	 */
	public synchronized @Nullable Hold renewalBegan(Grant renewed) {
		if (this.linger != null) {
			this.linger.lingersNoLonger(renewed);
		}
		return this.holders.of(renewed);
	}

	/**
	 * Another process wants the key of a lingering grant, which is then released, or
	 * renewed and no longer lingers.
	 */
	public synchronized Decision recalled(Claim claim) {
		Decision decision = new Decision();
		Grant wanted = (this.linger != null) ? this.linger.recalled(claim, decision) : null;
		Hold held = (wanted != null) ? this.holders.of(wanted) : null;
		if (held != null) {
			decision.rare().renewed = held;
		}
		return decision;
	}

	/**
	 * Grants were revoked. One of them is rejected if it arrives later.
	 * @param numbers the grant numbers
	 * @param concerned whether a claim may have one of them
	 * @return the last hold of each of them, also of a parked one, to be marked as lost
	 */
	public synchronized List<Hold> revoked(Set<Long> numbers, Predicate<Claim> concerned) {
		StoreClaim pending = this.queue.remote();
		if (pending != null && concerned.test(pending.claim())) {
			numbers.forEach(pending::revoke);
		}
		List<Hold> last = this.holders.all();
		if (this.linger != null && this.linger.parked() != null) {
			last.add(this.linger.parked());
		}
		last.removeIf((hold) -> !numbers.contains(hold.grant.number) || !concerned.test(hold.grant.claim));
		return last;
	}

	/** Have a parked grant released; {@code null} stands for any. */
	private Decision free(@Nullable Grant parked, Decision decision) {
		if (this.linger != null) {
			this.linger.free(parked, decision);
		}
		return decision;
	}

}
