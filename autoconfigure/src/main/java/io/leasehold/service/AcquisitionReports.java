package io.leasehold.service;

import java.util.function.Predicate;

import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockException;
import io.leasehold.LockInterruptedException;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.HandoffKind;
import io.leasehold.event.LockEvent;
import io.leasehold.service.gate.Hold;
import io.leasehold.service.gate.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * Events about the ends of acquisitions and the starts of holds.
 */
record AcquisitionReports(String engine, Events events, StoreOutage outage, SlowWaits slowWaits) {

	void waits(Waiter waiter) {
		if (!waiter.options().endless()) {
			this.events.publish(new LockEvent.WaitStarted(this.engine, waiter.options().name(), waiter.key()));
			this.slowWaits.begun();
		}
	}

	void started(Hold hold) {
		if (!hold.followers.isEmpty()) {
			this.events.notifyEach(hold.followers, (follower) -> follower.holdStarted(hold.fencingToken()));
		}
		if (hold.isPassed() || hold.pushed) {
			HandoffKind kind = hold.isPassed() ? HandoffKind.LOCAL : HandoffKind.PUSHED;
			this.events.publish(new LockEvent.HandedOff(this.engine, kind));
		}
	}

	void acquired(Waiter waiter, boolean reentered, long now) {
		ended(waiter, reentered ? AcquireOutcome.REENTERED : AcquireOutcome.ACQUIRED, null, now);
	}

	/**
	 * Report a failed acquisition.
	 * @param bypassed whether the caller continues without the lock
	 */
	void failed(Waiter waiter, RuntimeException failure, Predicate<LockException> bypassed, long now) {
		AcquireOutcome outcome = outcomeOf(failure, bypassed);
		if (failure instanceof LockEngineException) {
			this.outage.failed(waiter.start(), failure);
		}
		if (outcome == AcquireOutcome.BYPASSED) {
			this.outage.bypassed(waiter.options().name());
		}
		ended(waiter, outcome, failure, now);
	}

	/** Return whether the store has not responded to any request during a wait. */
	boolean isStoreSilent(Waiter waiter) {
		return this.outage.isSilentSince(waiter.start());
	}

	private void ended(Waiter waiter, AcquireOutcome outcome, @Nullable RuntimeException failure, long now) {
		if (this.events.haveListeners() && !waiter.options().endless()) {
			this.events.publish(new LockEvent.AcquireEnded(this.engine, waiter.options().name(), waiter.key(), outcome,
					waiter.waited(), now - waiter.start(), failure));
		}
		if (!waiter.followers().isEmpty()) {
			this.events.notifyEach(waiter.followers(), (follower) -> follower.acquireEnded(outcome, failure));
		}
	}

	static AcquireOutcome outcomeOf(RuntimeException failure, Predicate<LockException> bypassed) {
		if (failure instanceof LockBusyException) {
			return AcquireOutcome.BUSY;
		}
		if (failure instanceof LockInterruptedException) {
			return AcquireOutcome.INTERRUPTED;
		}
		if (failure instanceof LockEngineException unavailable) {
			return bypassed.test(unavailable) ? AcquireOutcome.BYPASSED : AcquireOutcome.UNAVAILABLE;
		}
		return AcquireOutcome.ERROR;
	}

}
