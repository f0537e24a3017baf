package io.leasehold.service.gate;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.function.Function;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * Waiters of one key in this process, in the order of their arrival, and the claim at the
 * store for the head of the queue. Responses, signals and timers advance the claim. A
 * successor that needs the same claim inherits its place in the store's queue. Public for
 * the same reason as {@link KeyHolds}.
 */
public abstract class KeyQueue extends KeyHolds {

	private @Nullable Waiter head;

	private @Nullable StoreClaim remote;

	KeyQueue(LockKey key, GateRules rules) {
		super(key, rules);
	}

	/** Return why the store has not decided about a waiter, {@code null} if busy. */
	public synchronized @Nullable LockEngineException failureFor(Waiter waiter, boolean storeSilent) {
		long end = now() - Math.max(0, now() - waiter.deadline());
		return (this.remote != null) ? this.remote.failureSince(waiter.start(), end, storeSilent) : null;
	}

	/** Return the claim that the store has not granted yet, or {@code null}. */
	public synchronized @Nullable StoreClaim remote() {
		return this.remote;
	}

	/**
	 * Return whether the store may receive a claim for a waiter. The waiter must be
	 * compatible with the holders here, or wait with an access to which no holder can
	 * pass its grant: it then needs a place in the store's queue.
	 */
	final boolean isClaimableFor(Waiter waiter) {
		return this.remote == null && (accepts(waiter.access) || waiter.waits() && !waiter.access.equals(access()));
	}

	/** End a caller's wait, unless it already has a result. */
	public synchronized Actions giveUp(Waiter waiter, RuntimeException reason) {
		if (waiter.hasEnded()) {
			return Action.NONE;
		}
		Decision decision = new Decision();
		fail(waiter, reason, decision);
		return headMayHaveChanged(decision);
	}

	public synchronized Actions refuse(LockEngineException reason) {
		return failAll(reason, new Decision());
	}

	private Decision failAll(LockEngineException reason, Decision decision) {
		return failEach((waiter) -> new LockEngineException(this.key, String.valueOf(reason.getMessage()), reason,
				reason.isRetryable()), decision);
	}

	/** Fail the waiters for which the function returns an exception. */
	private Decision failEach(Function<Waiter, @Nullable RuntimeException> failure, Decision decision) {
		Link.forEach(this.head, (waiter) -> {
			RuntimeException reason = failure.apply(waiter);
			if (reason != null) {
				fail(waiter, reason, decision);
			}
		});
		return headMayHaveChanged(decision);
	}

	private void fail(Waiter waiter, RuntimeException reason, Decision decision) {
		this.head = Link.remove(this.head, waiter);
		waiter.fail(reason);
		decision.wake(waiter);
	}

	final RuntimeException contradiction(Access wanted, Access held) {
		return Refusals.contradiction(this.key, wanted, held, this.rules.engine());
	}

	/**
	 * Begin a request for the claim. If a request is in flight, it is repeated later.
	 * @return the claim to request, {@code null} if it is over or requested already
	 */
	public synchronized @Nullable Claim begin(StoreClaim claim) {
		return claim.begin() ? claim.claim() : null;
	}

	public synchronized Actions responded(StoreClaim claim, Claim requested, long sent, AcquisitionOutcome response) {
		boolean again = claim.requestEnded();
		if (response instanceof AcquisitionOutcome.Granted granted && !claim.isOver()) {
			return granted(claim, granted, sent, false);
		}
		Decision decision = new Decision();
		if (claim.isOver()) {
			decision.releaseAfterResponse(claim);
		}
		else if (response instanceof AcquisitionOutcome.Contradicted contradicted) {
			failEach((waiter) -> waiter.access.equals(requested.access())
					? contradiction(requested.access(), contradicted.held()) : null, decision);
		}
		else if (response instanceof AcquisitionOutcome.Busy busy) {
			claim.busy(sent);
			Waiter first = this.head;
			Duration retryIn = (busy.recalled() && first != null) ? claim.retryAfterRecall(now() - first.start())
					: null;
			if (retryIn != null) {
				Link.forEach(this.head, (waiter) -> waiter.awaitTurn(!waiter.waits()));
				replace(claim, retryIn, decision);
			}
			else if (endAttempts(claim, null, decision)) {
				if (requested.waits() && claim.startListening()) {
					decision.listen();
				}
				decision.request(claim, again ? Duration.ZERO : busy.retryIn());
			}
		}
		return decision;
	}

	public synchronized Actions noResponse(StoreClaim claim, LockEngineException failure) {
		Decision decision = new Decision();
		claim.requestEnded();
		if (claim.isOver()) {
			decision.releaseAfterResponse(claim);
		}
		else {
			claim.failed(failure);
			if (!failure.isRetryable()) {
				failAll(failure, decision);
			}
			else if (endAttempts(claim, failure, decision)) {
				decision.request(claim, claim.backoff(this.rules.random));
			}
		}
		return decision;
	}

	/**
	 * Fail the callers with zero wait time once the first request has ended.
	 * @return whether the claim waits and is not over
	 */
	private boolean endAttempts(StoreClaim claim, @Nullable LockEngineException failure, Decision decision) {
		boolean waits = claim.claim().waits();
		if (claim.respondedFirst()) {
			long now = now();
			failEach((waiter) -> waiter.waits() ? null
					: Refusals.timeout(waiter, this.rules.engine(), now, failure, null), decision);
		}
		return waits && !claim.isOver();
	}

	public synchronized Actions signalled(StoreClaim claim, Signal signal) {
		if (claim.isOver()) {
			return Action.NONE;
		}
		if (signal instanceof Signal.Pushed pushed) {
			return granted(claim, pushed.grant(), claim.lastSent(), true);
		}
		return claim.signalled() ? new Decision().request(claim, Duration.ZERO) : Action.NONE;
	}

	/**
	 * Store the subscription of a claim.
	 * @param listener the subscription, {@code null} if there is none
	 * @return whether the subscription stays open
	 */
	public synchronized boolean listening(StoreClaim claim, @Nullable Subscription listener) {
		return claim.listen(listener);
	}

	/**
	 * Store the timer of a planned request.
	 * @return the timer to cancel, or {@code null}
	 */
	public synchronized @Nullable Future<?> planned(StoreClaim claim, int plan, Future<?> timer) {
		return claim.planned(plan, timer);
	}

	/** Grant the key to the head of the queue, unless the grant has already ended. */
	private Actions granted(StoreClaim claim, AcquisitionOutcome.Granted response, long sent, boolean pushed) {
		long now = now();
		if (claim.rejects(response, now)) {
			return replace(claim, Duration.ZERO, new Decision());
		}
		claim.end();
		this.remote = null;
		addHolder(claim.claim().access());
		Grant grant = new Grant(claim, response, sent, now);
		boolean renews = received(grant, response);
		Waiter waiter = Objects.requireNonNull(this.head);
		give(waiter, new Hold(grant, waiter, null, pushed, now));
		if (!renews && !claim.hasResources()) {
			return waking(waiter);
		}
		Decision decision = new Decision().wake(waiter);
		decision.end(claim);
		if (renews) {
			decision.renew();
		}
		return proceed(Duration.ZERO, decision);
	}

	/**
	 * Process a new grant before it is handed to a waiter.
	 * @return whether it must be renewed at once
	 */
	boolean received(Grant grant, AcquisitionOutcome.Granted response) {
		return false;
	}

	/** Create the claim of a waiter. */
	StoreClaim newClaim(Waiter waiter, long since) {
		return this.rules.newClaim(waiter, since);
	}

	/** Hand a grant to a waiter, which then has to be woken. */
	final void give(Waiter waiter, Hold hold) {
		this.head = Link.remove(this.head, waiter);
		add(hold);
		waiter.succeed(hold);
	}

	/** Decide to wake a waiter that has a hold of this key, and proceed. */
	final Actions waking(Waiter waiter) {
		return (this.head != null) ? proceed(Duration.ZERO, new Decision().wake(waiter)) : waiter;
	}

	/**
	 * Create a claim for the head of the queue if it is compatible with the holders here,
	 * or have the gate removed if it has neither waiters nor holders.
	 */
	final Decision proceed(Duration standBack, Decision decision) {
		Waiter next = this.head;
		if (next != null && isClaimableFor(next)) {
			StoreClaim claim = newClaim(next, now());
			this.remote = claim;
			decision.request(claim, standBack);
		}
		else if (retires()) {
			decision.remove();
		}
		return decision;
	}

	/** Put the gate out of use if it has neither waiters nor holders. */
	final boolean retires() {
		return this.head == null && retire();
	}

	/** Keep the claim if the head of the queue needs the same one, else replace it. */
	private Decision headMayHaveChanged(Decision decision) {
		Waiter next = this.head;
		StoreClaim claim = this.remote;
		if (claim == null) {
			return proceed(Duration.ZERO, decision);
		}
		boolean keeps = next != null && mayHave(next, claim);
		return keeps ? decision : replace(claim, Duration.ZERO, decision);
	}

	/** Give the claim up, and request the key for the head of the queue by a new one. */
	private Decision replace(StoreClaim claim, Duration after, Decision decision) {
		this.remote = null;
		if (claim.abandon()) {
			decision.release(claim.claim(), Duration.ZERO);
		}
		decision.end(claim);
		proceed(after, decision);
		if (this.remote != null) {
			this.remote.follow(claim);
		}
		return decision;
	}

	/**
	 * Return whether a claim may be granted to a waiter. One that does not wait is not
	 * requested again after its response. The store may already have granted a shared
	 * one, with a token less than that of a younger grant that has ended: it must not go
	 * to a waiter that came after its last request.
	 */
	private boolean mayHave(Waiter next, StoreClaim claim) {
		return (claim.claim().waits() || !claim.hasResponse()) && this.rules.needsSame(next, claim.claim())
				&& (claim.claim().access().limit() == 1 || claim.lastSent() - next.start() >= 0);
	}

	final @Nullable Waiter head() {
		return this.head;
	}

	final void enqueue(Waiter waiter) {
		this.head = Link.add(this.head, waiter);
	}

	/** Create the claim of a waiter that sends the first request itself. */
	final void claimFor(Waiter waiter) {
		this.remote = newClaim(waiter, waiter.start());
	}

}
