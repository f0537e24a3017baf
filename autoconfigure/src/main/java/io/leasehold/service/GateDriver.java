package io.leasehold.service;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Future;

import io.leasehold.LockEngineException;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Subscription;
import io.leasehold.service.gate.Action;
import io.leasehold.service.gate.Actions;
import io.leasehold.service.gate.Hold;
import io.leasehold.service.gate.KeyGate;
import io.leasehold.service.gate.StoreClaim;
import io.leasehold.service.gate.Waiter;
import io.leasehold.service.renewal.Watchdog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Executor of the decisions of gates. It sends the requests of their claims, passes the
 * responses to them, watches granted holds and wakes waiters. Thread-safe.
 */
final class GateDriver {

	private static final Log logger = LogFactory.getLog(GateDriver.class);

	private final LockEngine engine;

	private final MonotonicClock clock;

	private final EngineThreads threads;

	private final ClaimCloser closer;

	private final Gates gates;

	private final Watchdog watchdog;

	private final StoreOutage outage;

	GateDriver(LockEngine engine, MonotonicClock clock, EngineThreads threads, ClaimCloser closer, Gates gates,
			Watchdog watchdog, StoreOutage outage) {
		this.engine = engine;
		this.clock = clock;
		this.threads = threads;
		this.closer = closer;
		this.gates = gates;
		this.watchdog = watchdog;
		this.outage = outage;
	}

	/** Carry out a gate's decision. Call it outside the gate's monitor. */
	void carryOut(KeyGate gate, Actions actions) {
		if (actions == Action.NONE) {
			return;
		}
		try {
			if (actions == Action.EXTEND) {
				this.watchdog.hurry();
			}
			Hold renewed = actions.renewed();
			if (renewed != null) {
				extend(gate, renewed);
			}
			StoreClaim requested = actions.requested();
			if (requested != null) {
				plan(gate, requested, actions.plan(), actions.delay());
			}
			Claim released = actions.released();
			if (released != null) {
				this.closer.closeAfter(released, actions.delay());
			}
			StoreClaim ended = actions.ended();
			if (ended != null) {
				ended.stop();
			}
		}
		finally {
			finish(gate, actions);
		}
	}

	/**
	 * Remove an unused gate and wake waiters. Releases were submitted before, because a
	 * service without gates counts as idle.
	 */
	private void finish(KeyGate gate, Actions actions) {
		try {
			if (actions.removesGate()) {
				this.gates.remove(gate);
			}
		}
		finally {
			wake(gate, actions.woken());
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

	/** Watch the hold of a waiter, if it has one, and wake the waiter. */
	void watch(KeyGate gate, Waiter waiter) {
		Hold hold = waiter.hold();
		try {
			if (hold != null) {
				this.watchdog.watch(gate, hold);
			}
		}
		finally {
			waiter.wake();
		}
	}

	/** Renew the grant of a hold soon. */
	void extend(KeyGate gate, Hold hold) {
		this.watchdog.extend(gate, hold);
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
		Future<?> timer = this.threads.schedule(() -> request(gate, claim), delay, this.threads.workers());
		Future<?> obsolete = gate.planned(claim, plan, timer);
		if (obsolete != null) {
			obsolete.cancel(false);
		}
	}

	/** Send one request in this thread, unless one is in flight. */
	void request(KeyGate gate, StoreClaim claim) {
		Claim requested = gate.begin(claim);
		if (requested == null) {
			return;
		}
		claim.cancelTimer();
		long sent = claim.hasResponse() ? this.clock.nanoTime() : requested.since();
		AcquisitionOutcome response = null;
		LockEngineException failure = null;
		try {
			response = this.engine.tryAcquire(requested);
			this.outage.responded();
		}
		catch (LockEngineException ex) {
			this.outage.failed(sent, ex);
			failure = ex;
		}
		catch (RuntimeException | Error ex) {
			failure = new LockEngineException(requested.key(),
					"Engine '%s' failed to acquire lock '%s'".formatted(this.engine.name(), requested.key()), ex,
					false);
		}
		Actions actions = (response != null) ? gate.responded(claim, requested, sent, response)
				: gate.noResponse(claim, Objects.requireNonNull(failure));
		try {
			if (actions.listens()) {
				listen(gate, claim, requested);
			}
		}
		finally {
			carryOut(gate, actions);
		}
	}

	/**
	 * Subscribe a waiting claim to the store's signals. If that fails, the claim is
	 * polled, and the next response subscribes it again.
	 */
	private void listen(KeyGate gate, StoreClaim claim, Claim requested) {
		Subscription listener = null;
		try {
			listener = this.engine.subscribe(requested, (signal) -> carryOut(gate, gate.signalled(claim, signal)));
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
		if (!gate.listening(claim, listener) && listener != null) {
			listener.close();
		}
	}

}
