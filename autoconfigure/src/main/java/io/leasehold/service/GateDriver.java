package io.leasehold.service;

import java.lang.ref.WeakReference;
import java.time.Duration;

import io.leasehold.LockEngineException;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Subscription;
import io.leasehold.service.gate.Decision;
import io.leasehold.service.gate.Grant;
import io.leasehold.service.gate.Hold;
import io.leasehold.service.gate.KeyGate;
import io.leasehold.service.gate.NextRequest;
import io.leasehold.service.gate.StoreClaim;
import io.leasehold.service.gate.Waiter;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Executor of the decisions of gates. It sends the requests of their claims, passes the
 * responses to them, watches granted holds and wakes waiters. Thread-safe.
 *
 * @param returns executor of the releases of parked grants whose time is over
 */
record GateDriver(LockEngine engine, MonotonicClock clock, EngineThreads threads, ClaimCloser closer, Gates gates,
		Watchdog watchdog, StoreOutage outage, Returns returns) {

	private static final Log logger = LogFactory.getLog(GateDriver.class);

	/** Carry out a gate's decision. Call it outside the gate's monitor. */
	void carryOut(KeyGate gate, Decision decision) {
		try {
			treatGrants(gate, decision);
			StoreClaim requested = decision.requested();
			if (requested != null) {
				plan(gate, requested, decision.plan(), decision.delay());
			}
			Claim released = decision.released();
			if (released != null) {
				this.closer.closeAfter(released, decision.delay(), () -> false);
			}
			NextRequest ended = decision.ended();
			if (ended != null) {
				ended.stop();
			}
		}
		finally {
			finish(gate, decision);
		}
	}

	/** The end of a hold was moved. */
	void extended(KeyGate gate, Hold hold) {
		this.watchdog.endMoved(gate, hold);
	}

	/** Renew, release, or plan to release the grants of a gate. */
	private void treatGrants(KeyGate gate, Decision decision) {
		if (decision.hurries()) {
			this.watchdog.hurry();
		}
		Hold renewed = decision.renewed();
		if (renewed != null) {
			this.watchdog.extend(gate, renewed);
		}
		Hold freed = decision.freed();
		if (freed != null) {
			this.threads.releases().execute(() -> release(gate, freed, this.clock.nanoTime()));
		}
		Hold leaving = decision.leaving();
		if (leaving != null) {
			this.threads.schedule(() -> carryOut(gate, gate.keepingEnded(leaving.grant)),
					Duration.ofNanos(leaving.minHoldRest(this.clock.nanoTime())), this.threads.releases());
		}
		Grant parked = decision.parked();
		if (parked != null) {
			returnAfterLinger(gate, parked);
		}
	}

	/**
	 * Release the grant of a closed hold, and repeat that in the background if it fails.
	 * @param sent reading of the clock before this call
	 * @return the response of the store, {@code null} if it has not responded yet
	 */
	@Nullable ReleaseOutcome release(KeyGate gate, Hold hold, long sent) {
		Duration standBack = Duration.ZERO;
		boolean interrupted = Thread.interrupted();
		try {
			ReleaseOutcome outcome = this.engine.release(hold.grant.claim);
			if (outcome instanceof ReleaseOutcome.Released released) {
				this.outage.responded();
				standBack = released.standBack();
			}
			return outcome;
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Lock '%s' will be released in the background".formatted(hold.key()), ex);
			this.outage.failed(sent, ex);
			// If the repeated release is not of the owner, the first one may have freed
			// the key
			this.closer.close(hold.grant.claim);
			return null;
		}
		finally {
			carryOut(gate, gate.released(standBack));
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Plan the release of a grant that was just parked for the first time. The plan does
	 * not keep a grant that was released before.
	 */
	private void returnAfterLinger(KeyGate gate, Grant parked) {
		WeakReference<KeyGate> weakGate = new WeakReference<>(gate);
		WeakReference<Grant> weakGrant = new WeakReference<>(parked);
		this.threads.schedule(() -> {
			KeyGate parking = weakGate.get();
			Grant unused = weakGrant.get();
			if (parking != null && unused != null) {
				this.returns.execute(() -> returnUnwanted(parking, unused));
			}
		}, parked.mayLingerFor(this.clock.nanoTime()));
	}

	/** Release a parked grant in this thread, unless it was released in the meantime. */
	private void returnUnwanted(KeyGate gate, Grant parked) {
		Hold unused = gate.keepingEnded(parked).freed();
		if (unused != null) {
			release(gate, unused, this.clock.nanoTime());
		}
	}

	/**
	 * Remove an unused gate and wake waiters. Releases were submitted before, because a
	 * service without gates counts as idle.
	 */
	private void finish(KeyGate gate, Decision decision) {
		try {
			if (decision.removesGate()) {
				this.gates.remove(gate);
			}
		}
		finally {
			wake(gate, decision.woken());
		}
	}

	/** Watch granted holds and wake their waiters, even if the watchdog fails. */
	private void wake(KeyGate gate, @Nullable Waiter first) {
		Waiter waiter = first;
		while (waiter != null) {
			Waiter next = waiter.next();
			watch(gate, waiter);
			waiter = next;
		}
	}

	/** Watch the hold of a waiter, unless it is re-entered, and wake the waiter. */
	private void watch(KeyGate gate, Waiter waiter) {
		Hold hold = waiter.hold();
		try {
			if (hold != null && !hold.isOpened()) {
				this.watchdog.watch(gate, hold);
			}
		}
		finally {
			waiter.wake();
		}
	}

	/**
	 * Begin to receive recalls, without which no grant lingers. The next request tries
	 * again if that fails.
	 */
	void subscribeToRecalls() {
		try {
			this.engine.subscribeToRecalls();
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Engine '%s' failed to subscribe to recalls; locks do not linger".formatted(this.engine.name()),
					ex);
		}
	}

	private void plan(KeyGate gate, StoreClaim claim, int plan, Duration delay) {
		if (delay.isZero()) {
			this.threads.workers().execute(() -> request(gate, claim));
			return;
		}
		claim.next().planned(plan, this.threads.schedule(() -> request(gate, claim), delay, this.threads.workers()));
	}

	/** Request a claim in this thread, unless a request is in flight. */
	private void request(KeyGate gate, StoreClaim claim) {
		if (gate.begin(claim)) {
			claim.cancelTimer();
			send(gate, claim);
		}
	}

	/** Send the request of a claim that has begun, and return the decision about it. */
	Decision send(KeyGate gate, StoreClaim claim) {
		Claim requested = claim.claim();
		long sent = claim.hasResponse() ? this.clock.nanoTime() : requested.since();
		AcquisitionOutcome response = null;
		LockEngineException failure = null;
		long received = sent;
		try {
			response = this.engine.tryAcquire(requested);
			if (!(response instanceof AcquisitionOutcome.Contradicted)) {
				received = this.outage.responded();
			}
		}
		catch (RuntimeException | Error ex) {
			failure = failure(gate, claim, sent, ex);
		}
		Decision decision = gate.answered(claim, sent, received, response, failure);
		try {
			if (decision.listens()) {
				listen(gate, claim, requested);
			}
		}
		finally {
			carryOut(gate, decision);
		}
		return decision;
	}

	/** Return the failure of a request. If that fails, too, plan the next request. */
	private LockEngineException failure(KeyGate gate, StoreClaim claim, long sent, Throwable reason) {
		try {
			if (reason instanceof LockEngineException known) {
				this.outage.failed(sent, known);
				return known;
			}
			return new LockEngineException(claim.claim().key(),
					"Engine '%s' failed to acquire lock '%s'".formatted(this.engine.name(), claim.claim().key()),
					reason, false);
		}
		catch (RuntimeException | Error ex) {
			// Such as of a full stack
			carryOut(gate, gate.answered(claim, sent, sent, null,
					new LockEngineException(claim.claim().key(), String.valueOf(ex), ex)));
			throw ex;
		}
	}

	/**
	 * Subscribe a waiting claim to the store's signals. If that fails, the claim is
	 * polled, and the next response subscribes it again.
	 */
	private void listen(KeyGate gate, StoreClaim claim, Claim requested) {
		Subscription subscription = null;
		try {
			subscription = this.engine.subscribe(requested, (signal) -> carryOut(gate, gate.signalled(claim, signal)));
		}
		catch (LockEngineException ex) {
			// The next request reports a failure of the store that persists
			logger.debug("Lock '%s' is polled, because the store cannot be subscribed to".formatted(requested.key()),
					ex);
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Engine '%s' failed to subscribe to lock '%s'; polling".formatted(this.engine.name(),
					requested.key()), ex);
		}
		claim.next().subscribed(subscription);
	}

}
