package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.leasehold.LockEngineException;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.engine.Capability;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.event.RenewalResult;
import io.leasehold.service.gate.Action;
import io.leasehold.service.gate.Actions;
import io.leasehold.service.gate.Grant;
import io.leasehold.service.gate.Hold;
import io.leasehold.service.gate.KeyGate;
import io.leasehold.service.renewal.RenewalListener;
import org.jspecify.annotations.Nullable;

/**
 * Lifecycle of holds after their acquisition: valid, closed, passed on or lost.
 */
final class Holds implements RenewalListener {

	private final LockEngine engine;

	private final String name;

	private final boolean storeKeepsMinHold;

	private final MonotonicClock clock;

	private final EngineThreads threads;

	private final Events events;

	private final HoldReports reports;

	private final ClaimCloser closer;

	private final Releases releases;

	private final Gates gates;

	private final GateDriver driver;

	private final StoreOutage outage;

	private final boolean throwsOnLoss;

	private final long slowNanos;

	Holds(LockEngine engine, MonotonicClock clock, EngineThreads threads, Events events, ClaimCloser closer,
			Gates gates, GateDriver driver, StoreOutage outage, ServiceSettings settings) {
		this.engine = engine;
		this.name = engine.name();
		this.storeKeepsMinHold = engine.capabilities().contains(Capability.MIN_HOLD);
		this.clock = clock;
		this.threads = threads;
		this.events = events;
		this.reports = new HoldReports(this.name, threads, events);
		this.closer = closer;
		this.releases = new Releases(engine, clock, threads, closer, driver, outage);
		this.gates = gates;
		this.driver = driver;
		this.outage = outage;
		this.throwsOnLoss = settings.onLost() != OnLost.WARN;
		this.slowNanos = settings.slowHold().toNanos();
	}

	String engine() {
		return this.name;
	}

	@Nullable String unfenceable(Hold hold) {
		return EngineForms.unfenceable(hold.options, this.engine);
	}

	Releases releases() {
		return this.releases;
	}

	boolean isValid(KeyGate gate, Hold hold) {
		return isValid(gate, hold, now());
	}

	/** Return whether a hold is valid, and mark it as lost if it has expired. */
	boolean isValid(KeyGate gate, Hold hold, long now) {
		if (hold.lossCause() != null) {
			return false;
		}
		if (hold.isValid(now)) {
			return true;
		}
		lose(gate, hold, hold.isRenewable(now) ? LossCause.EXPIRED : LossCause.MAX_HOLD);
		return false;
	}

	private boolean isInDoubt(Hold hold) {
		return this.engine.inDoubt(hold.grant.claim);
	}

	/** Return whether a hold is valid and not in doubt. */
	boolean isBeyondDoubt(KeyGate gate, Hold hold) {
		return isValid(gate, hold) && !isInDoubt(hold);
	}

	Duration remaining(KeyGate gate, Hold hold) {
		return isValid(gate, hold) ? Duration.ofNanos(hold.remaining(now())) : Duration.ZERO;
	}

	void onLost(KeyGate gate, Hold hold, Consumer<LockLostException> action) {
		if (gate.onLost(hold, action)) {
			this.reports.runLossAction(hold, action);
		}
	}

	/** Throw an exception if the hold was lost, has expired or is in doubt. */
	void requireValid(KeyGate gate, Hold hold) {
		boolean valid = isValid(gate, hold);
		throwIfLost(hold);
		if (valid && isInDoubt(hold)) {
			throw new LockEngineException(hold.key(),
					"Lock '%s' is in doubt: the connection to its store is broken or its session has ended (engine: %s)"
						.formatted(hold.key(), this.name),
					null);
		}
	}

	/** Throw an exception at the end of a lost hold, if configured. */
	void throwIfLostAtEnd(Hold hold) {
		if (this.throwsOnLoss) {
			throwIfLost(hold);
		}
	}

	private void throwIfLost(Hold hold) {
		LossCause cause = hold.lossCause();
		if (cause != null) {
			throw this.reports.exception(hold, cause);
		}
	}

	private void checkSlow(KeyGate gate, Hold hold, long now) {
		long nanos = now - hold.since;
		if (nanos >= this.slowNanos && gate.reportsSlow(hold)) {
			this.reports.slow(hold, nanos);
		}
	}

	/** Close a handle, and end the hold if it was the last one. */
	void close(KeyGate gate, Hold hold) {
		long now = now();
		isValid(gate, hold, now);
		checkSlow(gate, hold, now);
		if (!gate.close(hold)) {
			releaseAfterLoss(gate, hold);
			return;
		}
		long rest = this.storeKeepsMinHold ? 0 : hold.minHoldRest(now);
		if (rest > 0) {
			this.threads.schedule(() -> leave(gate, hold), Duration.ofNanos(rest), this.threads.releases());
		}
		else if (leave(gate, hold, now) instanceof ReleaseOutcome.NotOwner) {
			hold.lose(LossCause.NOT_OWNER);
			this.reports.lostAtRelease(hold, now());
		}
		this.reports.closed(hold, now);
	}

	/** Release a lost hold's key before its lease ends, once no work runs under it. */
	private void releaseAfterLoss(KeyGate gate, Hold hold) {
		if (isMinHoldOver(hold, now()) && gate.leaveAfterLoss(hold)) {
			this.closer.close(hold.grant.claim);
		}
	}

	/** Lose a hold, or the one that now has its grant, if that is no longer in force. */
	void lose(KeyGate gate, Hold hold, LossCause cause) {
		lost(gate, hold, cause, gate.lose(hold, cause));
	}

	/** Lose a hold whose work, or commit, may continue. */
	void loseUnlessReleased(KeyGate gate, Hold hold, LossCause cause) {
		lost(gate, hold, cause, gate.loseUnlessClosed(hold, cause));
	}

	private void lost(KeyGate gate, Hold hold, LossCause cause, KeyGate.@Nullable Loss loss) {
		if (loss == null) {
			return;
		}
		Hold lost = loss.hold();
		Duration rest = loss.rest();
		if (rest != null) {
			this.closer.closeAfter(lost.grant.claim, rest, () -> loss.used() && lost.isClosed());
		}
		this.driver.carryOut(gate, loss.actions());
		if (loss.used()) {
			loss.lossActions().forEach((action) -> this.reports.runLossAction(lost, action));
			this.reports.lost(lost, cause, now());
		}
		else if (cause == LossCause.NOT_OWNER && lost.isOpened() && isMinHoldOver(lost, now())) {
			// Closed, but its release was not sent, which would have detected the loss
			this.reports.lostAfterClosing(lost, now());
		}
	}

	/** Return whether this process does not keep a closed hold for its minimum hold. */
	private boolean isMinHoldOver(Hold hold, long now) {
		return this.storeKeepsMinHold || hold.minHoldRest(now) <= 0;
	}

	/** Mark all holds of a key as lost. Their leases expire. */
	void loseAll(KeyGate gate) {
		gate.holds().forEach((hold) -> lose(gate, hold, LossCause.SHUTDOWN));
	}

	@Override
	public boolean isHeld(KeyGate gate, Hold hold, long now) {
		if (gate.isAbandoned(hold)) {
			lose(gate, hold, LossCause.ABANDONED);
		}
		boolean held = isValid(gate, hold);
		if (held) {
			checkSlow(gate, hold, now);
		}
		return held;
	}

	@Override
	public void notOwner(KeyGate gate, Hold hold) {
		lose(gate, hold, LossCause.NOT_OWNER);
	}

	@Override
	public void firstRenewalEnded(KeyGate gate, Grant grant) {
		long now = now();
		Hold hold = gate.firstRenewalEnded(grant);
		if (hold != null && hold.minHoldRest(now) <= 0) {
			Actions actions = gate.leave(hold, mayPass(hold), now);
			this.driver.carryOut(gate, actions);
			if (actions == Action.RELEASE) {
				this.releases.releaseLater(gate, hold);
			}
		}
	}

	@Override
	public void renewed(List<LockEvent.LeaseRenewed> renewals) {
		LockEvent.LeaseRenewed first = renewals.get(0);
		if (renewals.stream().anyMatch((renewal) -> renewal.outcome() != RenewalResult.UNKNOWN)) {
			this.outage.responded();
		}
		else {
			this.outage.failed(now() - first.took().toNanos(), first.failure());
		}
		this.events.publishRenewals(renewals);
	}

	private void leave(KeyGate gate, Hold hold) {
		leave(gate, hold, now());
	}

	/** Pass the grant on or release it; return the store's response, if any. */
	private @Nullable ReleaseOutcome leave(KeyGate gate, Hold hold, long now) {
		Actions actions = gate.leave(hold, mayPass(hold), now);
		if (actions == Action.RELEASE) {
			return this.releases.release(gate, hold);
		}
		if (actions == Action.PARKED) {
			this.releases.returnAfterLinger(gate, hold.grant);
		}
		this.driver.carryOut(gate, actions);
		if (this.gates.isDraining()) {
			this.releases.returnParked(gate, null);
		}
		return null;
	}

	private boolean mayPass(Hold hold) {
		return !this.gates.isDraining() && !isInDoubt(hold);
	}

	private long now() {
		return this.clock.nanoTime();
	}

}
