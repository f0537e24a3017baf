package io.leasehold.service.gate;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

import io.leasehold.LockEngineException;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import org.jspecify.annotations.Nullable;

/**
 * Queue of the waiters of one key in this process, in the order of their arrival, and the
 * claim at the store for its head. A successor that needs the same claim inherits its
 * place in the store's queue. Guarded by the gate's monitor.
 */
final class KeyQueue {

	private final GateRules rules;

	private final Holders holders;

	private final @Nullable Linger linger;

	private @Nullable Waiter head;

	/** The claim that the store has not granted yet. */
	private @Nullable StoreClaim remote;

	KeyQueue(GateRules rules, Holders holders, @Nullable Linger linger) {
		this.rules = rules;
		this.holders = holders;
		this.linger = linger;
	}

	@Nullable Waiter head() {
		return this.head;
	}

	/** Return the callers that wait for the key. */
	List<Waiter> waiting() {
		return Link.all(this.head).stream().filter(Waiter::waited).toList();
	}

	/** Return the claim that the store has not granted yet, or {@code null}. */
	@Nullable StoreClaim remote() {
		return this.remote;
	}

	/** Return whether a waiter would be the first one and may have a claim. */
	boolean isFirst(Waiter waiter) {
		return this.head == null && isClaimableFor(waiter);
	}

	/** Append a waiter, and create the claim of the first one. */
	void add(Waiter waiter, boolean first, Decision decision) {
		waiter.awaitTurn(!first && !waiter.waits());
		this.head = Link.add(this.head, waiter);
		if (first) {
			StoreClaim claim = newClaim(waiter, waiter.start());
			if (waiter.thread() != null) {
				claim.begin();
			}
			this.remote = claim;
			decision.first = claim;
		}
	}

	/** Return why a waiter can be neither first nor queued, or {@code null}. */
	@Nullable RuntimeException refusal(Waiter waiter, boolean first) {
		if (this.holders.first() != null && waiter.access.contradicts(this.holders.access())) {
			return Refusals.contradiction(waiter.key(), waiter.access, this.holders.access(), this.rules.engine());
		}
		if (this.holders.exclude(waiter)) {
			return Refusals.suspended(waiter, this.rules.engine());
		}
		if (!first && !waiter.waits() && !hasTurn(waiter)) {
			return timeout(waiter, waiter.start(), null);
		}
		return this.rules.isDraining() ? Refusals.shutdown(waiter.key()) : null;
	}

	/**
	 * Return whether a caller with zero wait time may send a request after the waiters
	 * before it: all are compatible, and the store has not responded to the claim yet. A
	 * parked grant is released for the first waiter, if that has not begun before.
	 */
	private boolean hasTurn(Waiter waiter) {
		if (this.linger != null && this.linger.returns() && this.head == null) {
			return true;
		}
		int count = this.holders.count();
		boolean compatible = this.remote != null && !this.remote.hasResponse()
				&& (count == 0 || waiter.access.equals(this.holders.access()));
		for (Waiter before = this.head; compatible && before != null; before = before.next) {
			compatible = waiter.access.equals(before.access);
			count++;
		}
		return compatible && waiter.access.joins(waiter.access, count);
	}

	private RuntimeException timeout(Waiter waiter, long now, @Nullable LockEngineException failure) {
		return Refusals.timeout(waiter, this.rules.engine(), now, failure, this.holders.ofCaller(waiter));
	}

	/** Create the exception for a waiter whose wait time is over. */
	RuntimeException timeout(Waiter waiter) {
		long now = this.rules.now();
		long end = now - Math.max(0, now - waiter.deadline());
		return timeout(waiter, now, (this.remote != null)
				? this.remote.failureSince(waiter.start(), end, this.rules.storeSilent.test(waiter.start())) : null);
	}

	Decision fail(Waiter waiter, RuntimeException reason, Decision decision) {
		remove(waiter, reason, decision);
		return headMayHaveChanged(decision);
	}

	Decision failAll(LockEngineException reason, Decision decision) {
		return failEach((waiter) -> new LockEngineException(waiter.key(), String.valueOf(reason.getMessage()), reason,
				reason.isRetryable()), decision);
	}

	/** Fail the waiters for which the function returns an exception. */
	private Decision failEach(Function<Waiter, @Nullable RuntimeException> failure, Decision decision) {
		for (Waiter waiter : Link.all(this.head)) {
			RuntimeException reason = failure.apply(waiter);
			if (reason != null) {
				remove(waiter, reason, decision);
			}
		}
		return headMayHaveChanged(decision);
	}

	private void remove(Waiter waiter, RuntimeException reason, Decision decision) {
		this.head = Link.remove(this.head, waiter);
		waiter.fail(reason);
		decision.wake(waiter);
	}

	/**
	 * End the claim, which the store granted.
	 * @return the first waiter, to which the grant must be handed
	 */
	Waiter granted(StoreClaim claim, Decision decision) {
		claim.end();
		this.remote = null;
		decision.end(claim);
		return Objects.requireNonNull(this.head);
	}

	/** Hand a grant to a waiter, and request the key for the next one. */
	Decision give(Waiter waiter, Hold hold, Decision decision) {
		this.head = Link.remove(this.head, waiter);
		this.holders.add(hold);
		waiter.succeed(hold);
		return proceed(Duration.ZERO, decision.wake(waiter));
	}

	/** Process a response that is no grant. */
	void answered(StoreClaim claim, long sent, AcquisitionOutcome response, boolean again, Decision decision) {
		if (response instanceof AcquisitionOutcome.Contradicted contradicted) {
			Access wanted = claim.claim().access();
			failEach((waiter) -> waiter.access.equals(wanted)
					? Refusals.contradiction(waiter.key(), wanted, contradicted.held(), this.rules.engine()) : null,
					decision);
		}
		else if (response instanceof AcquisitionOutcome.Busy busy) {
			busy(claim, sent, busy, again, decision);
		}
	}

	private void busy(StoreClaim claim, long sent, AcquisitionOutcome.Busy busy, boolean again, Decision decision) {
		if (this.linger != null && !claim.hasResponse()) {
			this.linger.busy(claim.claim());
		}
		claim.busy(sent);
		Waiter first = this.head;
		Duration retryIn = (busy.recalled() && first != null) ? claim.retryAfterRecall(this.rules.now() - first.start())
				: null;
		if (retryIn != null) {
			Link.all(this.head).forEach((waiter) -> waiter.awaitTurn(!waiter.waits()));
			replace(claim, retryIn, decision);
		}
		else if (endAttempts(claim, null, decision)) {
			if (claim.next().subscribe()) {
				decision.rare().listens = true;
			}
			decision.request(claim, again ? Duration.ZERO : busy.retryIn());
		}
	}

	/** Process the failure of a request. */
	void failed(StoreClaim claim, LockEngineException failure, Decision decision) {
		claim.failed(failure);
		if (!failure.isRetryable()) {
			failAll(failure, decision);
		}
		else if (endAttempts(claim, failure, decision)) {
			decision.request(claim, claim.backoff(this.rules.random));
		}
	}

	/**
	 * Fail the callers with zero wait time once the first request has ended.
	 * @return whether the claim waits and is not over
	 */
	private boolean endAttempts(StoreClaim claim, @Nullable LockEngineException failure, Decision decision) {
		if (claim.respondedFirst()) {
			long now = this.rules.now();
			failEach((waiter) -> waiter.waits() ? null
					: Refusals.timeout(waiter, this.rules.engine(), now, failure, null), decision);
		}
		return claim.claim().waits() && !claim.isOver();
	}

	/**
	 * Create a claim for the head of the queue if it is compatible with the holders here,
	 * or put the gate out of use if it has neither waiters nor holders.
	 */
	Decision proceed(Duration standBack, Decision decision) {
		Waiter next = this.head;
		if (next != null && isClaimableFor(next)) {
			this.remote = newClaim(next, this.rules.now());
			decision.request(this.remote, standBack);
		}
		else if (next == null && this.holders.retire()) {
			decision.removes = true;
		}
		return decision;
	}

	/**
	 * Return whether the store may receive a claim for a waiter. The waiter must be
	 * compatible with the holders here, or wait with an access to which no holder can
	 * pass its grant: it then needs a place in the store's queue.
	 */
	private boolean isClaimableFor(Waiter waiter) {
		return this.remote == null && (this.holders.accept(waiter.access)
				|| waiter.waits() && !waiter.access.equals(this.holders.access()));
	}

	private StoreClaim newClaim(Waiter waiter, long since) {
		return (this.linger != null) ? this.linger.newClaim(waiter, since, this.holders.first() != null)
				: new StoreClaim(new Claim(waiter.key(), this.rules.newOwner(waiter), this.rules.terms(waiter),
						waiter.waits(), since, false));
	}

	/** Keep the claim if the head of the queue needs the same one, else replace it. */
	private Decision headMayHaveChanged(Decision decision) {
		Waiter next = this.head;
		StoreClaim claim = this.remote;
		if (claim == null) {
			return proceed(Duration.ZERO, decision);
		}
		boolean keeps = next != null && this.rules.mayInherit(next, claim);
		return keeps ? decision : replace(claim, Duration.ZERO, decision);
	}

	/** Give the claim up, and request the key for the head of the queue by a new one. */
	Decision replace(StoreClaim claim, Duration after, Decision decision) {
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

}
