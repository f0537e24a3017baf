package io.leasehold.service;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.leasehold.LockEngineException;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.engine.LockEngine;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.event.LockEvent;
import io.leasehold.event.RenewalResult;
import io.leasehold.service.gate.Decision;
import io.leasehold.service.gate.Grant;
import io.leasehold.service.gate.Hold;
import io.leasehold.service.gate.KeyGate;
import io.leasehold.service.gate.KeyState;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Lifecycle of holds after their acquisition: valid, closed, passed on or lost.
 */
final class Holds implements Watchdog.Listener {

	private final LockEngine engine;

	private final String name;

	private final MonotonicClock clock;

	private final Events events;

	private final Reports reports;

	private final ClaimCloser closer;

	private final GateDriver driver;

	private final StoreOutage outage;

	private final boolean throwsOnLoss;

	private final long slowNanos;

	final ReleaseTiming timing;

	private volatile boolean stopping;

	Holds(LockEngine engine, MonotonicClock clock, Events events, Reports reports, ClaimCloser closer,
			GateDriver driver, StoreOutage outage, ServiceSettings settings, ReleaseTiming timing) {
		this.engine = engine;
		this.name = engine.name();
		this.clock = clock;
		this.events = events;
		this.reports = reports;
		this.closer = closer;
		this.driver = driver;
		this.outage = outage;
		this.throwsOnLoss = settings.onLost() != OnLost.WARN;
		this.slowNanos = settings.slowHold().toNanos();
		this.timing = timing;
	}

	String engine() {
		return this.name;
	}

	@Nullable String unfenceable(Hold hold) {
		return EngineForms.unfenceable(hold.options, this.engine);
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

	/** Move the ends of a hold's maximum hold time and minimum hold, from now. */
	void extend(KeyGate gate, Hold hold, Duration maxHold, Duration minHold) {
		Assert.state(!hold.options.endless(),
				() -> "Lock '%s' has no end that could be moved: it is held for a term".formatted(hold.key()));
		EngineForms.check(hold.options.toBuilder().minHold(minHold).maxHold(maxHold).build(), this.engine);
		long now = now();
		Duration rest = Duration.ofNanos(hold.minHoldRest(now));
		if (maxHold.compareTo(rest) < 0) {
			throw new IllegalArgumentException(
					"maxHold %s ends before the minimum hold of lock '%s', which lasts %s more".formatted(maxHold,
							hold.key(), rest));
		}
		isValid(gate, hold, now);
		throwIfLost(hold);
		hold.extend(maxHold, minHold, now);
		this.driver.extended(gate, hold);
		throwIfLost(hold);
	}

	/** Set whether the application is shutting down. */
	void stopping(boolean stops) {
		this.stopping = stops;
	}

	boolean isStopping() {
		return this.stopping;
	}

	void onLost(Hold hold, Object handle, Consumer<LockLostException> action) {
		if (hold.onLost(handle, action)) {
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

	private void checkSlow(Hold hold, long now) {
		long nanos = now - hold.since;
		if (nanos >= this.slowNanos && !hold.options.endless() && hold.lossCause() == null && hold.reportsSlow()) {
			this.reports.slow(hold, nanos);
		}
	}

	/** Close a handle, and end the hold if it was the last one. */
	void close(KeyGate gate, Hold hold) {
		long now = now();
		isValid(gate, hold, now);
		checkSlow(hold, now);
		Decision decision = gate.closed(hold, now);
		if (decision.freed() == null) {
			this.driver.carryOut(gate, decision);
		}
		else if (this.driver.release(gate, hold, now) instanceof ReleaseOutcome.NotOwner) {
			hold.lose(LossCause.NOT_OWNER);
			this.reports.lostAtRelease(hold, now());
		}
		if (decision.closes()) {
			this.reports.closed(hold, now);
		}
	}

	/** Close a handle, and end the hold in another thread if it was the last one. */
	void leave(KeyGate gate, Hold hold) {
		long now = now();
		isValid(gate, hold, now);
		Decision decision = gate.closed(hold, now);
		this.driver.carryOut(gate, decision);
		if (decision.closes()) {
			this.reports.closed(hold, now);
		}
	}

	/** Lose a hold, or the one that now has its grant, if that is no longer in force. */
	void lose(KeyGate gate, Hold hold, LossCause cause) {
		Decision decision = gate.lost(hold, cause);
		Decision.Loss loss = decision.loss();
		if (loss != null && loss.rest() != null) {
			this.closer.closeAfter(loss.hold().grant.claim, loss.rest(), () -> loss.used() && loss.hold().isClosed());
		}
		this.driver.carryOut(gate, decision);
		if (loss != null && loss.used()) {
			loss.actions().forEach((action) -> this.reports.runLossAction(loss.hold(), action));
			this.reports.lost(loss.hold(), cause, now());
		}
		else if (loss != null && loss.unnoticed()) {
			this.reports.lostAfterClosing(loss.hold(), now());
		}
	}

	/** Lose a hold whose key an operator released. */
	void loseByForce(KeyGate gate, Hold hold) {
		hold.grant.releasedByForce();
		lose(gate, hold, LossCause.NOT_OWNER);
	}

	/** Mark all holds of a key as lost. Their leases expire. */
	void loseAll(KeyGate gate) {
		gate.held().forEach((held) -> lose(gate, held.hold(), LossCause.SHUTDOWN));
	}

	@Override
	public boolean check(KeyGate gate, KeyState.Held held, long now) {
		Hold hold = held.hold();
		if (held.use() == Hold.Use.ABANDONED) {
			lose(gate, hold, LossCause.ABANDONED);
		}
		boolean valid = isValid(gate, hold);
		if (valid) {
			checkSlow(hold, now);
		}
		return valid;
	}

	@Override
	public void notOwner(KeyGate gate, Hold hold) {
		lose(gate, hold, LossCause.NOT_OWNER);
	}

	@Override
	public void firstRenewalEnded(KeyGate gate, Grant grant) {
		this.driver.carryOut(gate, gate.keepingEnded(grant));
	}

	@Override
	public void renewed(List<LockEvent.LeaseRenewed> renewals) {
		if (renewals.stream().anyMatch((renewal) -> renewal.outcome() == RenewalResult.RENEWED)) {
			this.outage.responded();
		}
		else if (renewals.stream().allMatch((renewal) -> renewal.outcome() == RenewalResult.UNKNOWN)) {
			LockEvent.LeaseRenewed first = renewals.get(0);
			this.outage.failed(now() - first.took().toNanos(), first.failure());
		}
		this.events.publishRenewals(renewals);
	}

	private long now() {
		return this.clock.nanoTime();
	}

}
